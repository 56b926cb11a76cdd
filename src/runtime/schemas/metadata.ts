/** `strapi.db.metadata`: how types and components are stored, in the reference's form. */
import type { Attribute, Catalog, Model } from '../../schema/catalog.ts';
import { FILE_UID, modelOf } from '../../schema/catalog.ts';
import { type Layout, layoutOf, type ModelLayout, type RelationLayout } from '../../schema/layout/layout.ts';
import { guarded, missingMember, unchangeable } from '../guarded.ts';
import { isOfReference } from '../members/members.ts';
import { ABSENT_TYPES } from './reference-types.ts';
import type { Schemas } from './schemas.ts';

type Fields = Readonly<Record<string, unknown>>;

const ID = { referencedColumn: 'id' };

/** The metadata of all models, which are read-only: changes by code are refused. */
export function metadataOf(catalog: Catalog, layout: Layout, schemas: Schemas): object {
  const models = new Map<string, Model>([...catalog.contentTypes, ...catalog.components]);
  const created = new Map<string, object>();
  const get = (uid: string): object => {
    const known = created.get(uid);
    if (known) return known;
    const [model, place] = [models.get(uid), `strapi.db.metadata.get('${uid}')`];
    if (!model && (isOfReference(uid) || LINKS.test(uid)) && !ABSENT.has(uid)) missingMember(place);
    if (!model && !ABSENT.has(uid)) throw new Error(`Metadata for "${uid}" not found`);
    const one = model
      ? guarded(place, unchangeable(place, metadata({ catalog, layout, schemas }, model)))
      : guarded(place, absentMetadata(uid), { missing: OF_ABSENT });
    created.set(uid, one);
    return one;
  };
  const uids = () => [...new Set([...models.keys(), ...ABSENT.keys()])];
  const entries = () => uids().map((uid) => [uid, get(uid)] as const);
  return guarded('strapi.db.metadata', {
    get,
    has: (uid: string) =>
      models.has(uid) || ABSENT.has(uid) || (LINKS.test(uid) && missingMember(`strapi.db.metadata.has('${uid}')`)),
    keys: () => uids().values(),
    values: () =>
      entries()
        .map(([, one]) => one)
        .values(),
    entries: () => entries().values(),
    forEach: (visit: (one: object, uid: string) => unknown) => {
      for (const [uid, one] of entries()) visit(one, uid);
    },
    size: uids().length,
    [Symbol.iterator]: () => entries().values(),
  });
}

/** Models of Strapi without a table in Galley, by uid: their names. */
const ABSENT: ReadonlyMap<string, readonly [singularName: string, tableName: string]> = new Map([
  ...Object.entries(ABSENT_TYPES).map(
    ([uid, { info, collectionName }]) => [uid, [String(info['singularName']), collectionName]] as const,
  ),
  ['strapi::core-store', ['strapi_core_store_settings', 'strapi_core_store_settings']],
  ['strapi::webhook', ['strapi_webhooks', 'strapi_webhooks']],
  ['plugin::content-manager.history-version', ['history-version', 'strapi_history_versions']],
  ['plugin::upload.ai-metadata-job', ['ai-metadata-job', 'strapi_ai_metadata_jobs']],
  ['plugin::i18n.ai-localization-job', ['ai-localization-job', 'strapi_ai_localization_jobs']],
]);

/** Names of models that Strapi has for tables of links. */
const LINKS = /_(?:lnk|mph|cmps)$/;

/** Members that cannot be read. */
const OF_ABSENT: ReadonlySet<string> = new Set([
  ...['attributes', 'columnToAttribute', 'foreignKeys', 'indexes', 'lifecycles'],
]);

function absentMetadata(uid: string): object {
  const [singularName, tableName] = ABSENT.get(uid)!;
  return { uid, singularName, tableName };
}

interface Source {
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly schemas: Schemas;
}

