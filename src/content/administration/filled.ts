/** A version's values, prepared for another locale. */
import type { View, Viewer } from '../../access/view.ts';
import { notFound } from '../../errors.ts';
import { type ContentType, type Model, modelOf } from '../../schema/catalog.ts';
import type { EditedDocument, EditingContext } from './edited-documents.ts';
import { type LinkedDocument, type Values, withoutIds } from './form-values.ts';

/** Links that are taken of each list. */
export const FILLED = 1000;
/** Documents that one statement looks up. */
const TOGETHER = 100;

export interface Filled {
  readonly values: Values;
  /** Links to documents without a version in the other locale, and links of a list beyond `FILLED`. */
  readonly leftOut: number;
}

/**
 * The localized values of a version, for its version in another locale: components without their ids, and only links to
 * documents that have a version in that locale, or have no locales.
 *
 * @param version with the first `FILLED` links of each list.
 * @throws ContentError 404 for a missing version.
 */
export async function filledFrom(
  { reader }: Pick<EditingContext, 'reader'>,
  viewer: Viewer,
  type: ContentType,
  { draft, counts }: EditedDocument,
  locale: string,
): Promise<Filled> {
  if (!draft) throw notFound();
  const { view } = viewer;
  const own = Object.entries(draft).filter(([name]) => type.attributes.get(name)?.localized === true);
  const values = withoutIds(view, type, Object.fromEntries(own));
  const wanted: LinkedDocument[] = [];
  eachLink(view, type, values, (linked) => {
    if (linked.locale !== null) wanted.push(linked);
    return linked;
  });
  const targets = new Map<string, number>();
  for (const [uid, ofType] of Map.groupBy(wanted, (linked) => linked.type)) {
    const target = view.catalog.contentTypes.get(uid)!;
    const ids = [...new Set(ofType.map(({ documentId }) => documentId))];
    for (let from = 0; from < ids.length; from += TOGETHER) {
      const params = { filters: { documentId: { $in: ids.slice(from, from + TOGETHER) } }, fields: ['documentId'] };
      const page = { mode: 'offset', offset: 0, limit: TOGETHER, withCount: false } as const;
      const { data } = await reader.list(target, viewer, { ...params, status: 'draft', locale }, { page });
      for (const { id, documentId } of JSON.parse(data) as { id: number; documentId: string }[]) {
        targets.set(`${uid} ${documentId}`, id);
      }
    }
  }
  const isOwn = (path: string) => type.attributes.get(path.split('.')[0]!)?.localized === true;
  const unread = Object.entries(counts).filter(([path]) => isOwn(path));
  let leftOut = unread.reduce((sum, [, count]) => sum + count - FILLED, 0);
  const filled = eachLink(view, type, values, (linked) => {
    if (linked.locale === null) return linked;
    const id = targets.get(`${linked.type} ${linked.documentId}`);
    if (id === undefined) leftOut += 1;
    return id === undefined ? undefined : { ...linked, id, locale };
  });
  return { values: filled, leftOut };
}

/** The values with each link replaced; undefined leaves it out. */
function eachLink(
  view: View,
  model: Model,
  values: Values,
  replace: (linked: LinkedDocument) => LinkedDocument | undefined,
): Values {
  const inside = (uid: string, value: unknown): unknown =>
    value === null ? null : eachLink(view, modelOf(view.catalog, uid), value as Values, replace);
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const attribute = model.attributes.get(name);
      switch (attribute?.type) {
        case 'relation': {
          const links = value as readonly LinkedDocument[];
          return [name, links.flatMap((linked) => replace(linked) ?? [])];
        }
        case 'component': {
          const { component } = attribute;
          return [name, Array.isArray(value) ? value.map((one) => inside(component, one)) : inside(component, value)];
        }
        case 'dynamiczone': {
          const parts = value as readonly Values[];
          return [name, parts.map((part) => inside(String(part['__component']), part))];
        }
        default:
          return [name, value];
      }
    }),
  );
}
