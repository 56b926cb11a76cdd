/**
 * ContentQuery: a query string as a small typed tree. It knows no schema: names stay as written, and `access/authorize`
 * resolves or refuses them.
 *
 * Values are not part of the tree. Each is added to a list, and the tree contains its index (a slot). Requests that
 * differ only in values have equal trees and share one compiled plan.
 */

/** Operators that take values. `isNull` and `notNull` take none: `$null`, `$notNull` and null operands become them. */
export type Operator =
  | 'isNull'
  | 'notNull'
  | '$eq'
  | '$eqi'
  | '$ne'
  | '$nei'
  | '$lt'
  | '$lte'
  | '$gt'
  | '$gte'
  | '$in'
  | '$notIn'
  | '$contains'
  | '$notContains'
  | '$containsi'
  | '$notContainsi'
  | '$startsWith'
  | '$startsWithi'
  | '$endsWith'
  | '$endsWithi'
  | '$between';

export type Filter =
  /**
   * `key`: the query string names the group, which does not come from keys side by side or from a list. `labels`: the
   * query string writes it as an object with these keys.
   */
  | {
      readonly kind: 'and' | 'or';
      readonly items: readonly Filter[];
      readonly key?: '$and' | '$or';
      readonly labels?: readonly string[];
    }
  | { readonly kind: 'not'; readonly item: Filter }
  /** `[name]…`: a step into an attribute. `bare`: the value directly follows the name, without an operator. */
  | { readonly kind: 'field'; readonly name: string; readonly item: Filter; readonly bare: boolean }
  /**
   * A test of the attribute of the last step. `any`: one of the values is enough (a list under a single-value
   * operator).
   */
  | { readonly kind: 'test'; readonly operator: Operator; readonly slots: readonly number[]; readonly key: string };

export interface SortKey {
  /** Names from the outside in: `author`, `name`. */
  readonly path: readonly string[];
  readonly order: 'asc' | 'desc';
  /** The order as written, for errors; undefined where the key has none. */
  readonly written: string | undefined;
}

export type FieldList = readonly string[] | undefined;

/** A populate parameter in the form in which it was written: paths of errors depend on the form. */
export type Populate =
  | { readonly kind: 'none' }
  | { readonly kind: 'all' }
  /** Text or list: dotted names. */
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'entries'; readonly entries: readonly PopulateEntry[] };

export type PopulateEntry =
  | { readonly name: string; readonly kind: 'flag'; readonly value: boolean }
  /** A string that is not a flag: an invalid key. */
  | { readonly name: string; readonly kind: 'text'; readonly text: string }
  | { readonly name: string; readonly kind: 'options'; readonly options: PopulateOptions };

export interface PopulateOptions {
  readonly fields: FieldList;
  readonly filters: Filter | undefined;
  readonly sort: readonly SortKey[];
  readonly populate: Populate;
  readonly count: boolean | 'invalid';
  /** Fragments by component or type; `invalid` for a text as `on`. */
  readonly on: readonly PopulateEntry[] | 'invalid' | undefined;
  /** The keys in their order, to name an unexpected one. */
  readonly keys: readonly string[];
}

export type Cohort =
  | 'never-published'
  | 'has-published-version'
  | 'modified'
  | 'unmodified'
  | 'never-published-document'
  | 'has-published-version-document'
  | 'published-without-draft'
  | 'published-with-draft';

export type Status = 'draft' | 'published';

export interface Search {
  readonly slot: number;
  /** Number attributes are searched as well (docs/reference/query-parameters.md, "Search"). */
  readonly numeric: boolean;
}

export interface ContentQuery {
  readonly filters: Filter | undefined;
  readonly sort: readonly SortKey[];
  readonly fields: FieldList;
  readonly populate: Populate;
  /** The `_q` term: its slot, and whether it reads as a number. Undefined without a term. */
  readonly search: Search | undefined;
  /** Undefined where the request has no status. `either` is for code only. */
  readonly status: Status | 'either' | undefined;
  readonly cohort: Cohort | undefined;
}

/** The requested locales: the default one, all, or those of the slots. */
export type LocaleChoice =
  | { readonly kind: 'default' }
  | { readonly kind: 'all' }
  | { readonly kind: 'some'; readonly codes: readonly string[] };
