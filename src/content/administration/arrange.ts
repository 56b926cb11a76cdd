/**
 * Changing the arrangement of a model's forms and lists. It is stored as the reference's panel stores it in the core
 * store, so that each can read the other's changes.
 */
import { hash } from 'node:crypto';
import { readEntry, storeSetting } from '../../db/interface/core-store.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { ContentError } from '../../errors.ts';
import { at, atMost, because, below, Failures, type Place } from '../../failures.ts';
import { isObject, objectOrEmpty } from '../../plain-values.ts';
import {
  type Attribute,
  attributeOf,
  type Catalog,
  CREATORS,
  isScalar,
  type Model,
  modelOf,
  USER_UID,
} from '../../schema/catalog.ts';
import {
  arrangementKey,
  arrangementOf,
  parsedArrangement,
  SIZES,
  type Size,
  sizeOf,
  WHOLES,
  wordsOf,
} from './arrangement.ts';

type Values = Readonly<Record<string, unknown>>;

/** A stored arrangement of a model. Unknown keys are preserved. */
export interface StoredArrangement {
  readonly settings: Values;
  readonly metadatas: Readonly<Record<string, { readonly edit: Values; readonly list: Values }>>;
  readonly layouts: Values;
}

/** The arrangement of a model, with everything that can be arranged. */
export interface ArrangementAnswer extends StoredArrangement {
  /** The entity tag of the stored arrangement. */
  readonly tag: string;
  readonly uid: string;
  readonly displayName: string;
  readonly kind: 'collectionType' | 'singleType' | 'component';
  readonly fields: readonly Arrangeable[];
}

const PAGE_SIZES = { least: 10, most: 100 } as const;
const TEXT_LENGTHS = { label: 255, description: 1000, placeholder: 255 } as const;
const WHOLE_ROW = 12;
/** The settings that the reference gives lists by default. */
const SETTINGS = { bulkable: true, filterable: true, searchable: true, relationOpenMode: 'modal' };
const FLAGS = ['bulkable', 'filterable', 'searchable'] as const;
const OPEN_MODES = ['modal', 'page', 'newTab'];
const ORDERS = ['ASC', 'DESC'];

/** The arrangement of a model: the stored one as far as it is valid, else the default. */
export async function arrangementFor(db: Queryable, catalog: Catalog, model: Model): Promise<ArrangementAnswer> {
  return answerOf(catalog, model, await storedFor(db, model));
}

/**
 * Changes the arrangement of a model. Keys that the body leaves out stay unchanged.
 *
 * @param body `settings`, `metadatas` and `layouts`, as the reference's panel sends them.
 * @param tags the stored arrangement must have one of these tags; `any`; undefined: no arrangement may be stored yet.
 * @throws ContentError 400 with the paths of all failures, 412 with the current arrangement if its tag differs.
 */
export async function arrange(
  tx: Transaction,
  catalog: Catalog,
  model: Model,
  body: unknown,
  tags: readonly string[] | 'any' | undefined,
): Promise<ArrangementAnswer> {
  await tx.lock(() => [{ key: `arrangement ${model.uid}`, shared: false }]);
  const stored = await storedFor(tx, model);
  const before = answerOf(catalog, model, stored);
  if (tags !== 'any' && !(tags?.includes(before.tag) ?? stored === undefined)) {
    throw new ContentError('PreconditionFailedError', 'The arrangement has changed', { current: before });
  }
  const changes = checked(body, before);
  const { settings, metadatas, layouts } = {
    settings: { ...before.settings, ...changes.settings },
    metadatas: merged(before.metadatas, changes.metadatas),
    layouts: { ...before.layouts, ...changes.layouts },
  };
  const isComponent = model.modelType === 'component' ? { isComponent: true } : {};
  const next = { ...stored, settings, metadatas, layouts, uid: model.uid, ...isComponent };
  await storeSetting(tx, arrangementKey(model), next);
  tx.recordAction({ action: 'layout.update', type: model.uid, id: null });
  return { ...before, settings, metadatas, layouts, tag: tagOf(next) };
}

