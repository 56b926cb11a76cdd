/** Content types and components as project code sees them: `strapi.contentTypes`, `strapi.getModel(uid)`. */
import { isObject } from '../../plain-values.ts';
import { BUILT_IN } from '../../schema/built-in.ts';
import { type Catalog, FIRST_PUBLISHED, type Model } from '../../schema/catalog.ts';
import type { SchemaChange } from '../../schema/files.ts';
import { type Layout, layoutOf } from '../../schema/layout/layout.ts';
import { unchangeable, unsupported } from '../guarded.ts';
import { ABSENT_TYPES, type AbsentType, type ReferenceType, referenceType } from './reference-types.ts';

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
   * Replaces the schema of a type, as an extension of a plugin may do. The schema may be as in a file: the additions of
   * the reference come from the previous one.
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

  /**
   * Fills in the schemas of a catalog, in the objects that code already has. @param layout undefined before it exists.
   */
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
    for (const [uid, type] of Object.entries(ABSENT_TYPES)) {
      this.#contentTypes[uid] ??= withFile(absentSchema(uid, type));
    }
    put(this.#components, catalog.components);
  }

  /** Refuses changes from now on. */
  close(): void {
    this.#isOpen = false;
  }

  /**
   * The changes of code since the schemas were filled in.
   *
   * @throws Unsupported for a type that code has added or removed, and for a change that affects tables.
   */
  get changes(): SchemaChange[] {
    return [...Object.entries(this.#contentTypes), ...Object.entries(this.#components)].flatMap(([uid, schema]) => {
      // changes of a type without a table have no effect
      if (Object.hasOwn(ABSENT_TYPES, uid)) return [];
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
  const { uid, singularName, collectionName, modelType, declared } = model;
  // by the last two events of lifecycles know a model
  const common = { uid, collectionName, modelType, modelName: singularName, singularName, tableName };
  if (model.modelType === 'component') {
    const { category } = model;
    const { info = { displayName: model.displayName }, options = {}, pluginOptions } = written(declared);
    return {
      ...{ ...common, modelType, category, info, options, globalId: globalId(declared, `component_${uid}`) },
      ...(pluginOptions === undefined ? {} : { pluginOptions }),
      attributes: attributesOf(model),
    };
  }
  const { pluralName, displayName, draftAndPublish, showsCreators } = model;
  const isShown = model.attributes.get(FIRST_PUBLISHED)?.managed === true;
  // an extension may say otherwise than the schema that it extends
  const own = BUILT_IN.get(uid);
  const complete = { ...declared, ...differing(referenceType(uid), own, declared) };
  const { info, options, ...rest } = written(complete);
  return {
    ...common,
    ...typeFields(uid, singularName, declared),
    modelType,
    kind: model.kind,
    info: { singularName, pluralName, displayName, ...(info as object) },
    options: { ...(options as object), draftAndPublish },
    ...rest,
    attributes: { ...attributesOf(model), ...systemAttributes(uid, tableName, { showsCreators, isShown }) },
  };
}

/** The schema of a type that Galley has no table for. */
function absentSchema(uid: string, { collectionName, ...type }: AbsentType): Schema {
  const { info, options, attributes, ...rest } = copied(type);
  const singularName = String(info['singularName']);
  return {
    ...{ uid, collectionName, modelType: 'contentType', modelName: singularName, singularName },
    ...{ tableName: collectionName, ...typeFields(uid, singularName, {}), kind: 'collectionType', info },
    ...{ options: { ...options, draftAndPublish: false }, ...rest },
    attributes: { ...attributes, ...systemAttributes(uid, collectionName, {}) },
  } as Schema;
}

/** The members of a schema that depend on the origin of its type. */
function typeFields(uid: string, singularName: string, declared: Fields) {
  const plugin = /^plugin::([^.]+)|^(admin)(?=::)/.exec(uid)?.slice(1).find(Boolean);
  return {
    globalId: globalId(declared, plugin === undefined ? singularName : `${plugin}-${singularName}`),
    apiName: /^api::([^.]+)/.exec(uid)?.[1],
    plugin,
    ...(plugin === undefined ? { actions: {} } : {}),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Parts of a schema file, besides its attributes, that code reads as they stand there. */
const SHOWN = ['info', 'options', 'pluginOptions', 'config', 'indexes'];

const written = (declared: Fields): Record<string, unknown> =>
  copied(Object.fromEntries(Object.entries(declared).filter(([key]) => SHOWN.includes(key))));

/** Strapi's schema of a built-in type, below the settings of the project. */
const differing = (type: Partial<ReferenceType> = {}, own: Fields | undefined, declared: Fields): Fields =>
  Object.fromEntries(
    Object.entries(type).flatMap(([key, value]) => {
      if (key === 'attributes') return [];
      const said = declared[key];
      if (said === own?.[key]) return [[key, value]];
      return key === 'info' || key === 'options' ? [[key, { ...(value as object), ...(said as object) }]] : [];
    }),
  );

/** The attributes of a schema as it says them, without those that the server adds. */
function attributesOf({ uid, attributes, declared }: Model): Record<string, Record<string, unknown>> {
  const [type, own] = [referenceType(uid)?.attributes ?? {}, attributesIn(BUILT_IN.get(uid))];
  const said = attributesIn(declared);
  const names = [...attributes.values()].filter(({ managed }) => !managed).map(({ name }) => name);
  const isReferences = (name: string): boolean => Object.hasOwn(type, name) && said[name] === own[name];
  // in the order of the schema, whose last attributes may have no column
  const others = Object.keys(type).filter((name) => !attributes.has(name) && isReferences(name));
  return Object.fromEntries(
    [...names, ...others].map((name) => {
      const { underlyingType: _type, ...one } = copied((isReferences(name) ? type[name] : said[name]) ?? {}) as Fields;
      const attribute = attributes.get(name);
      return [name, one['type'] === 'customField' && attribute ? { ...one, type: attribute.type } : one];
    }),
  );
}

const attributesIn = (schema: Fields | undefined): Readonly<Record<string, Fields>> =>
  (schema?.['attributes'] ?? {}) as Readonly<Record<string, Fields>>;

/** A copy of plain objects and lists, since code may change what it reads. */
function copied<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copied) as T;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copied(one)])) as T;
}

