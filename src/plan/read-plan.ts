/**
 * ReadPlan: what one statement reads, in tables and columns, without any SQL. The tree has the shape of the answer.
 * Slots are indexes into the request's values; each has a kind, which determines the value it takes.
 */
import type { TestedRow } from '../access/condition.ts';
import type { Operator } from '../query/content-query.ts';
import type { FieldType } from '../schema/catalog.ts';
import type { MorphTableNames } from '../schema/layout/naming.ts';
import type { PreviewPlan } from './preview.ts';

/** A condition on one row of a table. All tests of a list must hold. */
export type RowTest =
  | { readonly kind: 'published'; readonly is: boolean }
  | { readonly kind: 'documentId'; readonly slot: number }
  | { readonly kind: 'rowId'; readonly slot: number }
  /** Equal to one of the locale codes; the kind of each slot is text. */
  | { readonly kind: 'locale'; readonly slots: readonly number[] }
  /** Whether the document has another row, of the given status, in the same locale or any. */
  | {
      readonly kind: 'sibling';
      readonly exists: boolean;
      readonly published: boolean;
      readonly sameLocale: boolean;
      readonly table: string;
      /** Compares draft.updatedAt with published.updatedAt; undefined: no comparison. */
      readonly modified: boolean | undefined;
      /** Restricts the other row to those that the caller may see; undefined: all. */
      readonly rows?: PlanCondition | undefined;
    };

/** One hop from a row to related rows. */
export type Step =
  | {
      readonly kind: 'link';
      readonly table: string;
      readonly source: string;
      readonly target: string;
      readonly order: string | null;
    }
  /** The row itself stores the id of the related row. */
  | { readonly kind: 'ownColumn'; readonly column: string }
  /** The related row stores the id of this row. */
  | { readonly kind: 'theirColumn'; readonly column: string }
  | { readonly kind: 'component'; readonly table: string; readonly field: string; readonly uid: string }
  | { readonly kind: 'media'; readonly table: string; readonly uid: string; readonly field: string }
  /** Rows of a polymorphic relation that point at this row. */
  | ({ readonly kind: 'morphTable'; readonly uid: string; readonly name: string } & MorphTableNames)
  | { readonly kind: 'morphColumns'; readonly id: string; readonly type: string; readonly uid: string }
  /** The document's rows in its other locales. */
  | { readonly kind: 'localizations' }
  /** The document's rows in every locale, the row itself included. */
  | { readonly kind: 'versions' };

/** The destination of a step: a table, restricted by row tests and to the rows that the caller may see. */
export interface Target {
  readonly step: Step;
  readonly table: string;
  readonly tests: readonly RowTest[];
  /** Undefined: all rows. */
  readonly rows: PlanCondition | undefined;
}

/** The required result of a test, which may be unknown in SQL. */
export type Outcome = 'true' | 'false' | 'notFalse' | 'notTrue';

/** A value of an account, which the statement looks up. The slot takes the account's id. */
export interface AccountValue {
  /** The table of accounts; `targets` are the steps from there. */
  readonly table: string;
  readonly targets: readonly Target[];
  readonly column: string;
  /** Whether the path may reach several values. */
  readonly hasMany: boolean;
}

/** Conditions in negation normal form: negation is in the outcomes of tests (see `plan/condition.ts`). */
export type PlanCondition =
  | { readonly kind: 'and' | 'or'; readonly items: readonly PlanCondition[] }
  | {
      readonly kind: 'test';
      readonly column: string;
      readonly type: FieldType;
      readonly operator: Operator;
      readonly slots: readonly number[];
      /** The values of those slots that take the id of an account. */
      readonly accounts?: ReadonlyMap<number, AccountValue>;
      readonly outcome: Outcome;
      /** Whether the test searches the texts inside JSON rather than the JSON text itself. */
      readonly inside?: true;
    }
  /** Some related row meets `item`; or, with `orNone`, there is no related row. */
  | { readonly kind: 'exists'; readonly target: Target; readonly item: PlanCondition; readonly orNone: boolean }
  /** No related row meets `item`; without one, there is no related row. */
  | { readonly kind: 'none'; readonly target: Target; readonly item: PlanCondition | undefined }
  | { readonly kind: 'constant'; readonly value: boolean };

