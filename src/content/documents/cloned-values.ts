/**
 * A version of a document as the data of another one: the values that its viewer is shown and may write. Exclusive
 * links stay with the original, and so do links that the other side stores.
 */
import type { View, Viewer } from '../../access/view.ts';
import { isObject } from '../../plain-values.ts';
import { isExclusive } from '../../plan/link-place.ts';
import type { WrittenData } from '../../query/body.ts';
import type { RawObject, RawValue } from '../../query/params.ts';
import {
  type Attribute,
  type Catalog,
  type ContentType,
  isScalar,
  type Model,
  modelOf,
  type RelationAttribute,
  type ScalarAttribute,
} from '../../schema/catalog.ts';
import type { Reader } from '../reading/reader.ts';
import type { DocumentRow } from '../rows/document-rows.ts';
import { layoutOfModel, type ReadContext } from '../rows/write-context.ts';
import { KeptHash } from '../validation/validate.ts';

type Nested = Exclude<Attribute, ScalarAttribute>;
type Values = Readonly<Record<string, unknown>>;

/** Levels of components that are copied: deeper ones cannot be written either. */
const DEPTH = 20;

/**
 * The data of a version.
 *
 * @param longest bytes that it may have.
 * @param isNamed whether entries of components have their ids.
 * @returns undefined where the viewer is not shown it.
 */
export async function clonedValues(
  reader: Reader,
  { type, viewer, documentId }: { readonly type: ContentType; readonly viewer: Viewer; readonly documentId: string },
  { published, locale }: Pick<DocumentRow, 'published' | 'locale'>,
  longest: number,
  isNamed = false,
): Promise<WrittenData | undefined> {
  const version = { status: published ? 'published' : 'draft', ...(locale === null ? {} : { locale }) };
  const params = { ...selection(viewer.view, type, 0), ...version };
  const document = await reader.one(type, viewer, params, { kind: 'document', documentId }, { longest });
  return document && dataOf({ view: viewer.view, isNamed }, type, JSON.parse(document.data) as Values);
}

/** `fields` and `populate` of the copied part of a model. */
function selection(view: View, model: Model, depth: number): RawObject {
  const { readable, populatable, writable } = view.of(model);
  const fields = readable.filter((name) => writable.has(name));
  const populate: RawObject = {};
  for (const name of populatable) {
    const attribute = writable.has(name) ? model.attributes.get(name) : undefined;
    const part = attribute && !isScalar(attribute) ? partOf(view, model, attribute, depth) : undefined;
    if (part) populate[name] = part;
  }
  return { fields: fields.length > 0 ? fields : ['id'], populate };
}

/** The part of the read for an attribute; undefined for an attribute that is not copied. */
function partOf(view: View, model: Model, attribute: Nested, depth: number): RawObject | undefined {
  if (depth > DEPTH) return undefined;
  const each = (models: readonly Model[], part: (one: Model) => RawValue) => ({
    on: Object.fromEntries(models.map((one) => [one.uid, part(one)])),
  });
  switch (attribute.type) {
    case 'media':
      return { fields: ['id'] };
    case 'component':
      return selection(view, view.into(model, attribute), depth + 1);
    case 'dynamiczone': {
      const models = attribute.components.map((uid) => modelOf(view.catalog, uid));
      return each(models, (one) => selection(view, one, depth + 1));
    }
    case 'relation': {
      if (!attribute.owner || isExclusive(attribute)) return undefined;
      const { target } = attribute;
      return target === undefined ? each(view.types, nameOf) : nameOf(modelOf(view.catalog, target));
    }
  }
}

/** The fields that name a linked document. */
const nameOf = (model: Model): RawObject => {
  const isLocalized = model.modelType === 'contentType' && model.localized;
  return { fields: ['documentId', ...(isLocalized ? ['locale'] : [])] };
};

interface Copying {
  readonly view: View;
  readonly isNamed: boolean;
}

/** The values read of a model, as data. */
function dataOf(copying: Copying, model: Model, read: Values): WrittenData {
  const data: Record<string, unknown> = copying.isNamed && model.modelType === 'component' ? { id: read['id'] } : {};
  for (const [name, value] of Object.entries(read)) {
    const attribute = name === 'id' ? undefined : model.attributes.get(name);
    if (!attribute) continue;
    if (isScalar(attribute)) data[name] = value;
    // nothing says nothing
    else if (value !== null) data[name] = nestedOf(copying, model, attribute, value);
  }
  return data;
}

