/** What happens next to the documents of a list: scheduled actions, and those of releases that have not run. */
import { statesOf } from '../../content/administration/lists.ts';
import { localizedAction, releasesOf } from '../../releases/releases.ts';
import { listItems } from '../../schedule/items.ts';
import { MOST_OF_DOCUMENT, subjectOf } from '../../schedule/scheduled-documents.ts';
import type { HttpContext } from '../routes/context.ts';
import { paramsOf } from '../routes/routes.ts';
import type { AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData, timeOf } from './answers.ts';
import { bulkBody } from './bulk-body.ts';
import { editingServices } from './editing.ts';
import { mayAct } from './settings-rights.ts';
import { shownType } from './shown-type.ts';

export function plannedRoutes(context: HttpContext): AdminRoute[] {
  const { catalog, database, locales } = context;
  const { reader } = editingServices(context);
  /** What is planned for the documents of a list that the administrator is shown. */
  const planned: AdminHandler = async (call) => {
    const type = shownType(context, call);
    const { documentIds } = bulkBody({ documentIds: [paramsOf(call.request)['documentId']].flat() });
    const targets = { types: [type.uid], targets: documentIds, states: ['waiting'] as const };
    const items = await listItems(database, { ...targets, most: MOST_OF_DOCUMENT * documentIds.length });
    const mayRead = mayAct(call, 'plugin::content-releases.read');
    const holding = mayRead ? await releasesOf(database, type.uid, documentIds) : [];
    const first = await locales.default();
    const found = [
      ...items.map((item) => ({ documentId: item.target, ...subjectOf(item), at: item.dueAt, release: null })),
      ...holding.map(({ id, name, scheduledAt, action: held }) => {
        const { type: action, documentId, locale } = localizedAction(catalog, held, first);
        const at = scheduledAt;
        return { documentId: documentId!, action, locale: locale && [locale], at, release: { id, name } };
      }),
    ];
    const ids = new Set(found.map(({ documentId }) => documentId));
    const shown = await statesOf(reader, type, call.viewer('read'), [...ids]);
    const data = found
      .filter(({ documentId, locale }) => {
        const versions = shown.get(documentId);
        return versions && (!Array.isArray(locale) || locale.some((code) => versions[code] !== undefined));
      })
      .sort((a, b) => (a.at ?? Number.MAX_VALUE) - (b.at ?? Number.MAX_VALUE));
    return sendData(
      call.reply,
      data.map((one) => ({ ...one, at: timeOf(one.at) })),
    );
  };
  return [{ path: '/planned/:uid', methods: { GET: planned } }];
}