/** The conditions of a conjunction, nested ones included; any other condition is the only one. */
export function conjuncts(condition: PlanCondition): readonly PlanCondition[] {
  const isOne = condition.kind === 'or' && condition.items.length === 1;
  return condition.kind === 'and' || isOne ? condition.items.flatMap(conjuncts) : [condition];
}

/**
 * The size of a page. `small`: each row can be compared with all others. `large`: even short rows make a long answer.
 */
export type PageSize = 'small' | 'medium' | 'large';

export interface PlanOrder {
  readonly targets: readonly Target[];
  /** Whether any of the steps may reach several rows. */
  readonly toMany: boolean;
  readonly column: string;
  readonly type: FieldType;
  readonly descending: boolean;
  /** Whether the column is a text whose length the schema does not limit to that of a short column. */
  readonly long: boolean;
}

/** A page that continues a list after a position (`plan/cursor.ts`). */
export interface PlanCursor {
  /** Slot of the number of rows to read: one more than the page has, to learn whether anything follows. */
  readonly more: number;
  /** The position; undefined for the first page. */
  readonly after: PlanPosition | undefined;
}

/** A position in a sorted list, as slots. */
export interface PlanPosition {
  /** For each key of the order; null where the value is missing. */
  readonly keys: readonly (number | null)[];
  readonly id: number;
}

/**
 * How statements mark the addresses of files in a private store. The token is a secret of the process, so that content
 * cannot contain it.
 */
export interface FileMarks {
  /** The text in front of each marked address: letters, digits and punctuation that JSON does not escape. */
  readonly token: string;
  /** The values of `provider` in the rows of the store's files. */
  readonly providers: readonly string[];
  /** The beginnings of the addresses that get signed. */
  readonly bases: readonly string[];
}

/** The columns of a file's row that decide what is marked. */
export interface MarkedFile {
  readonly marks: FileMarks;
  readonly providerColumn: string;
  readonly urlColumn: string;
}

/** One key of a JSON object. */
export type Member =
  | { readonly kind: 'column'; readonly key: string; readonly column: string; readonly type: FieldType }
  /** The address of a file, or JSON with addresses under the key `url`; marked if the file's store is private. */
  | {
      readonly kind: 'address';
      readonly key: string;
      readonly column: string;
      readonly type: FieldType;
      readonly file: MarkedFile;
    }
  /** Whether the address of a file gets signed. */
  | { readonly kind: 'signed'; readonly key: string; readonly file: MarkedFile }
  | { readonly kind: 'label'; readonly key: string; readonly text: string }
  | { readonly kind: 'flag'; readonly key: string; readonly value: boolean }
  | {
      readonly kind: 'related';
      readonly key: string;
      readonly target: Target;
      readonly cardinality: 'one' | 'many' | 'count';
      readonly members: readonly Member[];
      readonly where: PlanCondition | undefined;
      readonly order: readonly PlanOrder[];
      /** The most rows of a list that are read; undefined: all. */
      readonly most: number | undefined;
    }
  /** A list or a single object of several kinds of rows, chosen by a type column. */
  | {
      readonly kind: 'parts';
      readonly key: string;
      readonly source: PartsSource;
      readonly cardinality: 'one' | 'many' | 'count';
      readonly parts: readonly MemberPart[];
      /** The most rows of a list that are read; undefined: all. */
      readonly most: number | undefined;
    };

/** A member that may be a list of rows. */
export type MemberList = Extract<Member, { kind: 'related' | 'parts' }>;

export interface MemberPart {
  /** The value of the type column: a uid. */
  readonly uid: string;
  readonly table: string;
  readonly tests: readonly RowTest[];
  readonly rows: PlanCondition | undefined;
  readonly members: readonly Member[];
  readonly where: PlanCondition | undefined;
  /** Values of the links' field column; undefined: any. */
  readonly linkedBy: readonly string[] | undefined;
}

export type PartsSource =
  /** A zone's rows in the components table. */
  | { readonly kind: 'zone'; readonly table: string; readonly field: string }
  /** Rows of a morphToMany. */
  | {
      readonly kind: 'morphTable';
      readonly table: string;
      readonly source: string;
      readonly id: string;
      readonly type: string;
      readonly field: string;
      readonly order: string;
    }
  /** morphToOne: two columns of the row itself. */
  | { readonly kind: 'morphColumns'; readonly id: string; readonly type: string };

