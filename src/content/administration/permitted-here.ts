/** What somebody may do to one version of a document: of a type they may be permitted to do more, to other documents. */
import type { Operation } from '../../access/administrator-rights.ts';
import type { Viewer } from '../../access/view.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { type StateContext, statesOf } from './document-states.ts';

export interface PermittedHere {
  readonly update: boolean;
  readonly delete: boolean;
  readonly publish: boolean;
}

/** Of a version that is not there. */
export const NOTHING_HERE: PermittedHere = { update: false, delete: false, publish: false };

/**
 * Asks it of a version that is shown.
 *
 * @param editor the administrator for each operation.
 * @param locale null on types without locales.
 */
export async function permittedHere(
  context: StateContext,
  editor: (operation: Operation) => Viewer,
  type: ContentType,
  documentId: string,
  locale: string | null,
): Promise<PermittedHere> {
  const may = async (operation: keyof PermittedHere): Promise<boolean> => {
    const viewer = editor(operation);
    if (!viewer.view.may(`${type.uid}.${operation}`)) return false;
    const { written } = viewer.view;
    if (!written.rows.byType.has(type.uid)) return true;
    const states = await statesOf(context, { ...viewer, view: written }, type, documentId);
    return Object.hasOwn(states, locale ?? '');
  };
  return { update: await may('update'), delete: await may('delete'), publish: await may('publish') };
}
