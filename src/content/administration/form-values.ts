/** The values of a version for a form: everything in it, with the names of the documents that it links. */
import type { View } from '../../access/view.ts';
import type { RawObject, RawValue } from '../../query/params.ts';
import { attributeOf, CREATORS, isToMany, type Model, modelOf } from '../../schema/catalog.ts';
import type { OneText } from '../reading/answers.ts';
import type { ReadOptions } from '../reading/reader.ts';
import type { MainFieldOf } from './arrangement.ts';

/** A document that is linked, or can be. */
export interface LinkedDocument {
  readonly type: string;
  readonly id: number;
  readonly documentId: string;
  readonly locale: string | null;
  /** The value of the field that names documents of the type; null if it has none. */
  readonly label: string | null;
  /** Filled in when the documents of a type are looked up together. */
  state: DocumentState | null;
}

export type DocumentState = 'draft' | 'published' | 'modified';

export type Values = Readonly<Record<string, unknown>>;

/** The author of a document. */
export interface Person {
  readonly id: number;
  readonly name: string;
}

/** The name of a document, by the value of the field that names it; null if it has none. */
export const labelOf = (value: unknown): string | null =>
  value === null || value === undefined || value === '' ? null : String(value);

/** Links that one list shows at first. */
export const LINKED = 25;
/** Levels of components that are shown: deeper ones cannot be written either. */
const DEPTH = 12;

const PERSON_FIELDS = ['firstname', 'lastname', 'username'];

/** The `fields` of a linked document. */
export function linkedFields(model: Model, mainFieldOf: MainFieldOf): string[] {
  const localized = model.modelType === 'contentType' && model.localized;
  return ['documentId', mainFieldOf(model), 'updatedAt', ...(localized ? ['locale'] : [])];
}

/**
 * The `populate` of everything in a model's documents that a View shows.
 *
 * @param counts whether lists of relations are counted instead of read, and nothing else is read.
 */
export function formPopulate(view: View, model: Model, mainFieldOf: MainFieldOf, counts = false, depth = 0): RawObject {
  const populate: RawObject = {};
  if (depth > DEPTH) return populate;
  const inside = (component: Model): RawObject => ({
    ...(counts ? { fields: ['id'] } : {}),
    populate: formPopulate(view, component, mainFieldOf, counts, depth + 1),
  });
  for (const name of view.of(model).populatable) {
    const attribute = attributeOf(model, name);
    if (!attribute) continue;
    if (CREATORS.includes(name) && !model.attributes.has(name)) {
      if (!counts) populate[name] = { fields: PERSON_FIELDS };
      continue;
    }
    switch (attribute.type) {
      case 'media':
        if (!counts) populate[name] = true;
        break;
      case 'relation':
        if (counts) {
          if (isToMany(model, name)) populate[name] = { count: true };
        } else if (attribute.target !== undefined) {
          populate[name] = { fields: linkedFields(modelOf(view.catalog, attribute.target), mainFieldOf) };
        } else {
          const fields = (type: Model): RawValue => ({ fields: linkedFields(type, mainFieldOf) });
          populate[name] = { on: Object.fromEntries(view.types.map((type) => [type.uid, fields(type)])) };
        }
        break;
      case 'component':
        populate[name] = inside(view.into(model, attribute));
        break;
      case 'dynamiczone':
        populate[name] = {
          on: Object.fromEntries(attribute.components.map((uid) => [uid, inside(modelOf(view.catalog, uid))])),
        };
    }
  }
  return populate;
}

/** Links and shortened lists that were met in a version. */
export interface FoundLinks {
  readonly links: { readonly linked: LinkedDocument; readonly updatedAt: string }[];
  /** Lists of relations of which only the first are there. */
  readonly cut: (readonly (string | number)[])[];
  /** Links that are taken of each list; `LINKED` when left out. */
  readonly most?: number;
}

/**
 * The values of a version for a form, from the values that were read.
 *
 * @param found receives the links and the shortened lists.
 */
export function formValues(
  view: View,
  model: Model,
  read: Values,
  mainFieldOf: MainFieldOf,
  found: FoundLinks,
  path: readonly (string | number)[] = [],
): Values {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(read)) {
    const attribute = model.attributes.get(name);
    const here = [...path, name];
    const inside = (component: Model, part: unknown, at: readonly (string | number)[]): unknown =>
      part === null ? null : formValues(view, component, part as Values, mainFieldOf, found, at);
    switch (attribute?.type) {
      case 'media':
        values[name] = listed(value);
        break;
      case 'relation': {
        const all = listed(value);
        const { most = LINKED } = found;
        if (all.length > most) found.cut.push(here);
        values[name] = all.slice(0, most).map((document) => {
          const type = modelOf(view.catalog, attribute.target ?? String(document['__type']));
          return linkedDocument(type, document, mainFieldOf, found);
        });
        break;
      }
      case 'component': {
        const component = modelOf(view.catalog, attribute.component);
        values[name] = Array.isArray(value)
          ? value.map((part, n) => inside(component, part, [...here, n]))
          : inside(component, value, here);
        break;
      }
      case 'dynamiczone':
        values[name] = listed(value).map((part, n) =>
          inside(modelOf(view.catalog, String(part['__component'])), part, [...here, n]),
        );
        break;
      default:
        if (path.length > 0 || !TOLD_BESIDE.has(name) || attribute) values[name] = value;
    }
  }
  return values;
}