/** How a slot's value is converted before it is bound. */
export type SlotKind =
  /**
   * A value compared with a column of this type; `field` names it in errors. `listed`: it is an item of a list, in
   * which an empty text (an empty list is often written `[$in][]=`) equals no value of a type other than text.
   */
  | {
      readonly kind: 'value';
      readonly type: FieldType;
      readonly field: string;
      readonly listed?: true;
      /** The row whose id is compared, if a filter compares a relation itself. */
      readonly row?: TestedRow | undefined;
    }
  /** A piece of text to search for, literally or case-folded. */
  | { readonly kind: 'text' }
  | { readonly kind: 'folded' }
  /** The query of a search index for a piece of text, which is searched literally or folded. */
  | { readonly kind: 'search'; readonly folded: boolean; readonly isWord?: boolean }
  /** The longest word of a piece of text, folded. JSON that contains the text contains this word unescaped. */
  | { readonly kind: 'word' }
  /** A whole number of the server's own: limit, offset. */
  | { readonly kind: 'count' }
  /** A value of a cursor, for a column of this type (`Dialect.exact`). */
  | { readonly kind: 'exact'; readonly type: FieldType };

/**
 * A search index: some columns of text of one table. Its name depends on the columns and on how their text is folded.
 */
export interface SearchIndex {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
}

/** The complete search indexes of a database. */
export interface SearchIndexes {
  /** Changes whenever the indexes change; a plan is made for one version. */
  readonly version: number;
  of(table: string): readonly SearchIndex[];
}

/** Candidates: rows with a piece of text in a column, or an intersection or union of such sets. */
export type Candidates =
  | { readonly kind: 'and' | 'or'; readonly items: readonly Candidates[] }
  | {
      readonly kind: 'piece';
      readonly index: SearchIndex;
      readonly column: string;
      readonly type: FieldType;
      /** The slot of the index query (`SlotKind`, 'search'). */
      readonly slot: number;
      readonly folded: boolean;
    };

/** The candidates of a plan, for one version of the indexes. */
export interface IndexSearch {
  readonly candidates: Candidates;
  readonly version: number;
}

/** A range of one column that an index finds (`plan/range.ts`). */
export interface PlanRange {
  readonly column: string;
  readonly type: FieldType;
  readonly tests: readonly Extract<PlanCondition, { kind: 'test' }>[];
  /** Whether the list is sorted by the column. */
  readonly isFirst: boolean;
  /** Whether an index has the rows in the order of the list. */
  readonly isInOrder: boolean;
}

export interface ReadPlan {
  /** The tables that are read as if a release had run. */
  readonly preview?: PreviewPlan | undefined;
  readonly table: string;
  readonly tests: readonly RowTest[];
  readonly rows: PlanCondition | undefined;
  readonly where: PlanCondition | undefined;
  /** The candidates to which search indexes narrow a list; they include all rows that meet `where`. */
  readonly search?: IndexSearch | undefined;
  /** A range by which a page may be found. If the list is counted, the whole range is listed. */
  readonly range?: PlanRange | undefined;
  readonly members: readonly Member[];
  /**
   * A single document is read with its version: the newest `updatedAt` of its rows, in the row's own locale if the type
   * is localized. Undefined for lists and for rows that are not documents.
   */
  readonly version: { readonly sameLocale: boolean } | undefined;
  /** A list has an order and a page; a single read has neither. */
  readonly list:
    | {
        readonly order: readonly PlanOrder[];
        /** Slots. */
        readonly limit: number;
        readonly offset: number;
        /** The source of the total: counting, or the stored totals; undefined: no total. */
        readonly total: 'counted' | 'kept' | undefined;
        /** Whether a total of exactly these rows is stored, whether or not the request wants it. */
        readonly isKept: boolean;
        readonly size: PageSize;
        /** Whether the offset is so large that skipping rows takes most of the time. */
        readonly deep: boolean;
        readonly cursor: PlanCursor | undefined;
        /** Whether the last column is the snapshot of the statement (`Dialect.snapshot`). */
        readonly snapshot: boolean;
      }
    | undefined;
}
