/**
 * What administrators' documents are read and written with: the rooms themselves, or, where code of the project runs,
 * rooms with that code around them.
 */
import type { Viewer } from '../../access/view.ts';
import type { Database } from '../../db/interface/database.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { ContentWriter, DocumentWriter } from '../documents/document-writer.ts';
import type { Transitions } from '../documents/transitions.ts';
import type { DocumentReader } from '../reading/document-reader.ts';

export interface EditingRooms {
  readonly database: Database;
  readonly reader: DocumentReader;
  readonly writer: ContentWriter;
  readonly transitions: Pick<Transitions, 'run'>;
  /** Makes a document of another one, and gives its id (`duplicateDocument`). */
  readonly duplicate: (viewer: Viewer, type: ContentType, documentId: string) => Promise<string>;
  /** What writes documents of types that have rules of their own, by uid. */
  readonly writers: ReadonlyMap<string, DocumentWriter>;
}