/** Values that an answer contains next to the form values. */
const TOLD_BESIDE: ReadonlySet<string> = new Set(['documentId', 'locale', ...CREATORS]);

/** A linked document, as an answer shows it. */
export function linkedDocument(
  type: Model,
  read: Values,
  mainFieldOf: MainFieldOf,
  { links }: FoundLinks,
): LinkedDocument {
  const { id, documentId, locale = null, updatedAt } = read;
  const label = read[mainFieldOf(type)];
  const linked: LinkedDocument = {
    type: type.uid,
    id: Number(id),
    documentId: String(documentId),
    locale: locale === null ? null : String(locale),
    label: labelOf(label),
    state: null,
  };
  links.push({ linked, updatedAt: String(updatedAt) });
  return linked;
}

/** The values without the ids of components, which another row does not have. */
export function withoutIds(view: View, model: Model, values: Values): Values {
  const part = (component: Model, value: unknown): unknown => {
    if (value === null || typeof value !== 'object') return value;
    const { id: _id, ...rest } = value as Values;
    return withoutIds(view, component, rest);
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const attribute = model.attributes.get(name);
      if (attribute?.type === 'component') {
        const component = modelOf(view.catalog, attribute.component);
        return [name, Array.isArray(value) ? value.map((one) => part(component, one)) : part(component, value)];
      }
      if (attribute?.type === 'dynamiczone') {
        const parts = value as readonly Values[];
        return [name, parts.map((one) => part(modelOf(view.catalog, String(one['__component'])), one))];
      }
      return [name, value];
    }),
  );
}

/** The author of something, by name; null for an unknown one. */
export function personOf(read: unknown): Person | null {
  if (typeof read !== 'object' || read === null) return null;
  const { id, firstname, lastname, username } = read as Values;
  const whole = [firstname, lastname].filter((part) => typeof part === 'string' && part !== '').join(' ');
  return { id: Number(id), name: whole || String(username ?? '') || `#${id}` };
}

/** The author of something, from the columns of an administrator; null if there is none. */
export function personOfRow([id, firstname, lastname, username]: readonly unknown[]): Person | null {
  return id === null ? null : personOf({ id, firstname, lastname, username });
}

/** A relation, media or zone as a list, whether it may have one or many. */
const listed = (value: unknown): readonly Values[] =>
  Array.isArray(value)
    ? value.filter((item) => item !== null)
    : value === null || value === undefined
      ? []
      : [value as Values];

/** By dotted path of the list. */
type Counts = Readonly<Record<string, number>>;

/**
 * Counts the links of the shortened lists, and how many of them lead to documents that are not published.
 *
 * @param read reads the version with counts in place of its lists.
 */
export async function linkCounts(
  { cut, most = LINKED }: FoundLinks,
  status: 'draft' | 'published',
  read: (options?: ReadOptions) => Promise<OneText | undefined>,
): Promise<{ readonly counts: Counts; readonly draftCounts: Counts }> {
  if (cut.length === 0) return { counts: {}, draftCounts: {} };
  const countsIn = async (least: number, options?: ReadOptions): Promise<Counts> => {
    const counted = await read(options);
    const parts = counted && (JSON.parse(counted.data) as Values);
    return Object.fromEntries(cut.map((path) => [path.join('.'), countAt(parts, path, least)]));
  };
  const counts = await countsIn(most);
  // a published version links published documents only, and documents without drafts count as published
  const onSite = status === 'published' ? counts : await countsIn(0, { linkedCohort: 'has-published-version' });
  const drafts = Object.entries(counts).map(([path, count]) => [path, Math.max(0, count - onSite[path]!)] as const);
  return { counts, draftCounts: Object.fromEntries(drafts) };
}

/** The count at a path. If the document has changed in between, the number of links that are shown. */
function countAt(read: unknown, path: readonly (string | number)[], shown: number): number {
  const at = path.reduce<unknown>((value, key) => (value as Values | undefined | null)?.[key], read);
  const { count } = (at ?? {}) as { readonly count?: number };
  return count ?? shown;
}
