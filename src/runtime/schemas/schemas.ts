/** Content types and components as project code sees them: `strapi.contentTypes`, `strapi.getModel(uid)`. */
import { type Attribute, type Catalog, type ContentType, FIRST_PUBLISHED, type Model } from '../../schema/catalog.ts';
import type { SchemaChange } from '../../schema/files.ts';
import { type Layout, layoutOf } from '../../schema/layout/layout.ts';
import { unchangeable, unsupported } from '../guarded.ts';

/** A model in the reference's form. */
export interface Schema {
  readonly uid: string;
  readonly modelType: 'contentType' | 'component';
  readonly kind?: 'collectionType' | 'singleType';
  readonly attributes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly [key: string]: unknown;
}

/** Gives the schema of a uid. */
export type SchemaOf = (uid: string) => Schema;

type Models = Record<string, Schema>;

/**
 * The schemas of a project's models. `register` and extensions of plugins may change attributes and options, of which the
 * catalog is then built; later changes are refused, since the database and the plans follow from the catalog.
 */
export class Schemas {
  readonly #contentTypes: Models = {};
  readonly #components: Models = {};
  /** As they were before code changed them, in JSON, by uid. */
  readonly #before = new Map<string, string>();
  #isOpen = true;
  readonly contentTypes: Readonly<Models>;
  readonly components: Readonly<Models>;

  constructor() {
    const isOpen = () => this.#isOpen;
    this.contentTypes = unchangeable('strapi.contentTypes', this.#contentTypes, isOpen);
    this.components = unchangeable('strapi.components', this.#components, isOpen);
  }

  /** The schema of a content type or a component; undefined where there is none. */
  of(uid: string): Schema | undefined {
    return this.contentTypes[uid] ?? this.components[uid];
  }

  /**
   * Puts the schema of a type in the place of another, which an extension of a plugin may do. It may be as in a file: what
   * the reference adds to such a schema is taken from the one before.
   */
  replace(uid: string, schema: Schema): void {
    const { attributes = {}, ...before } = this.#contentTypes[uid] ?? {};
    const added = Object.entries(before).filter(([key]) => !CHANGEABLE.includes(key));
    const system = Object.entries(attributes).filter(([name]) => SYSTEM_ATTRIBUTES.includes(name));
    const written = JSON.parse(JSON.stringify(schema)) as Schema;
    this.#contentTypes[uid] = withFile({
      ...(Object.fromEntries(added) as Schema),
      ...written,
      attributes: { ...Object.fromEntries(system), ...written.attributes },
    });
  }

