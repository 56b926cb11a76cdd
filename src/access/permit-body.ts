/** WrittenData × View → PermittedWrite: the caller may write every key. */
import { type ContentError, invalidKey } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { isObject } from '../plain-values.ts';
import type { WrittenData } from '../query/body.ts';
import {
  MAX_ENTRIES,
  parseMedia,
  parseRelation,
  type RelationEdit,
  type RelationEntry,
  tooManyEntries,
} from '../query/relation-payload.ts';
import {
  type ComponentAttribute,
  type ContentType,
  type DynamicZoneAttribute,
  isScalar,
  type Model,
  modelOf,
  type RelationAttribute,
} from '../schema/catalog.ts';
import type { PermittedWrite, WrittenComponents, WrittenEntry, WrittenRow } from './permitted.ts';
import type { View } from './view.ts';

interface Context {
  readonly view: View;
  /** Component and zone entries in the current attribute of the document, nested ones included. */
  entries: number;
}

/** Keys that are accepted without effect, as in Strapi. */
const IGNORED: ReadonlySet<string> = new Set(['publishedAt', 'locale']);
/** Keys whose errors have no path. */
const IDENTITY: ReadonlySet<string> = new Set(['id', 'documentId']);
/** Keys whose errors have the key as path. */
const SYSTEM: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'localizations']);
/** Nesting of components. */
const MAX_DEPTH = 20;

/**
 * Resolves the keys of a write. Private attributes and passwords are writable. A relation whose target the caller may
 * not find is not writable, whatever its value.
 *
 * @throws ContentError 400 invalid key, or a relation payload of the wrong form.
 */
export function permitBody(view: View, type: ContentType, data: WrittenData): PermittedWrite {
  return { type, row: permitRow({ view, entries: 0 }, type, data, []) } as unknown as PermittedWrite;
}

function permitRow(context: Context, model: Model, data: WrittenData, path: readonly string[]): WrittenRow {
  const scalars = new Map<string, unknown>();
  // most rows, especially of components, have none of these
  let relations: Map<string, RelationEdit> | undefined;
  let media: Map<string, readonly RelationEntry[]> | undefined;
  let components: Map<string, WrittenComponents> | undefined;
  const { view } = context;
  const { writable } = view.of(model);
  // no pair per key: a body may have tens of thousands of keys
  for (const key of Object.keys(data)) {
    const value = data[key];
    const attribute = model.attributes.get(key);
    if (path.length === 0) context.entries = 0;
    if (!attribute) {
      if (!isIgnored(model, key)) throw refuseKey(view, model, key, path);
    } else if (!writable.has(key)) throw invalidKey({ key, path: [...path, key].join('.'), source: 'body' });
    // only code can write this key, without a value
    else if (value === undefined) continue;
    else if (isScalar(attribute)) scalars.set(key, value);
    else if (attribute.type === 'media') {
      media ??= new Map();
      media.set(key, parseMedia(value, [...path, key].join('.'), view.fileKeys));
    } else if (attribute.type === 'relation') {
      relations ??= new Map();
      relations.set(key, permitRelation(context, attribute, value, [...path, key]));
    } else {
      components ??= new Map();
      components.set(key, permitComponents(context, model, attribute, value, [...path, key]));
    }
  }
  return {
    model: modelOf(view.catalog, model.uid),
    scalars,
    relations: relations ?? NONE,
    media: media ?? NONE,
    components: components ?? NONE,
  };
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

function isIgnored(model: Model, key: string): boolean {
  if (model.modelType === 'component') return key === 'id' || key === '__component';
  return IGNORED.has(key);
}

function refuseKey(view: View, model: Model, key: string, path: readonly string[]): ContentError {
  const hint = nearest(key, view.of(model).visible);
  if (path.length > 0) return invalidKey({ key, path: path.join('.'), source: 'body', nearest: hint });
  const permitted = IDENTITY.has(key) ? undefined : SYSTEM.has(key) ? key : null;
  return invalidKey({ key, path: permitted, source: 'body', nearest: hint });
}

function permitRelation(
  { view }: Context,
  attribute: RelationAttribute,
  value: unknown,
  path: readonly string[],
): RelationEdit {
  const edit = parseRelation(value, path.join('.'));
  if (attribute.target !== undefined) return edit;
  const entries = edit.kind === 'set' ? edit.entries : [...edit.connect, ...edit.disconnect];
  const known = (type: string | undefined) =>
    type !== undefined && view.catalog.contentTypes.has(type) && view.finds(type);
  for (const { type, position } of entries) {
    const beside = 'type' in position && position.type !== undefined ? position.type : type;
    if (!known(type) || !known(beside)) {
      throw invalidKey({ key: attribute.name, path: path.join('.'), source: 'body' });
    }
  }
  return edit;
}

function permitComponents(
  context: Context,
  model: Model,
  attribute: ComponentAttribute | DynamicZoneAttribute,
  raw: unknown,
  path: readonly string[],
): WrittenComponents {
  if (path.length > MAX_DEPTH) throw invalidKey({ key: attribute.name, path: path.join('.'), source: 'body' });
  const many = attribute.type === 'dynamiczone' || attribute.repeatable;
  if (many && raw === null) return { attribute, raw, entries: [] };
  if (!many) {
    const entries = raw === null ? [] : isObject(raw) ? [permitEntry(context, model, attribute, raw, path)] : undefined;
    return { attribute, raw, entries };
  }
  if (Array.isArray(raw)) context.entries += raw.length;
  if (context.entries > MAX_ENTRIES) throw tooManyEntries(path.join('.'));
  // keys are checked before the shape, where an object stands in place of a list
  if (isObject(raw)) permitEntry(context, model, attribute, raw, path);
  const entries = Array.isArray(raw)
    ? raw.map((item) => permitEntry(context, model, attribute, item, path))
    : undefined;
  return { attribute, raw, entries };
}

function permitEntry(
  context: Context,
  model: Model,
  attribute: ComponentAttribute | DynamicZoneAttribute,
  raw: unknown,
  path: readonly string[],
): WrittenEntry {
  if (!isObject(raw)) return { kind: 'malformed', raw };
  let component: Model;
  if (attribute.type === 'dynamiczone') {
    const uid = raw['__component'];
    if (typeof uid !== 'string' || !attribute.components.includes(uid)) return { kind: 'malformed', raw };
    component = modelOf(context.view.catalog, uid);
  } else {
    component = context.view.into(model, attribute);
    if ('__component' in raw) throw invalidKey({ key: '__component', path: path.join('.'), source: 'body' });
  }
  const id = raw['id'];
  if (id !== undefined && id !== null && !isRowId(id)) return { kind: 'malformed', raw };
  const row = permitRow(context, component, raw, path);
  return {
    kind: 'row',
    id: id === undefined || id === null ? undefined : Number(id),
    row: context.view.hides(component) ? { ...row, hidesAt: path } : row,
  };
}

/** A component's row id: a number, or digits. */
function isRowId(id: unknown): boolean {
  if (typeof id === 'string') return /^\d{1,15}$/.test(id);
  return typeof id === 'number' && Number.isSafeInteger(id);
}
