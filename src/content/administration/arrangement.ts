/**
 * The arrangement of a model's forms and lists: the one that the reference's panel has stored in the core store, else
 * its default. A stored arrangement may be older than the schema, or malformed: only entries for existing names count.
 */
import type { View } from '../../access/view.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { query } from '../../db/interface/statements.ts';
import { filledText, isObject, objectOrEmpty } from '../../plain-values.ts';
import { type Attribute, attributeOf, isScalar, type Model } from '../../schema/catalog.ts';
import { compileSettingsBelow } from '../../sql/settings.ts';

/** Columns of the twelve that a field takes in a form. */
export const SIZES = [4, 6, 8, 12] as const;
export type Size = (typeof SIZES)[number];
const WHOLE_ROW = 12;

export interface Placed {
  readonly name: string;
  readonly size: Size;
}

/** The texts at a field. */
export interface Labels {
  readonly label: string;
  readonly description: string | null;
  readonly placeholder: string | null;
  readonly editable: boolean;
  /** The field that names the target of a relation, if it differs from the one of the target type. */
  readonly mainField: string | undefined;
}

export interface Arrangement {
  readonly layout: {
    /** Rows of fields. */
    readonly edit: readonly (readonly Placed[])[];
    /** Columns of lists. */
    readonly list: readonly string[];
    /** The field that names a document. */
    readonly mainField: string;
    /** `title:asc`. */
    readonly defaultSort: string;
    readonly pageSize: number;
  };
  readonly labels: (name: string) => Labels;
}

/** Stored arrangements by uid, unchecked. */
export type StoredArrangements = ReadonlyMap<string, Stored>;
type Stored = Readonly<Record<string, unknown>>;

const PREFIX = 'plugin_content_manager_configuration_';
const KEY = /^(?:content_types|components)::(.+)$/s;

const PAGE_SIZES = { most: 100, usual: 10 } as const;
/** Columns of a list besides the name of each document. */
const COLUMNS = 3;
const SYSTEM = ['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy', 'locale'];

const THIRDS: ReadonlySet<string> = new Set(['boolean', 'integer', 'biginteger', 'float', 'decimal', 'date', 'time']);
export const WHOLES: ReadonlySet<string> = new Set(['text', 'richtext', 'blocks', 'json', 'component', 'dynamiczone']);
/** Types that are too long for a column, or are never shown. */
const UNLISTED: ReadonlySet<string> = new Set(['text', 'richtext', 'blocks', 'json', 'password', 'uid']);

/** Where the arrangement of a model is stored. */
export const arrangementKey = ({ modelType, uid }: Model): string =>
  `${PREFIX}${modelType === 'component' ? 'components' : 'content_types'}::${uid}`;

/** Reads the arrangements that the reference's panel has stored. */
export async function readArrangements(db: Queryable): Promise<StoredArrangements> {
  const rows = await query(db, compileSettingsBelow(PREFIX.length), [PREFIX]);
  const arrangements = new Map<string, Stored>();
  for (const [key, value] of rows) {
    const uid = KEY.exec(String(key).slice(PREFIX.length))?.[1];
    const stored = uid === undefined ? undefined : parsedArrangement(String(value));
    if (uid !== undefined && stored !== undefined) arrangements.set(uid, stored);
  }
  return arrangements;
}

/**
 * The arrangement of a model.
 *
 * @param isShown whether the viewer is shown an attribute, or another field of a list.
 */
export function arrangementOf(
  model: Model,
  stored: Stored | undefined,
  isShown: (name: string) => boolean,
): Arrangement {
  const settings = objectOrEmpty(stored?.['settings']);
  const metadatas = objectOrEmpty(stored?.['metadatas']);
  const layouts = objectOrEmpty(stored?.['layouts']);
  const shown = [...model.attributes.values()].filter(({ name }) => isShown(name));
  const mainField = mainFieldOf(model, settings['mainField'], isShown);
  return {
    layout: {
      edit: stored ? storedRows(shown, layouts['edit'], metadatas) : rowsOf(shown),
      list: listOf(model, layouts['list'], mainField, isShown),
      mainField,
      defaultSort: sortOf(model, settings, isShown),
      pageSize: pageSizeOf(settings['pageSize']),
    },
    labels: (name) => labelsOf(name, objectOrEmpty(objectOrEmpty(metadatas[name])['edit'])),
  };
}

/** The field that names documents of a model, among those that the viewer is shown. */
function mainFieldOf(model: Model, stored: unknown, isShown: (name: string) => boolean): string {
  if (typeof stored === 'string' && stored !== 'id' && isField(model, stored) && isShown(stored)) return stored;
  const named = [...model.attributes.values()].find(({ type, name }) => type === 'string' && isShown(name));
  return named?.name ?? (model.modelType === 'component' ? 'id' : 'documentId');
}

function isField(model: Model, name: string): boolean {
  const attribute = attributeOf(model, name);
  return attribute === undefined ? SYSTEM.includes(name) : isScalar(attribute) && attribute.type !== 'password';
}

