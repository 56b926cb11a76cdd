/** What writes documents of a type whose rules go beyond those of content: accounts, for one. */
import type { Writer } from './writer.ts';

export type DocumentWriter = Pick<Writer, 'delete'> & {
  /** Creates a document and gives its JSON text, with the `documentId` at least. */
  create(request: Parameters<Writer['create']>[0]): Promise<{ readonly data: string }>;
  update(request: Parameters<Writer['update']>[0], documentId: string): Promise<unknown>;
};
