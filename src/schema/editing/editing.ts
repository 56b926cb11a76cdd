/** The input and output types of the schema editor in the administration app. */
import type { RawSchema } from '../built-in.ts';

export type EditedKind = 'collectionType' | 'singleType' | 'component';

/** A change of one type. */
export interface SchemaChange {
  readonly uid: string;
  readonly kind: EditedKind;
  /** The revision of the file that the change began with; null for a new type. */
  readonly revision: string | null;
  /** Null removes the type. */
  readonly schema: RawSchema | null;
  /** New names of attributes by their old ones. */
  readonly renames: ReadonlyMap<string, string>;
  readonly renamedFrom: string | undefined;
}

/** How content is kept: in the database without use, or by publishing it. */
export type Keeping = 'archive' | 'publish';

export interface SchemaChanges {
  readonly changes: readonly SchemaChange[];
  /** By uid, and by `uid#attribute`. */
  readonly keep: ReadonlyMap<string, Keeping>;
}

export interface EditProblem {
  readonly uid: string | null;
  readonly file: string;
  readonly path: readonly string[];
  readonly message: string;
  readonly severity: 'mistake' | 'warning';
}

export interface EditEffect {
  readonly severity: 'info' | 'work' | 'loss';
  readonly uid: string;
  readonly attribute: string | null;
  readonly kind: string;
  readonly count: number | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly keep: Keeping | null;
}

export interface FileChange {
  /** Inside the project, with forward slashes. */
  readonly file: string;
  /** Null: there is no file. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface SchemaPlan {
  readonly isApplicable: boolean;
  readonly files: readonly FileChange[];
  readonly effects: readonly EditEffect[];
  readonly problems: readonly EditProblem[];
  readonly conflicts: readonly string[];
  readonly merged: readonly string[];
}

export interface EditedType {
  readonly uid: string;
  readonly kind: EditedKind;
  readonly category: string | null;
  readonly displayName: string;
  readonly origin: 'project' | 'plugin' | 'code';
  readonly file: string | null;
  readonly revision: string | null;
  readonly schema: RawSchema;
  readonly count: number | null;
}

export interface EditingState {
  /** Why nothing can be changed; null if it can. */
  readonly reason: 'production' | 'files' | null;
  /** The last change, as long as it can be undone: epoch milliseconds and the uids of its types. */
  readonly undo: { readonly at: number; readonly uids: readonly string[] } | null;
  readonly types: readonly EditedType[];
  readonly problems: readonly EditProblem[];
}

/** Edits the schema files of the project that is served. Requests to change them run one after the other. */
export interface SchemaEditing {
  /** Whether the project is served for development, where schema files may be changed. */
  readonly isEnabled: boolean;
  state(): Promise<EditingState>;
  /** What changes would do. Writes nothing. @throws ContentError 403 outside of development. */
  plan(changes: SchemaChanges): Promise<SchemaPlan>;
  /**
   * Writes the files of changes, and serves them.
   *
   * @throws ContentError 403 outside of development; 412 if files were changed by others; 400 for mistakes, and for
   * content that would be lost. Nothing is changed then.
   */
  apply(changes: SchemaChanges): Promise<EditingState>;
  /**
   * Restores the files and names of before the last change.
   *
   * @throws ContentError 404 if there is no such change; 412 if its files were changed since; 400 if content that was
   * added since would be lost.
   */
  undo(): Promise<EditingState>;
}
