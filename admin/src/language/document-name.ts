/** The names of documents. */
import type { Text } from './messages.ts';

export interface Named {
  readonly documentId: string;
  /** Null if the document has no name. */
  readonly label: string | null;
}

/** The characters of an id that probably distinguish two documents of a list. */
const TELLING = 4;

/** The name of a document. One without a name gets the end of its id, so that several can be distinguished. */
export const documentName = (t: Text, { documentId, label }: Named): string =>
  label ?? t('document.untitledOf', { id: documentId.slice(-TELLING) });

/** The name of a document in a list, by the value of its main field. */
export function namedBy(field: string, row: Readonly<Record<string, unknown>>): Named {
  const value = row[field];
  const label = value === null || value === undefined || value === '' ? null : String(value);
  return { documentId: String(row['documentId']), label };
}
