/** What writes documents on behalf of administrators: the Writer, or one with code of the project around it. */
import type { Writer } from './writer.ts';

/** What writes documents of a type whose rules go beyond those of content: accounts, for one. */
export type DocumentWriter = Pick<Writer, 'delete'> & {
  /** Creates a document and gives its JSON text, with the `documentId` at least. */
  create(request: Parameters<Writer['create']>[0]): Promise<{ readonly data: string }>;
  update(request: Parameters<Writer['update']>[0], documentId: string): Promise<unknown>;
};

/** What writes documents of all other types. */
export type ContentWriter = DocumentWriter & {
  updateSingle(request: Parameters<Writer['updateSingle']>[0]): Promise<unknown>;
} & Pick<Writer, 'deleteSingle' | 'reading' | 'context'>;
