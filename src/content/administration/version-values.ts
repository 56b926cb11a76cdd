/** The values of a recorded version for a form, with the present names of the documents and files that it links. */
import type { Viewer } from '../../access/view.ts';
import type { Page } from '../../query/page.ts';
import { type ContentType, FILE_UID } from '../../schema/catalog.ts';
import type { MainFields } from './arrangement.ts';
import { type EditingServices, fillStates } from './document-states.ts';
import { type FoundLinks, formValues, labelOf, linkedFields, type Values } from './form-values.ts';

/** Links and files that are looked up in one statement. */
const TOGETHER = 1000;
const ALL: Page = { mode: 'offset', offset: 0, limit: TOGETHER, withCount: false };

export interface VersionValuesContext extends Pick<EditingServices, 'database' | 'reader'> {
  readonly catalog: Parameters<typeof fillStates>[0]['catalog'];
  readonly mainFields: MainFields;
  /** Shows the files of media attributes, which need no right of their own. */
  readonly files: Viewer;
}

/**
 * The values of a version for a form. Linked documents and files that no longer exist, or that the viewer is not shown,
 * are left out.
 *
 * @param content what the viewer may see of the recorded content.
 */
export async function versionValues(
  context: VersionValuesContext,
  viewer: Viewer,
  type: ContentType,
  content: Values,
): Promise<Values> {
  const mainFieldOf = await context.mainFields.of(viewer.view);
  const found: FoundLinks = { links: [], cut: [], most: Number.MAX_SAFE_INTEGER };
  const values = formValues(viewer.view, type, content, mainFieldOf, found);
  const shown = await fillLabels(context, viewer, found, mainFieldOf);
  const { relations, media } = listsIn(context, type, values);
  for (const list of relations) list.splice(0, list.length, ...list.filter((linked) => shown.has(linked)));
  await fillFiles(context, media);
  return values;
}

/** Fills in the labels and states of linked documents that the viewer is shown, and returns these. */
async function fillLabels(
  context: VersionValuesContext,
  viewer: Viewer,
  found: FoundLinks,
  mainFieldOf: Awaited<ReturnType<MainFields['of']>>,
): Promise<ReadonlySet<unknown>> {
  const existing: FoundLinks['links'] = [];
  for (const [uid, links] of Map.groupBy(found.links, ({ linked }) => linked.type)) {
    const type = context.catalog.contentTypes.get(uid);
    if (!type) continue;
    const named = new Map<string, Values>();
    const ids = [...new Set(links.map(({ linked }) => linked.documentId))];
    for (let from = 0; from < ids.length; from += TOGETHER) {
      const filters = { documentId: { $in: ids.slice(from, from + TOGETHER) } };
      const query = { filters, fields: linkedFields(type, mainFieldOf), locale: '*', status: 'draft' };
      const { data } = await context.reader.list(type, viewer, query, { page: ALL });
      for (const one of JSON.parse(data) as Values[]) named.set(`${one['documentId']} ${one['locale'] ?? ''}`, one);
    }
    for (const { linked } of links) {
      const document = named.get(`${linked.documentId} ${linked.locale ?? ''}`);
      if (!document) continue;
      Object.assign(linked, { id: Number(document['id']), label: labelOf(document[mainFieldOf(type)]) });
      existing.push({ linked, updatedAt: String(document['updatedAt']) });
    }
  }
  await fillStates(context, viewer, { links: existing, cut: [] });
  return new Set(existing.map(({ linked }) => linked));
}

/** The lists of linked documents and of files in values, at any depth of components. */
function listsIn({ catalog }: VersionValuesContext, type: ContentType, values: Values) {
  const [relations, media]: [Values[][], Values[][]] = [[], []];
  const visit = (model: Parameters<typeof formValues>[1], part: Values): void => {
    for (const [name, value] of Object.entries(part)) {
      const attribute = model.attributes.get(name);
      if (attribute?.type === 'relation') relations.push(value as Values[]);
      if (attribute?.type === 'media') media.push(value as Values[]);
      if (attribute?.type !== 'component' && attribute?.type !== 'dynamiczone') continue;
      for (const entry of Array.isArray(value) ? (value as Values[]) : value === null ? [] : [value as Values]) {
        const uid = attribute.type === 'component' ? attribute.component : String(entry['__component']);
        const component = catalog.components.get(uid);
        if (component) visit(component, entry as Values);
      }
    }
  };
  visit(type, values);
  return { relations, media };
}

/** Puts the present files into lists of recorded ones. */
async function fillFiles({ catalog, reader, files }: VersionValuesContext, lists: readonly Values[][]): Promise<void> {
  const ids = [...new Set(lists.flat().map((file) => Number(file['id'])))].slice(0, TOGETHER);
  if (ids.length === 0) return;
  const type = catalog.contentTypes.get(FILE_UID)!;
  const { data } = await reader.list(type, files, { filters: { id: { $in: ids.map(String) } } }, { page: ALL });
  const present = new Map((JSON.parse(data) as Values[]).map((file) => [Number(file['id']), file]));
  for (const list of lists) {
    const existing = list.map((file) => present.get(Number(file['id']))).filter((file) => file !== undefined);
    list.splice(0, list.length, ...existing);
  }
}