function systemAttributes(
  uid: string,
  tableName: string,
  { showsCreators = false, isShown = false }: { showsCreators?: boolean | undefined; isShown?: boolean },
): Record<string, Record<string, unknown>> {
  const time = { type: 'datetime' };
  const unlisted = { configurable: false, visible: false };
  const creator = {
    ...{ type: 'relation', relation: 'oneToOne', target: 'admin::user' },
    ...{ ...unlisted, writable: false, useJoinTable: false, private: !showsCreators },
  };
  const published = { ...time, configurable: false, writable: true };
  const document = { name: 'document_id', referencedColumn: 'document_id', referencedTable: tableName };
  return {
    createdAt: time,
    updatedAt: { ...time },
    publishedAt: { ...published, visible: true },
    createdBy: creator,
    updatedBy: { ...creator },
    ...(isShown ? { [FIRST_PUBLISHED]: { ...published, visible: false, private: false } } : {}),
    locale: { ...unlisted, type: 'string', writable: true, private: true },
    localizations: {
      ...{ type: 'relation', relation: 'oneToMany', target: uid, ...unlisted, writable: false, private: true },
      ...{ unstable_virtual: true, joinColumn: document },
    },
  };
}

/** The name of a model among all: `UploadFile`. */
const globalId = (declared: Fields, name: string): string =>
  typeof declared['globalId'] === 'string'
    ? declared['globalId']
    : (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [])
        .map((word) => word[0]!.toUpperCase() + word.slice(1).toLowerCase())
        .join('');