const tagOf = (stored: Values | undefined): string => `"${hash('sha1', JSON.stringify(stored ?? null), 'base64url')}"`;

async function storedFor(db: Queryable, model: Model): Promise<Values | undefined> {
  const value = await readEntry(db, arrangementKey(model));
  return value === undefined ? undefined : parsedArrangement(value);
}

function answerOf(catalog: Catalog, model: Model, stored: Values | undefined): ArrangementAnswer {
  const { layout } = arrangementOf(model, stored, () => true);
  const fields = arrangeable(catalog, model);
  const byName = new Map(fields.map((field) => [field.name, field]));
  const [by, order] = layout.defaultSort.split(':') as [string, string];
  const { uid, displayName } = model;
  const storedSettings = objectOrEmpty(stored?.['settings']);
  const edit = layout.edit.map((row) => row.filter(({ name }) => (byName.get(name)?.sizes.length ?? 0) > 0));
  return {
    uid,
    tag: tagOf(stored),
    displayName,
    kind: model.modelType === 'component' ? 'component' : model.kind,
    fields,
    settings: {
      ...SETTINGS,
      ...storedSettings,
      pageSize: layout.pageSize,
      mainField: layout.mainField,
      defaultSortBy: by,
      defaultSortOrder: order.toUpperCase(),
    },
    metadatas: metadatasOf(catalog, model, fields, objectOrEmpty(stored?.['metadatas'])),
    layouts: {
      ...objectOrEmpty(stored?.['layouts']),
      list: layout.list.filter((name) => byName.get(name)?.listed),
      edit: edit.filter((row) => row.length > 0),
    },
  };
}

/** The metadata of each name: stored values, else the reference's defaults. */
function metadatasOf(
  catalog: Catalog,
  model: Model,
  fields: readonly Arrangeable[],
  stored: Values,
): StoredArrangement['metadatas'] {
  const entries = fields.map((field) => {
    const { name, sizes } = field;
    const attribute = model.attributes.get(name);
    const storedMetadata = objectOrEmpty(stored[name]);
    const isBare = name === 'id' || name === 'documentId';
    const isRowId = name === 'id' && model.modelType === 'component';
    const sortable = !isRowId && isSortable(field, attribute);
    const edit = isBare
      ? {}
      : { label: name, description: '', placeholder: '', visible: sizes.length > 0, editable: true };
    const mainField = mainFieldOf(catalog, attribute, field);
    const list = { label: name, searchable: sortable, sortable };
    return [
      name,
      {
        edit: { ...edit, ...mainField, ...objectOrEmpty(storedMetadata['edit']) },
        list: { ...list, ...objectOrEmpty(storedMetadata['list']) },
      },
    ] as const;
  });
  return Object.fromEntries(entries);
}

function mainFieldOf(catalog: Catalog, attribute: unknown, { type, mainFields }: Arrangeable): Values {
  if (type !== 'relation' || mainFields.length === 0) return {};
  const { target } = (attribute ?? { target: 'admin::user' }) as { readonly target: string };
  const model = modelOf(catalog, target);
  const first = namingFields(model).find((name) => model.attributes.get(name)?.type === 'string');
  return { mainField: first ?? 'documentId' };
}

function merged(
  before: StoredArrangement['metadatas'],
  changes: StoredArrangement['metadatas'],
): StoredArrangement['metadatas'] {
  const entries = Object.entries(changes).map(([name, { edit, list }]) => {
    const current = before[name]!;
    return [name, { edit: { ...current.edit, ...edit }, list: { ...current.list, ...list } }] as const;
  });
  return { ...before, ...Object.fromEntries(entries) };
}