/** The stored rows, followed by attributes that the schema has got since. They lack hidden attributes of the panel. */
function storedRows(shown: readonly Attribute[], edit: unknown, metadatas: Stored): readonly (readonly Placed[])[] {
  const unplaced = new Map(shown.map((attribute) => [attribute.name, attribute]));
  const rows: Placed[][] = [];
  for (const row of Array.isArray(edit) ? edit : []) {
    const placed: Placed[] = [];
    for (const entry of Array.isArray(row) ? row : []) {
      const { name, size } = objectOrEmpty(entry);
      const attribute = typeof name === 'string' ? unplaced.get(name) : undefined;
      if (!attribute) continue;
      unplaced.delete(attribute.name);
      placed.push({ name: attribute.name, size: SIZES.find((one) => one === size) ?? sizeOf(attribute) });
    }
    if (placed.length > 0) rows.push(placed);
  }
  return [...rows, ...rowsOf([...unplaced.values()].filter(({ name }) => !Object.hasOwn(metadatas, name)))];
}

/** The panel's default rows: filled from the left, in the order of the schema. */
function rowsOf(attributes: readonly Attribute[]): readonly (readonly Placed[])[] {
  const rows: Placed[][] = [];
  let taken = WHOLE_ROW;
  for (const attribute of attributes) {
    const size = sizeOf(attribute);
    if (taken + size > WHOLE_ROW) {
      rows.push([]);
      taken = 0;
    }
    rows.at(-1)!.push({ name: attribute.name, size });
    taken += size;
  }
  return rows;
}

export function sizeOf({ type }: Attribute): Size {
  if (WHOLES.has(type)) return 12;
  return THIRDS.has(type) ? 4 : 6;
}

function listOf(model: Model, stored: unknown, mainField: string, isShown: (name: string) => boolean): string[] {
  const isColumn = (name: unknown): name is string =>
    typeof name === 'string' &&
    (attributeOf(model, name) !== undefined || SYSTEM.includes(name)) &&
    attributeOf(model, name)?.type !== 'password' &&
    isShown(name);
  const listed = Array.isArray(stored) ? [...new Set(stored.filter(isColumn))] : [];
  if (listed.length > 0) return listed;
  const more = [...model.attributes.values()].filter(
    (attribute) => attribute.name !== mainField && isShortScalar(attribute) && isShown(attribute.name),
  );
  const times = model.modelType === 'contentType' ? ['updatedAt'] : [];
  return [mainField, ...more.slice(0, COLUMNS).map(({ name }) => name), ...times];
}

const isShortScalar = (attribute: Attribute): boolean => isScalar(attribute) && !UNLISTED.has(attribute.type);

/** The stored order, else newest first: every table has an index in that order. */
function sortOf(model: Model, settings: Stored, isShown: (name: string) => boolean): string {
  const { defaultSortBy: by, defaultSortOrder: order } = settings;
  if (typeof by === 'string' && isField(model, by) && isShown(by)) {
    return `${by}:${String(order).toLowerCase() === 'desc' ? 'desc' : 'asc'}`;
  }
  return model.modelType === 'component' ? 'id:asc' : 'updatedAt:desc';
}

function pageSizeOf(stored: unknown): number {
  return typeof stored === 'number' && Number.isInteger(stored) && stored > 0
    ? Math.min(stored, PAGE_SIZES.most)
    : PAGE_SIZES.usual;
}

function labelsOf(name: string, edit: Stored): Labels {
  const { label, description, placeholder, editable, mainField } = edit;
  return {
    // the panel stores the name itself until a label is chosen
    label: filledText(label) === undefined || label === name ? wordsOf(name) : String(label),
    description: filledText(description) ?? null,
    placeholder: filledText(placeholder) ?? null,
    editable: editable !== false,
    mainField: filledText(mainField),
  };
}

/** `publishedOn` as words: `Published on`. */
export function wordsOf(name: string): string {
  const words = name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim();
  const [first = '', ...rest] = words.split(' ');
  const lower = rest.map((word) => (/^\p{Lu}\p{Ll}+$/u.test(word) ? word.toLowerCase() : word));
  return [first.slice(0, 1).toUpperCase() + first.slice(1), ...lower].join(' ') || name;
}

/** A stored arrangement; undefined for malformed text. */
export function parsedArrangement(text: string): Stored | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The field that names documents of a model. */
export type MainFieldOf = (model: Model) => string;

export class MainFields {
  readonly #database: Database;
  #generation = Number.NaN;
  #stored: StoredArrangements = new Map();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Drops the cache: this process has changed an arrangement. */
  forget(): void {
    this.#generation = Number.NaN;
  }

  /** The chosen fields, as far as a View shows them; `documentId` if it shows no text. */
  async of(view: View): Promise<MainFieldOf> {
    const generation = this.#database.generation();
    if (generation !== this.#generation) {
      this.#stored = await readArrangements(this.#database);
      this.#generation = generation;
    }
    const names = new Map<Model, string>();
    return (model) => {
      let name = names.get(model);
      if (name === undefined) {
        name = arrangementOf(model, this.#stored.get(model.uid), (field) => showsField(view, model, field)).layout
          .mainField;
        names.set(model, name);
      }
      return name;
    };
  }
}

const showsField = (view: View, model: Model, name: string): boolean => view.of(model).named(name).kind === 'field';
