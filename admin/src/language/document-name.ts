/** How documents are called. */
import type { Text } from './messages.ts';

export interface Named {
  readonly documentId: string;
  /** Null: it has no name of its own. */
  readonly label: string | null;
}

/** Characters of an id that tell documents apart: any two of a list, most likely. */
const TELLING = 4;

/** The name of a document; of one that has none, the end of its id, which tells it apart where several stand together. */
export const documentName = (t: Text, { documentId, label }: Named): string =>
  label ?? t('document.untitledOf', { id: documentId.slice(-TELLING) });

/** A document of a list, by the value of the field that names it. */
export function namedBy(field: string, row: Readonly<Record<string, unknown>>): Named {
  const value = row[field];
  const label = value === null || value === undefined || value === '' ? null : String(value);
  return { documentId: String(row['documentId']), label };
}