/** The arrangement in a body; keys that it leaves out are undefined. */
function checked(body: unknown, { fields }: ArrangementAnswer): StoredArrangement {
  const failures = new Failures();
  const byName = new Map(fields.map((field) => [field.name, field]));
  const input = objectAt(failures, undefined, body, ['settings', 'metadatas', 'layouts']);
  const settings = checkSettings(failures, input['settings'], fields);
  const metadatas = checkMetadatas(failures, input['metadatas'], byName);
  const layouts = checkLayouts(failures, input['layouts'], byName);
  failures.throwAny();
  return { settings, metadatas, layouts };
}

/** An object with allowed keys; an empty one for null and undefined. */
function objectAt(failures: Failures, place: Place, value: unknown, keys: readonly string[]): Values {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) {
    failures.addWrongType(place, 'object', value);
    return {};
  }
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) failures.add(below(place, key), (label) => `${label} is an unknown key`);
  }
  return value;
}

function checkSettings(failures: Failures, value: unknown, fields: readonly Arrangeable[]): Values {
  const named = ['pageSize', 'mainField', 'defaultSortBy', 'defaultSortOrder', 'relationOpenMode'];
  const settings = objectAt(failures, at('settings'), value, [...FLAGS, ...named]);
  for (const name of FLAGS) {
    const flag = settings[name];
    if (flag !== undefined && typeof flag !== 'boolean') failures.addWrongType(at('settings', name), 'boolean', flag);
  }
  const { pageSize } = settings;
  const { least, most } = PAGE_SIZES;
  const isSize = Number.isInteger(pageSize) && Number(pageSize) >= least && Number(pageSize) <= most;
  if (pageSize !== undefined && !isSize) {
    failures.add(
      at('settings', 'pageSize'),
      (label) => `${label} must be a whole number from ${least} to ${most}`,
      pageSize,
    );
  }
  const names = (is: (field: Arrangeable) => boolean) => fields.filter(is).map(({ name }) => name);
  const choices = {
    mainField: names(({ naming }) => naming),
    defaultSortBy: names(({ sorted, name }) => sorted || name === 'id'),
    defaultSortOrder: ORDERS,
    relationOpenMode: OPEN_MODES,
  };
  for (const [name, allowed] of Object.entries(choices)) {
    if (settings[name] !== undefined) checkChoice(failures, at('settings', name), settings[name], allowed);
  }
  return settings;
}

function checkChoice(failures: Failures, place: Place, value: unknown, allowed: readonly string[]): void {
  if (typeof value === 'string' && allowed.includes(value)) return;
  failures.add(
    place,
    because((label) => `${label} must be one of the following values: ${allowed.join(', ')}`, 'noChoice'),
    value,
  );
}

function checkMetadatas(
  failures: Failures,
  value: unknown,
  byName: ReadonlyMap<string, Arrangeable>,
): StoredArrangement['metadatas'] {
  const metadatas = objectAt(failures, at('metadatas'), value, [...byName.keys()]);
  const checkedMetadatas: Record<string, { edit: Values; list: Values }> = {};
  for (const [name, entry] of Object.entries(metadatas)) {
    const field = byName.get(name);
    if (!field) continue;
    const place = at('metadatas', name);
    const both = objectAt(failures, place, entry, ['edit', 'list']);
    const texts = Object.keys(TEXT_LENGTHS);
    const edit = objectAt(failures, below(place, 'edit'), both['edit'], [...texts, 'editable', 'visible', 'mainField']);
    const list = objectAt(failures, below(place, 'list'), both['list'], ['label', 'searchable', 'sortable']);
    for (const [key, most] of Object.entries(TEXT_LENGTHS)) {
      checkText(failures, below(below(place, 'edit'), key), edit[key], most, key !== 'label');
    }
    checkText(failures, below(below(place, 'list'), 'label'), list['label'], TEXT_LENGTHS.label, false);
    for (const [group, key] of [
      [edit, 'editable'],
      [edit, 'visible'],
      [list, 'searchable'],
      [list, 'sortable'],
    ] as const) {
      const flag = group[key];
      if (flag === undefined || typeof flag === 'boolean') continue;
      failures.addWrongType(below(below(place, group === edit ? 'edit' : 'list'), key), 'boolean', flag);
    }
    const { mainField } = edit;
    if (mainField !== undefined) {
      checkChoice(failures, below(below(place, 'edit'), 'mainField'), mainField, field.mainFields);
    }
    checkedMetadatas[name] = { edit, list };
  }
  return checkedMetadatas;
}

