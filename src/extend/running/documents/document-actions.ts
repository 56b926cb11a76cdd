/** What may be done to documents, under the names of the document service. */
import type { Params } from './lifecycles.ts';

export type Operation = 'find' | 'create' | 'update' | 'delete';

export type Row = Record<string, unknown> & { readonly id: number; readonly documentId: string };
/** A read or a write, of parameters as code has left them. */
export type OwnOperation = (params: Params) => Promise<unknown>;
export type Versions = { readonly documentId: string; readonly entries: readonly Row[] };

/** The methods of a type's documents. */
export type ProjectService = Readonly<Record<DocumentAction, (params?: Params) => Promise<unknown>>>;

export const ACTIONS = [
  ...(['findMany', 'findFirst', 'findOne', 'count', 'create', 'update', 'delete', 'clone'] as const),
  ...(['publish', 'unpublish', 'discardDraft'] as const),
];
export type DocumentAction = (typeof ACTIONS)[number];

export const OPERATIONS = Object.fromEntries(ACTIONS.map((name) => [name, operationOf(name)])) as Record<
  DocumentAction,
  Operation
>;

function operationOf(name: DocumentAction): Operation {
  if (/^(?:find|count)/.test(name)) return 'find';
  if (name === 'create' || name === 'clone') return 'create';
  return name === 'delete' ? 'delete' : 'update';
}
