/** The actions on documents, under the names of the document service. */
import type { DocumentService } from '../../content/documents/document-types.ts';
import type { Writer } from '../../content/documents/writer.ts';
import { isNotFound } from '../../errors.ts';
import type { Catalog } from '../../schema/catalog.ts';
import type { Narrowing } from '../narrowing.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import type { Schemas } from '../schemas/schemas.ts';
import type { AmbientDatabase } from './ambient.ts';
import type { ComponentRows } from './component-rows.ts';
import type { Lifecycles, Moment, Params } from './lifecycles.ts';
import type { NamedRows } from './named-rows.ts';

export type Operation = 'find' | 'create' | 'update' | 'delete';

export type Row = Record<string, unknown> & { readonly id: number; readonly documentId: string };
/** A read or a write with the parameters that middlewares and listeners may have changed. */
export type OwnOperation = (params: Params) => Promise<unknown>;
export type Versions = { readonly documentId: string; readonly entries: readonly Row[] };

/** The methods of a type's documents. */
export type ProjectService = Readonly<Record<DocumentAction, (params?: Params) => Promise<unknown>>>;

/** The dependencies of operations on documents. */
export interface OperationsContext {
  readonly runtime: {
    readonly config: Pick<RuntimeContext['config'], 'rest'>;
    readonly catalog: Catalog;
    readonly layout: RuntimeContext['layout'];
    readonly locales: Pick<RuntimeContext['locales'], 'default'>;
    readonly writer: Pick<Writer, 'updateRow' | 'reading'>;
    readonly narrowing: Narrowing;
    readonly views: Pick<RuntimeContext['views'], 'code'>;
    /** Runs a write with its lifecycles in one transaction, which an error in any of them rolls back. */
    readonly database: AmbientDatabase;
  };
  readonly schemas: Schemas;
  readonly lifecycles: Lifecycles;
  readonly components: ComponentRows;
  readonly named: NamedRows;
  /** The documents of a type as Galley has them, private attributes included. */
  readonly serviceOf: (uid: string) => DocumentService<string>;
  /** The writes of types that have rules of their own; undefined for others. */
  readonly writesOf: (uid: string) => Partial<ProjectService> | undefined;
}

export const ACTIONS = [
  ...(['findMany', 'findFirst', 'findOne', 'count', 'create', 'update', 'delete', 'clone'] as const),
  ...(['publish', 'unpublish', 'discardDraft'] as const),
];
/** The moments at which listeners run around writes of documents: the reference reads what it writes. */
export const AROUND_WRITES: readonly Moment[] = ['Create', 'Update', 'Delete', 'FindOne', 'FindMany'];

export type DocumentAction = (typeof ACTIONS)[number];

export const OPERATIONS = Object.fromEntries(ACTIONS.map((name) => [name, operationOf(name)])) as Record<
  DocumentAction,
  Operation
>;

/** Treats a missing document as one without entries. @throws any other error. */
export function noEntries(error: unknown): { entries: readonly never[] } {
  if (isNotFound(error)) return { entries: [] };
  throw error;
}

/** Created rows, each as listeners to its reading have changed it. */
export async function entriesAsRead(moved: Versions, read: (row: Row) => Promise<unknown>): Promise<object> {
  const entries: unknown[] = [];
  for (const row of moved.entries) entries.push(await read(row));
  return { ...moved, entries };
}

function operationOf(name: DocumentAction): Operation {
  if (/^(?:find|count)/.test(name)) return 'find';
  if (name === 'create' || name === 'clone') return 'create';
  return name === 'delete' ? 'delete' : 'update';
}