function checkText(failures: Failures, place: Place, value: unknown, most: number, mayBeNull: boolean): void {
  if (value === undefined || (mayBeNull && value === null)) return;
  if (typeof value !== 'string') failures.addWrongType(place, 'string', value);
  else if (value.length > most) failures.add(place, atMost(most), value);
  else if (value.includes('\0') || !value.isWellFormed())
    failures.add(place, (label) => `${label} must be well-formed text`);
}

function checkLayouts(failures: Failures, value: unknown, byName: ReadonlyMap<string, Arrangeable>): Values {
  const layouts = objectAt(failures, at('layouts'), value, ['list', 'edit']);
  const { list, edit } = layouts;
  const names = (is: (field: Arrangeable) => boolean): string[] =>
    [...byName.values()].filter(is).map(({ name }) => name);
  if (list !== undefined) {
    const columns = listAt(failures, at('layouts', 'list'), list);
    const allowed = names(({ listed }) => listed);
    columns.forEach((name, index) => {
      const place = at('layouts', 'list', index);
      checkChoice(failures, place, name, allowed);
      if (columns.indexOf(name) < index) failures.add(place, (label) => `${label} appears twice`, name);
    });
    if (Array.isArray(list) && list.length === 0)
      failures.add(at('layouts', 'list'), 'A list needs at least one column');
  }
  if (edit !== undefined) checkRows(failures, edit, byName);
  return layouts;
}

function checkRows(failures: Failures, edit: unknown, byName: ReadonlyMap<string, Arrangeable>): void {
  const seen = new Set<unknown>();
  const allowed = [...byName.values()].filter(({ sizes }) => sizes.length > 0).map(({ name }) => name);
  listAt(failures, at('layouts', 'edit'), edit).forEach((row, index) => {
    let taken = 0;
    listAt(failures, at('layouts', 'edit', index), row).forEach((cell, column) => {
      const place = at('layouts', 'edit', index, column);
      const { name, size } = objectAt(failures, place, cell, ['name', 'size']);
      checkChoice(failures, below(place, 'name'), name, allowed);
      if (seen.has(name)) failures.add(below(place, 'name'), (label) => `${label} appears twice`, name);
      seen.add(name);
      const sizes: readonly unknown[] = byName.get(String(name))?.sizes ?? [];
      if (sizes.length > 0 && !sizes.includes(size)) {
        const text = (label: string) => `${label} must be one of the following values: ${sizes.join(', ')}`;
        failures.add(below(place, 'size'), text, size);
      }
      taken += Number(size);
    });
    if (taken > WHOLE_ROW) {
      failures.add(at('layouts', 'edit', index), (label) => `${label} is wider than ${WHOLE_ROW}`);
    }
  });
}

function listAt(failures: Failures, place: Place, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  failures.addWrongType(place, 'array', value);
  return [];
}

/** A name that an arrangement can be about. */
export interface Arrangeable {
  readonly name: string;
  /** The label, if none has been chosen. */
  readonly label: string;
  /** The type in the schema; `integer` for the id, `datetime` for times, `relation` for the authors of a document. */
  readonly type: string;
  /** Whether it can be a column of a list. */
  readonly listed: boolean;
  /** Whether a list can be sorted by it by default. */
  readonly sorted: boolean;
  /** Whether it can name a document. */
  readonly naming: boolean;
  /** The widths that it can have in a form, in twelfths; none if forms cannot contain it. */
  readonly sizes: readonly Size[];
  /** Fields of a relation's target that can name it; none for other attributes. */
  readonly mainFields: readonly string[];
}

