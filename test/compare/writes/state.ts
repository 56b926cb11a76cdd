/** What is stored, as either side reads it: whole documents in every status and locale, by name. */
import { isDeepStrictEqual } from 'node:util';
import { fieldsOf } from '../../../src/access/fields.ts';
import { type Catalog, type ContentType, type Model, modelOf } from '../../../src/schema/catalog.ts';
import { pathOf, typesOf } from '../samples.ts';
import type { Side } from '../servers.ts';
import type { Names } from './names.ts';

type Row = Readonly<Record<string, unknown>>;

/** A row as it is read, with everything that it holds and links. */
export interface Stored {
  readonly content: Row;
  /** As the server tells it. */
  readonly updatedAt: string;
}

/** Rows by `uid document status locale`; where a type is not localized, the locale is `-`. */
export type State = ReadonlyMap<string, Stored>;

export const keyOf = (uid: string, document: string, status: string, locale: string | undefined): string =>
  `${uid} ${document} ${status} ${locale ?? '-'}`;

/** Documents are asked for in groups, since a list has 100 values at most. */
const AT_ONCE = 100;

/** Parameters that populate everything in a model down to the names of linked documents. */
export function fullPopulate(catalog: Catalog, model: Model, path: string): string[] {
  return fieldsOf(model, false).populatable.flatMap((name): string[] => {
    const attribute = model.attributes.get(name);
    const at = `${path}[${name}]`;
    switch (attribute?.type) {
      case 'media':
        return [`${at}[fields][0]=name`];
      case 'component': {
        const inner = fullPopulate(catalog, modelOf(catalog, attribute.component), `${at}[populate]`);
        return inner.length > 0 ? inner : [`${at}=true`];
      }
      case 'dynamiczone':
        return attribute.components.flatMap((uid) => {
          const inner = fullPopulate(catalog, modelOf(catalog, uid), `${at}[on][${uid}][populate]`);
          return inner.length > 0 ? inner : [`${at}[on][${uid}]=true`];
        });
      case 'relation': {
        if (attribute.target === undefined) return [`${at}=true`];
        const target = modelOf(catalog, attribute.target) as ContentType;
        const fields = ['documentId', 'publishedAt', ...(target.localized ? ['locale'] : [])];
        return fields.map((field, index) => `${at}[fields][${index}]=${field}`);
      }
      default:
        return [];
    }
  });
}

/** One of the servers, and what documents are called there. */
export interface Actor {
  readonly side: Side;
  readonly names: Names;
  /** Times from here on are the server's own, and masked. */
  readonly since: string;
}

/** Reads documents in every status and locale: those named for their types, or all. */
export async function readState(
  catalog: Catalog,
  actor: Actor,
  wanted: ReadonlyMap<string, ReadonlySet<string>> | undefined,
): Promise<State> {
  const state = new Map<string, Stored>();
  for (const type of typesOf(catalog)) {
    const documents = wanted?.get(type.uid);
    if (wanted !== undefined && documents === undefined) continue;
    for (const status of type.draftAndPublish ? ['draft', 'published'] : ['published']) {
      for (const row of await rowsOf(catalog, actor, type, status, documents)) {
        const { documentId, locale, updatedAt } = row as { documentId: string; locale?: string; updatedAt: string };
        state.set(keyOf(type.uid, documentId, status, locale), { content: masked(row, actor.since) as Row, updatedAt });
      }
    }
  }
  return state;
}

async function rowsOf(
  catalog: Catalog,
  { side, names }: Actor,
  type: ContentType,
  status: string,
  documents: ReadonlySet<string> | undefined,
): Promise<Row[]> {
  const params = [`status=${status}`, ...fullPopulate(catalog, type, 'populate')];
  const read = async (more: readonly string[]) => {
    const answer = names.named(await side.send({ method: 'GET', path: pathOf(type), params: [...params, ...more] }));
    if (answer.status === 404) return [];
    if (answer.status !== 200) throw new Error(`${side.name} cannot read ${type.uid}: ${JSON.stringify(answer)}`);
    return [(answer.body as { data: Row | Row[] }).data].flat();
  };
  if (type.kind === 'singleType') {
    const locales = type.localized ? ['en', 'fr', 'de'] : [undefined];
    return (await Promise.all(locales.map((locale) => read(locale === undefined ? [] : [`locale=${locale}`])))).flat();
  }
  const list = ['locale=*', 'pagination[pageSize]=100'];
  if (documents === undefined) return read(list);
  const ids = [...documents].map((name) => names.idOf(name)).slice(0, AT_ONCE);
  return read([...list, ...ids.map((id, index) => `filters[documentId][$in][${index}]=${id}`)]);
}

/** Makes both sides' answers alike in what each draws by itself: row ids, and times since the episode began. */
export function masked(value: unknown, since: string, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item, since));
  if (typeof value === 'string') return /^(created|updated|published)At$/.test(key) && value >= since ? 'now' : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      if (name === 'hint') return [];
      if (name === 'id' && typeof item === 'number') return [[name, 'row']];
      return [[name, masked(item, since, name)]];
    }),
  );
}

/** A place where two states differ. */
export interface Gap {
  /** `uid document status locale`, or what of it both have. */
  readonly row: string;
  /** The attribute; undefined where the row is on one side only. */
  readonly attribute: string | undefined;
  readonly reference: unknown;
  readonly galley: unknown;
}

/** Every attribute of every row in which two masked states differ. */
export function gapsOf(reference: State, galley: State): Gap[] {
  const gaps: Gap[] = [];
  for (const row of new Set([...reference.keys(), ...galley.keys()])) {
    const [left, right] = [reference.get(row)?.content, galley.get(row)?.content];
    if (left === undefined || right === undefined) {
      gaps.push({ row, attribute: undefined, reference: left && 'there', galley: right && 'there' });
      continue;
    }
    for (const attribute of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const [a, b] = [left[attribute], right[attribute]];
      if (!isDeepStrictEqual(a, b)) gaps.push({ row, attribute, reference: a, galley: b });
    }
  }
  return gaps;
}
