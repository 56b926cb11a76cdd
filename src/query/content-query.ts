/**
 * ContentQuery: what a query string asks for, as a small typed tree. It knows no schema: names are kept as written,
 * and `access/authorize` resolves or refuses them.
 *
 * Values are not part of the tree. Each is pushed to a list and the tree contains its index (a slot), so that two
 * requests that differ only in values have equal trees, and share one compiled plan.
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
   * `key`: the group was written explicitly, and does not come from keys side by side or a list. `labels`: it was
   * written as an object, with these keys.
   */
  | {
      readonly kind: 'and' | 'or';
      readonly items: readonly Filter[];
      readonly key?: '$and' | '$or';
      readonly labels?: readonly string[];
    }
  | { readonly kind: 'not'; readonly item: Filter }
  /** `[name]…`: a step into an attribute. `bare`: the value stood right behind the name, without an operator. */
  | { readonly kind: 'field'; readonly name: string; readonly item: Filter; readonly bare: boolean }
  /** A test of the attribute stepped into. `any`: one of the values suffices (a list under a single-value operator). */
  | { readonly kind: 'test'; readonly operator: Operator; readonly slots: readonly number[]; readonly key: string };

export interface SortKey {
  /** Names from the outside in: `author`, `name`. */
  readonly path: readonly string[];
  readonly order: 'asc' | 'desc';
  /** The order as written, undefined when left out: an invalid key may have to name it. */
  readonly written: string | undefined;
}

export type FieldList = readonly string[] | undefined;

/** What a populate parameter says, in the form it was given: paths of errors depend on the form. */
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
  /** Fragments per component or type; `invalid` when `on` was given a text. */
  readonly on: readonly PopulateEntry[] | 'invalid' | undefined;
  /** Keys that were given, in their order, to name what does not belong. */
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
  /** Undefined: the request does not say. Rows of either status are asked for by code alone. */
  readonly status: Status | 'either' | undefined;
  readonly cohort: Cohort | undefined;
}

/** Which locales are asked for: the default one, all, or those of the slots. */
export type LocaleChoice =
  | { readonly kind: 'default' }
  | { readonly kind: 'all' }
  | { readonly kind: 'some'; readonly codes: readonly string[] };