const UNLISTED: ReadonlySet<string> = new Set(['json', 'password', 'richtext', 'dynamiczone', 'blocks']);
const UNSORTED: ReadonlySet<string> = new Set(['component', 'json', 'media', 'richtext', 'dynamiczone', 'blocks']);

/** Everything of a model that can be arranged, in the reference's order. */
function arrangeable(catalog: Catalog, model: Model): readonly Arrangeable[] {
  const isType = model.modelType === 'contentType';
  const own = [...model.attributes.values()].flatMap((attribute) => {
    // the reference's panel does not know relations to any type yet
    if (attribute.type === 'relation' && attribute.relation.startsWith('morph')) return [];
    return [ofAttribute(catalog, attribute, attribute.secret ? [] : sizesOf(attribute))];
  });
  const time = (name: string) => ({ ...field(name, 'datetime'), naming: false });
  return [
    { ...field('id', 'integer'), sorted: isType },
    ...own,
    ...(isType ? ['createdAt', 'updatedAt'].map(time) : []),
    ...(isType ? CREATORS.map((name) => ofAttribute(catalog, attributeOf(model, name)!, [])) : []),
    { ...field('documentId', 'string'), sorted: isType, listed: isType, naming: isType },
  ];
}

/** Names that the reference hides from its lists. */
const HIDDEN: Readonly<Record<string, readonly string[]>> = { [USER_UID]: ['provider'] };
/** The columns that the reference stores for each type by default. */
const STORED_COLUMNS = 4;

/**
 * Whether the columns of a type are those that the reference's panel stores by default: they begin with the id of the
 * row, which is not a choice.
 */
export function hasUsualColumns(
  catalog: Catalog,
  model: Model,
  stored: Readonly<Record<string, unknown>> | undefined,
): boolean {
  const layouts = stored?.['layouts'];
  const columns = isObject(layouts) ? layouts['list'] : undefined;
  const own = arrangeable(catalog, model).filter(({ name, listed }) => listed && !HIDDEN[model.uid]?.includes(name));
  const names = own.slice(0, STORED_COLUMNS).map(({ name }) => name);
  return Array.isArray(columns) && columns.length === names.length && names.every((name, at) => columns[at] === name);
}

/** Whether the reference's panel searches and sorts by a field: it stores that with the arrangement. */
export function isSortable({ type }: Arrangeable, attribute: Attribute | undefined): boolean {
  if (attribute?.type === 'relation') return /ToOne$/.test(attribute.relation);
  return !UNSORTED.has(type);
}

/** The fields that can name documents or rows of a model. */
function namingFields(model: Model): string[] {
  const named = [...model.attributes.values()].filter(isNaming).map(({ name }) => name);
  return [...named, ...(model.modelType === 'contentType' ? ['documentId'] : []), 'id'];
}

const field = (name: string, type: string): Arrangeable => ({
  name,
  label: wordsOf(name),
  type,
  listed: true,
  sorted: true,
  naming: true,
  sizes: [],
  mainFields: [],
});

function ofAttribute(catalog: Catalog, attribute: Attribute, sizes: readonly Size[]): Arrangeable {
  const { name, type } = attribute;
  const target = attribute.type === 'relation' ? catalog.contentTypes.get(attribute.target ?? '') : undefined;
  return {
    name,
    label: wordsOf(name),
    type,
    listed: !UNLISTED.has(type) && !attribute.secret,
    sorted: isNaming(attribute),
    naming: isNaming(attribute),
    sizes,
    mainFields: target ? namingFields(target) : [],
  };
}

const isNaming = (attribute: Attribute): boolean =>
  isScalar(attribute) && !UNLISTED.has(attribute.type) && !attribute.secret;

const sizesOf = (attribute: Attribute): readonly Size[] =>
  WHOLES.has(attribute.type) && attribute.type !== 'text' ? [sizeOf(attribute)] : SIZES;