function nestedOf(copying: Copying, model: Model, attribute: Nested, value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.flatMap((one) => (one === null ? [] : [nestedOf(copying, model, attribute, one)]));
  }
  const one = value as Values;
  const { view } = copying;
  switch (attribute.type) {
    case 'media':
      return one['id'];
    case 'relation':
      return linkTo(attribute, one);
    case 'component':
      return dataOf(copying, view.into(model, attribute), one);
    case 'dynamiczone': {
      const { __component: uid } = one;
      return { __component: uid, ...dataOf(copying, modelOf(view.catalog, String(uid)), one) };
    }
  }
}

function linkTo({ target }: RelationAttribute, { documentId, locale, __type }: Values): Values {
  return {
    documentId,
    ...(typeof locale === 'string' ? { locale } : {}),
    ...(target === undefined ? { __type } : {}),
  };
}

type Entry = Readonly<Record<string, unknown>>;
/** The hashes of an entry's passwords by their attributes. */
type Hashes = Readonly<Record<string, KeptHash | null>>;

/**
 * The data of a copy. Its entries have no ids, since the copy gets its own, and have the passwords of the entries that
 * they are copied from.
 *
 * @param copied the data that project code was shown.
 * @param data the data that project code returned; its passwords are used.
 */
export async function withPasswords(
  context: ReadContext,
  type: ContentType,
  copied: WrittenData,
  data: WrittenData,
): Promise<WrittenData> {
  const shown = entriesOf(context.catalog, type, copied);
  const queries = [...entriesOf(context.catalog, type, data)].flatMap(([component, ids]) => {
    const passwords = context.plans.index.passwords(component.uid);
    const shownIds = [...ids].filter((id) => shown.get(component)?.has(id));
    return passwords.length > 0 && shownIds.length > 0 ? [{ component, passwords, known: shownIds }] : [];
  });
  const hashes = new Map<Model, Map<number, Hashes>>();
  for (const { component, passwords, known } of queries) {
    const { table, columns } = layoutOfModel(context, component);
    const names = passwords.map(({ name }) => columns.get(name)!);
    const rows = await context.tables.select(table, ['id', ...names], { id: known });
    const ofComponent = rows.map(([id, ...values]) => {
      const own = passwords.map(({ name }, n) => [name, values[n] ? new KeptHash(String(values[n])) : null]);
      return [Number(id), Object.fromEntries(own) as Hashes] as const;
    });
    hashes.set(component, new Map(ofComponent));
  }
  return eachEntry(context.catalog, type, data, (component, { id, ...entry }) => {
    const own = Object.entries(hashes.get(component)?.get(id as number) ?? {});
    return { ...entry, ...Object.fromEntries(own.filter(([name]) => entry[name] === undefined)) };
  });
}

/** The ids of the entries in data, by their components. */
function entriesOf(catalog: Catalog, type: ContentType, data: WrittenData): Map<Model, Set<number>> {
  const byComponent = new Map<Model, Set<number>>();
  eachEntry(catalog, type, data, (component, entry) => {
    const { id } = entry;
    if (typeof id !== 'number') return entry;
    const ids = byComponent.get(component) ?? new Set();
    byComponent.set(component, ids.add(id));
    return entry;
  });
  return byComponent;
}

/** Data with each entry replaced, inner entries first. */
function eachEntry(
  catalog: Catalog,
  model: Model,
  data: Entry,
  createEntry: (component: Model, entry: Entry) => Entry,
): Entry {
  const inside = (component: Model | undefined, entry: unknown): unknown =>
    component && isEntry(entry) ? createEntry(component, eachEntry(catalog, component, entry, createEntry)) : entry;
  const values = Object.entries(data).map(([name, value]) => {
    const attribute = model.attributes.get(name);
    const into = (entry: unknown): unknown => {
      if (attribute?.type === 'component') return inside(catalog.components.get(attribute.component), entry);
      if (attribute?.type !== 'dynamiczone' || !isEntry(entry)) return entry;
      return inside(catalog.components.get(String(entry['__component'])), entry);
    };
    return [name, Array.isArray(value) ? value.map(into) : into(value)];
  });
  return Object.fromEntries(values);
}

const isEntry = (value: unknown): value is Entry => isObject(value) && !(value instanceof KeptHash);