function metadata(source: Source, model: Model): object {
  const { uid, singularName } = model;
  const layout = layoutOf(source.layout, uid);
  const { attributes: declared } = source.schemas.of(uid)!;
  const attributes: Record<string, Fields> = {};
  attributes['id'] = { type: 'increments', columnName: 'id' };
  if (model.modelType === 'contentType') attributes['documentId'] = { type: 'string', columnName: 'document_id' };
  for (const [name, written] of Object.entries(declared)) {
    attributes[name] = attributeOf(source, layout, { name, written, attribute: model.attributes.get(name) });
  }
  const columnToAttribute = Object.fromEntries(
    Object.entries(attributes).map(([name, { columnName = name }]) => [columnName, name]),
  );
  return { uid, singularName, tableName: layout.table, attributes, columnToAttribute };
}

interface Described {
  readonly name: string;
  /** As its schema has it. */
  readonly written: Fields;
  /** Undefined for those that no schema mentions. */
  readonly attribute: Attribute | undefined;
}

function attributeOf(source: Source, layout: ModelLayout, { name, written, attribute }: Described): Fields {
  const columnName = layout.columns.get(name);
  if (columnName !== undefined) return { ...written, columnName };
  if (name === 'localizations' && attribute === undefined) {
    const column = 'document_id';
    return { ...written, joinColumn: { name: column, referencedColumn: column, referencedTable: layout.table } };
  }
  switch (attribute?.type) {
    case 'media': {
      const relation = attribute.multiple ? 'morphMany' : 'morphOne';
      return { type: 'relation', relation, target: FILE_UID, morphBy: 'related' };
    }
    case 'component': {
      const relation = attribute.repeatable ? 'oneToMany' : 'oneToOne';
      const to = { inverseJoinColumn: { name: 'cmp_id', ...ID }, orderColumnName: 'order' };
      const joinTable = { ...entriesTable(layout, name), ...to };
      return { type: 'relation', relation, target: attribute.component, joinTable };
    }
    case 'dynamiczone': {
      const idColumn = { name: 'cmp_id', ...ID };
      const morphColumn = { idColumn, typeColumn: { name: 'component_type' }, typeField: '__component' };
      return { type: 'relation', relation: 'morphToMany', joinTable: { ...entriesTable(layout, name), morphColumn } };
    }
    default: {
      const relation = layout.relations.get(name);
      return relation ? { ...written, ...linked(source, layout, relation, written) } : written;
    }
  }
}

/** The table that ties entries of components to their owners. */
const entriesTable = ({ componentsTable }: ModelLayout, field: string): Fields => ({
  name: componentsTable,
  joinColumn: { name: 'entity_id', ...ID },
  on: { field },
  orderBy: { order: 'asc' },
  pivotColumns: ['entity_id', 'cmp_id', 'field', 'component_type'],
});

/** Where a relation keeps its links. */
function linked(
  { catalog, layout: all }: Source,
  layout: ModelLayout,
  relation: RelationLayout,
  written: Fields,
): Fields {
  const table = () => layoutOf(all, modelOf(catalog, String(written['target'])).uid).table;
  switch (relation.kind) {
    case 'link': {
      const { table: name, source, target: other, order, inverseOrder } = relation;
      const joinTable = {
        name,
        joinColumn: { name: source, ...ID, referencedTable: layout.table },
        inverseJoinColumn: { name: other, ...ID, referencedTable: table() },
        pivotColumns: written['mappedBy'] === undefined ? [source, other] : [other, source],
        ...(order === null ? {} : { orderColumnName: order, orderBy: { [order]: 'asc' } }),
        ...(inverseOrder === null ? {} : { inverseOrderColumnName: inverseOrder }),
      };
      return { joinTable };
    }
    case 'column':
      return { joinColumn: { name: relation.column, ...ID, referencedTable: table() } };
    case 'inverseColumn':
      return { joinColumn: { name: 'id', referencedColumn: relation.column } };
    case 'morphColumns':
      return { morphColumn: { typeColumn: { name: relation.type }, idColumn: { name: relation.id, ...ID } } };
    case 'morphTable': {
      const { table: name, source, id, type, order } = relation;
      const morphColumn = { typeColumn: { name: type }, idColumn: { name: id, ...ID } };
      const pivotColumns = [source, type, id];
      return {
        joinTable: {
          name,
          joinColumn: { name: source, ...ID },
          morphColumn,
          orderBy: { [order]: 'asc' },
          pivotColumns,
        },
      };
    }
    case 'morphInverse':
      return {};
  }
}
