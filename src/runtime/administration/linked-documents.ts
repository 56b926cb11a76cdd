/**
 * Linked documents in the answers for an administrator: of those that the project's code hides, only the identity is shown.
 */
import { type Catalog, type ContentType, type Model, modelOf } from '../../schema/catalog.ts';
import { isPlain } from '../documents/plain-params.ts';

type Values = Record<string, unknown>;

/** A document within another one, as it was read there: it is changed in its place. */
export interface LinkedDocument {
  readonly type: ContentType;
  readonly values: Values;
}

/** Attributes that are not content of a document. */
const KEPT: ReadonlySet<string> = new Set(['id', 'documentId', '__type', 'locale', 'updatedAt']);
/** Whether a read of the document alone leaves the attribute out, so that code does not see it. */
function isPart(type: ContentType, name: string): boolean {
  return ['component', 'dynamiczone', 'media'].includes(type.attributes.get(name)?.type ?? '');
}

/** Documents that are read at once. */
const TOGETHER = 100;

/** The linked documents, at any depth, of types whose reads run code. */
export function linkedWithin(
  catalog: Catalog,
  model: Model,
  read: unknown,
  isAround: (type: ContentType) => boolean,
  found: LinkedDocument[] = [],
): readonly LinkedDocument[] {
  for (const values of [read].flat()) {
    if (!isPlain(values)) continue;
    for (const attribute of model.attributes.values()) {
      for (const part of [values[attribute.name]].flat()) {
        if (!isPlain(part)) continue;
        const within = (inner: Model): unknown => linkedWithin(catalog, inner, part, isAround, found);
        if (attribute.type === 'component') within(modelOf(catalog, attribute.component));
        if (attribute.type === 'dynamiczone') within(modelOf(catalog, String(part['__component'])));
        const target = attribute.type === 'relation' ? (attribute.target ?? part['__type']) : undefined;
        const type = typeof target === 'string' ? catalog.contentTypes.get(target) : undefined;
        if (!type) continue;
        if (isAround(type) && typeof part['documentId'] === 'string') found.push({ type, values: part });
        within(type);
      }
    }
  }
  return found;
}

/**
 * Replaces linked documents by the ones that code returns, and empties those that it hides.
 *
 * @param read reads documents of a type by their ids as lists do, in all locales, with the code around it.
 */
export async function throughCode(
  linked: readonly LinkedDocument[],
  read: (type: ContentType, documentIds: readonly string[]) => Promise<readonly Values[]>,
): Promise<void> {
  for (const [type, ofType] of Map.groupBy(linked, (one) => one.type)) {
    const ids = [...new Set(ofType.map(({ values }) => String(values['documentId'])))];
    const rows = new Map<unknown, Values>();
    for (let from = 0; from < ids.length; from += TOGETHER) {
      for (const row of await read(type, ids.slice(from, from + TOGETHER))) rows.set(row['id'], row);
    }
    for (const { values } of ofType) {
      const row = rows.get(values['id']);
      for (const name of Object.keys(values)) {
        // linked documents are visited separately
        if (KEPT.has(name) || (row && type.attributes.get(name)?.type === 'relation')) continue;
        if (row && Object.hasOwn(row, name) && !isPart(type, name)) values[name] = row[name];
        else delete values[name];
      }
    }
  }
}
