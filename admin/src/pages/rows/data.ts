/** Requests of exports and imports of documents as rows. */
import { queryOptions } from '@tanstack/react-query';
import type { RowImport, RowsPreview } from '../../../contract/rows.ts';
import { BASE } from '../../data/base.ts';
import { request } from '../../data/client.ts';
import { sendForm } from '../../data/upload.ts';

/** Milliseconds between two looks at an import that is running. */
const SOON = 700;

export const isRunning = ({ state }: RowImport): boolean => state === 'running' || state === 'undoing';

/** The last imports of the administrator into a type. */
export const importsQuery = (uid: string) =>
  queryOptions({
    queryKey: ['imports', uid],
    queryFn: async ({ signal }) => (await request('GET rows/:uid/imports', { params: { uid }, signal })).data,
    refetchInterval: ({ state: { data } }) => (data?.some(isRunning) ? SOON : false),
  });

/** The mistakes of an import, and what undoing it has left. @param done changes with the progress. */
export const problemsQuery = (id: number, done: number) =>
  queryOptions({
    queryKey: ['imports', 'problems', id, done],
    queryFn: async ({ signal }) =>
      (await request('GET imports/:id/problems', { params: { id: String(id) }, signal })).data,
  });

/** What the user has chosen for an import. */
export interface ImportChoice {
  /** The target of each column; null: it is not imported. */
  readonly columns: readonly (string | null)[];
  readonly key: string | null;
  /** Undefined: the default one. */
  readonly locale: string | undefined;
  readonly status: 'draft' | 'published';
  readonly empty: 'clear' | 'keep';
  readonly decimal: RowsPreview['decimal'];
  readonly dates: RowsPreview['dates'];
  readonly delimiter: RowsPreview['delimiter'];
}

function formOf(file: File, options: object): FormData {
  const form = new FormData();
  form.append('options', JSON.stringify(options));
  form.append('files', file);
  return form;
}

export const previewRows = async (uid: string, file: File): Promise<RowsPreview> =>
  (await sendForm('POST rows/:uid/preview', formOf(file, {}), { params: { uid } })).data;

/** Begins an import. @param dryRun whether nothing is written. */
export async function importRows(
  uid: string,
  file: File,
  { columns, key, ...choice }: ImportChoice,
  dryRun: boolean,
): Promise<RowImport> {
  // the id of a document is only its key
  const own = columns.map((target) => (target === 'documentId' && key !== target ? null : target));
  const form = formOf(file, { ...choice, columns: own, key, dryRun });
  return (await sendForm('POST rows/:uid/imports', form, { params: { uid } })).data;
}

/** The forms of exported files. */
export const FORMATS = ['csv', 'semicolons', 'json', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

const PARAMETERS: Readonly<Record<Format, Readonly<Record<string, string>>>> = {
  csv: { format: 'csv', bom: 'true' },
  semicolons: { format: 'csv', bom: 'true', delimiter: ';', decimal: ',' },
  json: { format: 'json' },
  ndjson: { format: 'ndjson' },
};

/**
 * The address of an exported file.
 *
 * @param list the query string of the list.
 * @param columns undefined: all of them.
 */
export function exportAddress(
  uid: string,
  list: string,
  format: Format,
  columns: readonly string[] | undefined,
): string {
  const query = new URLSearchParams(list);
  for (const name of [...query.keys()]) if (/^(?:fields|populate|pagination)/.test(name)) query.delete(name);
  for (const [name, value] of Object.entries(PARAMETERS[format])) query.set(name, value);
  if (columns) query.set('columns', columns.join(','));
  return `${BASE}api/rows/${encodeURIComponent(uid)}/export?${query}`;
}
