/**
 * ReadPlan: what one statement reads, in tables and columns, without a word of SQL. The tree has the shape of the
 * answer. Slots are indexes into the request's values; each says what kind of value it takes.
 */
import type { TestedRow } from '../access/condition.ts';
import type { FieldType } from '../access/fields.ts';
import type { Operator } from '../query/content-query.ts';

/** How rows are told apart: conditions on one row of a table, all of which hold. */
export type RowTest =
  | { readonly kind: 'published'; readonly is: boolean }
  | { readonly kind: 'documentId'; readonly slot: number }
  | { readonly kind: 'rowId'; readonly slot: number }
  /** One of the codes; the kind of each slot is text. */
  | { readonly kind: 'locale'; readonly slots: readonly number[] }
  /** Whether the document has another row: of the other status, in the same locale or any. */
  | {
      readonly kind: 'sibling';
      readonly exists: boolean;
      readonly published: boolean;
      readonly sameLocale: boolean;
      readonly table: string;
      /** Compares draft.updatedAt with published.updatedAt; undefined: no comparison. */
      readonly modified: boolean | undefined;
      /** Which of the document's rows there are for the caller; undefined: all. */
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
  /** The row itself holds the id of the related one. */
  | { readonly kind: 'ownColumn'; readonly column: string }
  /** The related row holds the id of this one. */
  | { readonly kind: 'theirColumn'; readonly column: string }
  | { readonly kind: 'component'; readonly table: string; readonly field: string; readonly uid: string }
  | { readonly kind: 'media'; readonly table: string; readonly uid: string; readonly field: string }
  /** Rows of a polymorphic relation that point at this row. */
  | {
      readonly kind: 'morphTable';
      readonly table: string;
      readonly source: string;
      readonly id: string;
      readonly type: string;
      readonly field: string;
      readonly order: string;
      readonly uid: string;
      readonly name: string;
    }
  | { readonly kind: 'morphColumns'; readonly id: string; readonly type: string; readonly uid: string }
  /** The document's rows in its other locales. */
  | { readonly kind: 'localizations' }
  /** The document's rows in every locale, the row itself included. */
  | { readonly kind: 'versions' };

/** Where a step leads: a table, narrowed by row tests and to the rows that there are for the caller. */
export interface Target {
  readonly step: Step;
  readonly table: string;
  readonly tests: readonly RowTest[];
  /** Undefined: all rows. */
  readonly rows: PlanCondition | undefined;
}

/** What a test, which may be unknown, must be. */
export type Outcome = 'true' | 'false' | 'notFalse' | 'notTrue';

/** A value of the account whose id a slot takes, which the statement looks up. */
export interface AccountValue {
  /** The table of accounts, and the steps from there. */
  readonly table: string;
  readonly targets: readonly Target[];
  readonly column: string;
  /** Whether there may be several. */
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
      /** What is compared by slots that take the id of an account. */
      readonly accounts?: ReadonlyMap<number, AccountValue>;
      readonly outcome: Outcome;
      /** Whether it looks into the texts within JSON, and not at the JSON as it is written. */
      readonly inside?: true;
    }
  /** Some related row meets `item`; or, with `orNone`, there is no related row. */
  | { readonly kind: 'exists'; readonly target: Target; readonly item: PlanCondition; readonly orNone: boolean }
  /** No related row meets `item`; without one, there is no related row. */
  | { readonly kind: 'none'; readonly target: Target; readonly item: PlanCondition | undefined }
  | { readonly kind: 'constant'; readonly value: boolean };

/** The conditions that must all hold for a condition to hold. */
export function conjuncts(condition: PlanCondition): readonly PlanCondition[] {
  const isOne = condition.kind === 'or' && condition.items.length === 1;
  return condition.kind === 'and' || isOne ? condition.items.flatMap(conjuncts) : [condition];
}

/**
 * How many rows a page may have: so few that each may be compared with all, or so many that even short ones make a long
 * answer.
 */
export type PageSize = 'small' | 'medium' | 'large';

export interface PlanOrder {
  readonly targets: readonly Target[];
  /** Whether one of the steps may lead to several rows. */
  readonly toMany: boolean;
  readonly column: string;
  readonly type: FieldType;
  readonly descending: boolean;
  /** A text that the schema does not keep short. */
  readonly long: boolean;
}

/** A page that continues a list behind a place (`plan/cursor.ts`). */
export interface PlanCursor {
  /** Slot of the rows to look for: one more than the page has tells whether anything follows. */
  readonly more: number;
  /** The place; undefined for the first page. */
  readonly after: PlanPosition | undefined;
}

/** A place in a sorted list, as slots. */
export interface PlanPosition {
  /** For each key of the order; null where the value is missing. */
  readonly keys: readonly (number | null)[];
  readonly id: number;
}

/**
 * How statements mark the addresses of a private store's files. Content must not be able to hold the token, so it is a
 * secret of the process.
 */
export interface FileMarks {
  /** Stands in front of each marked address. Letters, digits and punctuation that JSON does not escape. */
  readonly token: string;
  /** What the rows of the store's files say in `provider`. */
  readonly providers: readonly string[];
  /** Beginnings of the addresses that get signed. */
  readonly bases: readonly string[];
}

/** A file's row as far as it decides what is marked. */
export interface MarkedFile {
  readonly marks: FileMarks;
  readonly providerColumn: string;
  readonly urlColumn: string;
}

/** One key of a JSON object. */
export type Member =
  | { readonly kind: 'column'; readonly key: string; readonly column: string; readonly type: FieldType }
  /** Where a file is, marked if its store is private: an address, or JSON with addresses under the key `url`. */
  | {
      readonly kind: 'address';
      readonly key: string;
      readonly column: string;
      readonly type: FieldType;
      readonly file: MarkedFile;
    }
  /** Whether the address of a file is one that gets signed. */
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
      /** How many rows of a list are read; undefined: all. */
      readonly most: number | undefined;
    }
  /** A list or one of several kinds of rows, chosen by a type column. */
  | {
      readonly kind: 'parts';
      readonly key: string;
      readonly source: PartsSource;
      readonly cardinality: 'one' | 'many' | 'count';
      readonly parts: readonly MemberPart[];
      /** How many rows of a list are read; undefined: all. */
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

/** What a slot's value must become before it is bound. */
export type SlotKind =
  /**
   * A value compared with a column of this type; `field` is its name for errors. `listed`: it is one of a list, in which
   * an empty text, as an empty list is often written (`[$in][]=`), equals no value of another type than text.
   */
  | {
      readonly kind: 'value';
      readonly type: FieldType;
      readonly field: string;
      readonly listed?: true;
      /** The row whose id is compared, where a filter names a relation by itself. */
      readonly row?: TestedRow | undefined;
    }
  /** A piece of text searched for, as is or case-folded. */
  | { readonly kind: 'text' }
  | { readonly kind: 'folded' }
  /** What a search index is asked for a piece of text, which is to be found as it is or folded. */
  | { readonly kind: 'search'; readonly folded: boolean; readonly isWord?: boolean }
  /** The longest word of a piece of text, folded, which JSON that contains the text contains as it is. */
  | { readonly kind: 'word' }
  /** A whole number of the server's own: limit, offset. */
  | { readonly kind: 'count' }
  /** A value of a cursor, for a column of this type (`Dialect.exact`). */
  | { readonly kind: 'exact'; readonly type: FieldType };

/** A search index: some columns of text of one table. Its name says which, and how their text is kept. */
export interface SearchIndex {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
}

/** The search indexes of a database that may be relied on. */
export interface SearchIndexes {
  /** Another number whenever they may be others; plans are made for one. */
  readonly version: number;
  of(table: string): readonly SearchIndex[];
}

/** Candidates: rows with a piece of text in a column, in all of several sets, or in some. */
export type Candidates =
  | { readonly kind: 'and' | 'or'; readonly items: readonly Candidates[] }
  | {
      readonly kind: 'piece';
      readonly index: SearchIndex;
      readonly column: string;
      readonly type: FieldType;
      /** Of what the index is asked: a piece of text as it is, or folded (`SlotKind`, 'search'). */
      readonly slot: number;
      readonly folded: boolean;
    };

/** The candidates of a plan, for the indexes of a version. */
export interface IndexSearch {
  readonly candidates: Candidates;
  readonly version: number;
}

/** A range of one column that an index finds (`plan/range.ts`). */
export interface PlanRange {
  readonly column: string;
  readonly type: FieldType;
  readonly tests: readonly Extract<PlanCondition, { kind: 'test' }>[];
  /** Whether the list is in the order of the column. */
  readonly isFirst: boolean;
  /** Whether an index has the rows in the order of the list. */
  readonly isInOrder: boolean;
}

export interface ReadPlan {
  readonly table: string;
  readonly tests: readonly RowTest[];
  readonly rows: PlanCondition | undefined;
  readonly where: PlanCondition | undefined;
  /** Rows of a list that search indexes narrow it to, all that meet `where` among them. */
  readonly search?: IndexSearch | undefined;
  /** A range by which a page may be found. Where the list is counted, all of the range is listed. */
  readonly range?: PlanRange | undefined;
  readonly members: readonly Member[];
  /**
   * A single document is read with its version: the newest `updatedAt` of its rows, in the row's own locale where the
   * type has several. Undefined for lists, and for rows that are no documents.
   */
  readonly version: { readonly sameLocale: boolean } | undefined;
  /** A list has an order and a page; a single read has neither. */
  readonly list:
    | {
        readonly order: readonly PlanOrder[];
        /** Slots. */
        readonly limit: number;
        readonly offset: number;
        /** How the total is had: counted, or from the kept totals; undefined: not at all. */
        readonly total: 'counted' | 'kept' | undefined;
        /** Whether the total of just these rows is kept, asked for or not. */
        readonly isKept: boolean;
        readonly size: PageSize;
        /** Whether the page is so far from the beginning that passing over rows takes most of the time. */
        readonly deep: boolean;
        readonly cursor: PlanCursor | undefined;
        /** Whether the last column tells what state of the database was seen (`Dialect.snapshot`). */
        readonly snapshot: boolean;
      }
    | undefined;
}