  /** Fills in the schemas of a catalog, in the objects that code has already. @param layout undefined before it is known. */
  fill(catalog: Catalog, layout: Layout | undefined): void {
    const put = (models: Models, all: ReadonlyMap<string, Model>): void => {
      for (const [uid, model] of all) {
        const table = layout === undefined ? (model.collectionName ?? uid) : layoutOf(layout, uid).table;
        const schema = schemaOf(model, table);
        models[uid] = models[uid] ? Object.assign(models[uid], schema) : withFile(schema);
        this.#before.set(uid, JSON.stringify(schema));
      }
    };
    put(this.#contentTypes, catalog.contentTypes);
    put(this.#components, catalog.components);
  }

  /** Refuses changes from now on. */
  close(): void {
    this.#isOpen = false;
  }

  /**
   * What code has changed since the schemas were filled in.
   *
   * @throws Unsupported for a type that code has added or removed, and for a change of what decides about tables.
   */
  get changes(): SchemaChange[] {
    return [...Object.entries(this.#contentTypes), ...Object.entries(this.#components)].flatMap(([uid, schema]) => {
      const text = this.#before.get(uid);
      if (text === undefined) return unsupported(`a content type that code adds (${uid})`);
      return text === JSON.stringify(schema) ? [] : [changeOf(uid, JSON.parse(text) as Schema, schema)];
    });
  }
}

/** Keys of a schema that code may change, besides its attributes; those of `info` change nothing that is served. */
const CHANGEABLE: readonly string[] = ['options', 'pluginOptions', 'info', 'attributes'];

/** Attributes that no file names and that every content type has, as far as its options give it them. */
const SYSTEM_ATTRIBUTES: readonly string[] = [
  'createdAt',
  'updatedAt',
  'publishedAt',
  'createdBy',
  'updatedBy',
  FIRST_PUBLISHED,
  'locale',
  'localizations',
];

function changeOf(uid: string, before: Schema, after: Schema): SchemaChange {
  const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => !isSame(before[key], after[key]),
  );
  const fixed = keys.find((key) => !CHANGEABLE.includes(key));
  if (fixed !== undefined) return unsupported(`a change of ${fixed} of the schema ${uid}`);
  const names = [...new Set([...Object.keys(before.attributes), ...Object.keys(after.attributes)])];
  const changed = names.filter((name) => !isSame(before.attributes[name], after.attributes[name]));
  return {
    uid,
    attributes: Object.fromEntries(changed.map((name) => [name, after.attributes[name]])),
    ...(keys.includes('options') ? { options: after['options'] as object } : {}),
    ...(keys.includes('pluginOptions') ? { pluginOptions: after['pluginOptions'] as object } : {}),
  };
}

/** Keys of a schema file. */
const OF_FILES = ['kind', 'collectionName', 'info', 'options', 'pluginOptions', 'attributes'];

/** A schema that has the part which stands in its file. */
function withFile(schema: Schema): Schema {
  const attributes = () =>
    Object.fromEntries(Object.entries(schema.attributes).filter(([name]) => !SYSTEM_ATTRIBUTES.includes(name)));
  const get = (): object => ({
    ...Object.fromEntries(Object.entries(schema).filter(([key]) => OF_FILES.includes(key))),
    attributes: attributes(),
  });
  return Object.defineProperty(schema, '__schema__', { get, configurable: true });
}

function schemaOf(model: Model, tableName: string): Schema {
  const { uid, singularName, displayName, collectionName, modelType } = model;
  const own = [...model.attributes.values()].filter(({ managed }) => !managed);
  const attributes = Object.fromEntries(own.map((one) => [one.name, attributeOf(one)]));
  // by the last two events of lifecycles know a model
  const names = { modelName: singularName, globalId: globalId(singularName), singularName, tableName };
  const common = { uid, collectionName, modelType, ...names };
  if (model.modelType === 'component') {
    return { ...common, modelType, category: model.category, info: { displayName }, options: {}, attributes };
  }
  const info = { singularName, pluralName: model.pluralName, displayName };
  return {
    ...common,
    modelType,
    kind: model.kind,
    info,
    options: { draftAndPublish: model.draftAndPublish },
    ...(model.localized ? { pluginOptions: { i18n: { localized: true } } } : {}),
    apiName: /^api::([^.]+)/.exec(uid)?.[1],
    plugin: /^plugin::([^.]+)/.exec(uid)?.[1],
    attributes: { ...attributes, ...systemAttributes(model) },
  };
}

function systemAttributes({
  uid,
  attributes,
  showsCreators = false,
}: ContentType): Record<string, Record<string, unknown>> {
  const time = { type: 'datetime' };
  const hidden = { configurable: false, writable: false, visible: false };
  const creator = {
    ...{ type: 'relation', relation: 'oneToOne', target: 'admin::user' },
    ...{ ...hidden, useJoinTable: false, private: !showsCreators, owner: true },
  };
  return {
    createdAt: time,
    updatedAt: time,
    publishedAt: { ...time, configurable: false, writable: true, visible: true },
    createdBy: creator,
    updatedBy: creator,
    ...(attributes.get(FIRST_PUBLISHED)?.managed
      ? { [FIRST_PUBLISHED]: { ...time, configurable: false, writable: true, visible: false, private: false } }
      : {}),
    locale: { type: 'string', private: true, visible: false },
    localizations: { type: 'relation', relation: 'oneToMany', target: uid, private: true, visible: false },
  };
}

/** What of an attribute is its schema's, under the schema's names. */
function attributeOf(attribute: Attribute): Record<string, unknown> {
  const {
    name: _name,
    localized,
    visibility: _visibility,
    readOnly,
    unlisted,
    unsearched,
    ...rest
  } = attribute as Attribute & Record<string, unknown>;
  const { inverse, owner, namesInverse: _names, columnName: _column, indexed: _indexed, ...written } = rest;
  const isSaid = (name: string, value: unknown): boolean =>
    name === 'multiple' || (value !== undefined && value !== (name === 'useJoinTable'));
  const said = Object.entries(written).filter(([name, value]) => isSaid(name, value));
  return {
    ...Object.fromEntries(said.filter(([, value]) => !(Array.isArray(value) && value.length === 0))),
    ...(inverse === undefined ? {} : { [owner ? 'inversedBy' : 'mappedBy']: inverse }),
    ...(readOnly ? { writable: false } : {}),
    ...(unlisted ? { visible: false } : {}),
    ...(unsearched ? { searchable: false } : {}),
    ...(attribute.visibility ? { conditions: { visible: attribute.visibility.condition } } : {}),
    ...(localized ? { pluginOptions: { i18n: { localized: true } } } : {}),
  };
}

const globalId = (name: string): string =>
  name
    .split('-')
    .map((word) => (word[0] ?? '').toUpperCase() + word.slice(1))
    .join('');
