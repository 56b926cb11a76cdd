/** What somebody may do to one version of a document: of a type they may be permitted to do more, to other documents. */
import type { Operation } from '../../access/administrators/administrator-rights.ts';
import type { Viewer } from '../../access/view.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { type DocumentRow, inLocale, rowsOfSome } from '../rows/document-rows.ts';
import { type StateContext, statesOf } from './document-states.ts';
import type { EditingRooms } from './editing-rooms.ts';
import type { DocumentState } from './form-values.ts';

export interface PermittedHere {
  readonly update: boolean;
  /** Whether all rows of the version may be deleted: of types without locales it is the document. */
  readonly delete: boolean;
  /** Whether the document may be deleted with all its versions, those that are not shown among them. */
  readonly deleteAll: boolean;
  readonly publish: boolean;
}

/** Of a version that is not there. */
export const NOTHING_HERE: PermittedHere = { update: false, delete: false, deleteAll: false, publish: false };

type Context = StateContext & Pick<EditingRooms, 'database' | 'writer'>;

type Deleting = Pick<Context, 'database' | 'reader' | 'writer'>;

/**
 * Whether some documents may be deleted with all their versions, those that are not shown among them.
 *
 * @param viewer who would delete them.
 */
export function mayDeleteWhole(
  context: Deleting,
  viewer: Viewer,
  type: ContentType,
  documentIds: readonly string[],
): Promise<boolean> {
  return mayDeleteRows(context, viewer, type, documentIds, () => true);
}

async function mayDeleteRows(
  { database, reader, writer }: Deleting,
  viewer: Viewer,
  type: ContentType,
  documentIds: readonly string[],
  isMeant: (row: DocumentRow) => boolean,
): Promise<boolean> {
  if (!viewer.view.may(`${type.uid}.delete`)) return false;
  const shown = reader.shown(database, viewer);
  if (shown.areAll(type)) return true;
  const rows = (await rowsOfSome(writer.reading(database), type, documentIds)).filter(isMeant);
  return (await shown.writable(type, rows)).length === rows.length;
}

/**
 * Asks it of a version that is shown.
 *
 * @param editor the administrator for each operation.
 * @param states those of all versions that are shown, by locale.
 * @param locale null on types without locales.
 */
export async function permittedHere(
  context: Context,
  editor: (operation: Operation) => Viewer,
  type: ContentType,
  {
    documentId,
    states,
    locale,
  }: {
    readonly documentId: string;
    readonly states: Readonly<Record<string, DocumentState>>;
    readonly locale: string | null;
  },
): Promise<PermittedHere> {
  const shown = Object.keys(states);
  /** The locales of those versions that an operation may be performed on. */
  const reached = async (operation: 'update' | 'delete' | 'publish'): Promise<readonly string[]> => {
    const viewer = editor(operation);
    if (!viewer.view.may(`${type.uid}.${operation}`)) return [];
    const { written } = viewer.view;
    if (!written.rows.byType.has(type.uid)) return shown;
    const own = await statesOf(context, { ...viewer, view: written }, type, documentId);
    return shown.filter((code) => Object.hasOwn(own, code));
  };
  const isHere = (locales: readonly string[]): boolean => locales.includes(locale ?? '');
  const deletes = isHere(await reached('delete'));
  const mayDelete = (isMeant: (row: DocumentRow) => boolean): Promise<boolean> =>
    mayDeleteRows(context, editor('delete'), type, [documentId], isMeant);
  return {
    update: isHere(await reached('update')),
    delete: deletes && (await mayDelete((row) => inLocale(row, type, locale))),
    deleteAll: deletes && (await mayDelete(() => true)),
    publish: isHere(await reached('publish')),
  };
}
