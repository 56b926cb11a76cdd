/** Content types and components as project code sees them: `strapi.contentTypes`, `strapi.getModel(uid)`. */
import {
  type Attribute,
  type Catalog,
  type ContentType,
  FIRST_PUBLISHED,
  type Model,
} from '../../../schema/catalog.ts';
import { type Layout, layoutOf, type ModelLayout } from '../../../schema/layout/layout.ts';
import { unchangeable } from '../guarded.ts';

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

export interface Schemas {
  readonly contentTypes: Readonly<Record<string, Schema>>;
  readonly components: Readonly<Record<string, Schema>>;
  /** The schema of a content type or a component; undefined where there is none. */
  of(uid: string): Schema | undefined;
}

/** The schemas of a catalog. What code changes in them is refused: the database and the plans are made already. */
export function schemasOf(catalog: Catalog, layout: Layout): Schemas {
  const made = (models: ReadonlyMap<string, Model>, name: string): Record<string, Schema> =>
    unchangeable(
      name,
      Object.fromEntries([...models].map(([uid, model]) => [uid, schemaOf(model, layoutOf(layout, uid))])),
    );
  const contentTypes = made(catalog.contentTypes, 'strapi.contentTypes');
  const components = made(catalog.components, 'strapi.components');
  return { contentTypes, components, of: (uid) => contentTypes[uid] ?? components[uid] };
}

function schemaOf(model: Model, { table: tableName }: ModelLayout): Schema {
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
