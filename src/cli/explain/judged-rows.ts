/** Which conditions of rules of access a document meets. */

import type { ActionRoute } from '../../access/actions.ts';
import { ACCESS_ACTIONS, type AccessAction } from '../../access/grants.ts';
import type { Viewer } from '../../access/view.ts';
import type { App } from '../../app.ts';
import { readRows, singleDocumentId } from '../../content/rows/document-rows.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { type ExplainedRequest, parameterOf } from './request.ts';

/** A request for a document, with its caller. */
export interface Judged {
  readonly route: ActionRoute;
  readonly request: ExplainedRequest;
  readonly type: ContentType;
  readonly viewer: Viewer;
}

/**
 * Says of each rule on rows whether the document that a request names meets it, as it is now; nothing where it names
 * none that is there.
 */
export async function judgedRows(
  { writer, reader, database, config }: App,
  { route, request, type, viewer }: Judged,
): Promise<ReadonlyMap<AccessAction, string>> {
  const context = writer.reading(database);
  const named = parameterOf(route, config.rest.prefix, request, ':documentId');
  const documentId = type.kind === 'singleType' ? await singleDocumentId(context, type) : named;
  if (documentId === undefined) return new Map();
  const { rows } = await readRows(context, type, documentId);
  if (rows.length === 0) return new Map();
  const outcomes = new Map<AccessAction, string>();
  const { view, values } = viewer;
  for (const action of ACCESS_ACTIONS) {
    const acting = action === 'find' ? view : view.acting(action).written;
    const hidden = await reader.shown(database, { view: acting, values }).hidden(type, rows);
    const met = rows.length - hidden.size;
    const some = met === 0 ? 'not met' : met === rows.length ? 'met' : `met by ${met} of ${rows.length} versions`;
    outcomes.set(action, `${some} ${met === 0 || met === rows.length ? 'by this document' : 'of this document'}`);
  }
  return outcomes;
}
