/**
 * The Catalog: the content of all schema files, resolved and frozen. It contains content types, components and
 * attributes, but neither tables (see `layout.ts`) nor files (see `load.ts`).
 */

/** Attribute types that are stored in one column of the type's own table. */
export const SCALAR_TYPES = [
  'string',
  'text',
  'richtext',
  'blocks',
  'email',
  'password',
  'uid',
  'enumeration',
  'integer',
  'biginteger',
  'float',
  'decimal',
  'boolean',
  'date',
  'time',
  'datetime',
  'timestamp',
  'json',
] as const;
export type ScalarType = (typeof SCALAR_TYPES)[number];

interface AttributeBase {
  readonly name: string;
  readonly required: boolean;
  /** Never readable, filterable or sortable for callers. */
  readonly private: boolean;
  /** Never shown, like a password, whatever a View permits, since it would let its reader act as another account. */
  readonly secret?: true;
  /**
   * Whether each locale has its own value: the i18n option, and always for relations and uid attributes
   * (docs/reference/query-parameters.md, "Locale"). False throughout a type that is not localized.
   */
  readonly localized: boolean;
  /** Maintained by the server, without a schema file; copies of a document do not have it. */
  readonly managed?: true;
  /** `writable: false`: only code of the project may write it. */
  readonly readOnly?: true;
  /** `visible: false`: it is missing in forms and lists of the administration app. */
  readonly unlisted?: true;
  /** `conditions.visible`: if it is not met, the attribute is hidden and its value not validated. */
  readonly visibility?: Visibility;
}

/** The condition for showing an attribute. */
export interface Visibility {
  /** A condition in JSON Logic (`json-logic.ts`) on the values of the same row or component. */
  readonly condition: unknown;
  /** The attributes of the same model that the condition reads. */
  readonly dependsOn: ReadonlySet<string>;
}

export interface ScalarAttribute extends AttributeBase {
  readonly type: ScalarType;
  readonly unique: boolean;
  /** `searchable: false`: `_q` does not search it. */
  readonly unsearched?: true;
  /** Whether lists are often filtered or sorted by it, so that it gets an index. Galley's own. */
  readonly indexed: boolean;
  /** The value in a new document without the attribute; undefined for none. */
  readonly default: unknown;
  readonly min: number | string | undefined;
  readonly max: number | string | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly regex: string | undefined;
  /** The values of an enumeration; empty for other types. */
  readonly enum: readonly string[];
  /** `columnName` of the schema, used unchanged. */
  readonly columnName: string | undefined;
  /** `column: {unique, defaultTo}`: the only options that reach the database. */
  readonly column: { readonly unique: boolean; readonly defaultTo: unknown } | undefined;
  /** `columnType.type` of the schema: another type of column. */
  readonly columnType?: string;
  /** Name of its custom field: `plugin::color-picker.color`. */
  readonly customField?: string;
  /** Options of the custom field or uid in the schema. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** The attribute from which a uid is generated. */
  readonly targetField?: string;
}

/** The values of `allowedTypes` of a media attribute. */
export const MEDIA_KINDS: readonly string[] = ['images', 'videos', 'audios', 'files'];

export interface MediaAttribute extends AttributeBase {
  readonly type: 'media';
  readonly multiple: boolean;
  /** `images`, `videos`, `audios`, `files`; empty for all. */
  readonly allowedTypes: readonly string[];
}

export type RelationKind =
  | 'oneToOne'
  | 'oneToMany'
  | 'manyToOne'
  | 'manyToMany'
  | 'morphToOne'
  | 'morphToMany'
  | 'morphOne'
  | 'morphMany';

export interface RelationAttribute extends AttributeBase {
  readonly type: 'relation';
  readonly relation: RelationKind;
  /** Uid of the target type; undefined for morphToOne and morphToMany, which can have any target. */
  readonly target: string | undefined;
  /** The attribute of the other side in a two-sided relation (`inversedBy` or `mappedBy`), which names this one. */
  readonly inverse: string | undefined;
  /**
   * Whether the schema names an inverse, even if that does not name this attribute: the link table then has an order
   * for it.
   */
  readonly namesInverse: boolean;
  /** False on the `mappedBy` side, whose links are stored in the other side's table. */
  readonly owner: boolean;
  /** `morphBy` of morphOne and morphMany: the morphTo attribute of the target. */
  readonly morphBy: string | undefined;
  /** False if the schema uses a column of the owner's table instead of a link table. */
  readonly useJoinTable: boolean;
}

export interface ComponentAttribute extends AttributeBase {
  readonly type: 'component';
  /** Uid of the component: `<category>.<name>`, lower case. */
  readonly component: string;
  readonly repeatable: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

export interface DynamicZoneAttribute extends AttributeBase {
  readonly type: 'dynamiczone';
  readonly components: readonly string[];
  readonly min: number | undefined;
  readonly max: number | undefined;
}

export type Attribute =
  | ScalarAttribute
  | MediaAttribute
  | RelationAttribute
  | ComponentAttribute
  | DynamicZoneAttribute;

/** The common part of content types and components: a table with attributes. */
interface ModelBase {
  /** `api::article.article`, `plugin::upload.file`, `shared.seo`. */
  readonly uid: string;
  readonly singularName: string;
  /** The `collectionName` of the schema or its default; the table's name may be shortened. */
  readonly collectionName: string;
  readonly displayName: string;
  /** The name of an icon in the schema. */
  readonly icon?: string;
  /** In schema order, without the system fields. */
  readonly attributes: ReadonlyMap<string, Attribute>;
  /** The schema-level `indexes` of the file, created under their own names. */
  readonly indexes: readonly DeclaredIndex[];
  /** The schema as declared in its file. */
  readonly declared: Readonly<Record<string, unknown>>;
}

export interface DeclaredIndex {
  readonly name: string;
  readonly columns: readonly string[];
  readonly type: string | undefined;
}

export interface ContentType extends ModelBase {
  readonly modelType: 'contentType';
  readonly kind: 'collectionType' | 'singleType';
  readonly pluralName: string;
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
  /**
   * True for types of the project (`src/api`), which have content routes. Built-in types are in the Catalog for
   * relations and queries.
   */
  readonly routed: boolean;
  /** Whether it is a type of every project: files, accounts and the like. */
  readonly builtIn: boolean;
  /** Whether callers may see the authors of its documents: `options.populateCreatorFields`. */
  readonly showsCreators?: boolean;
  /** Whether it is hidden from editors: `pluginOptions.content-manager.visible` is false. */
  readonly unlisted?: boolean;
  /** Names of private attributes and system fields, besides attributes that say so themselves. */
  readonly hidden: readonly string[];
  /** The stages of review, if the schema file declares them. */
  readonly reviewStages?: ReviewStages;
}

/** A stage of the review of a type's documents. */
export interface DeclaredStage {
  readonly name: string;
  /** `#rrggbb` or `#rgb`. */
  readonly color: string;
  /** Codes of the administrators' roles that may move documents out of the stage, and into it. */
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** `reviewStages` of a schema file. */
export interface ReviewStages {
  /** The file, for the administration. */
  readonly file: string;
  /** In their order. Documents begin in the first. */
  readonly stages: readonly DeclaredStage[];
  /** The name of the stage in which documents may be published; undefined for any. */
  readonly requiredToPublish: string | undefined;
}

export interface Component extends ModelBase {
  readonly modelType: 'component';
  readonly category: string;
}

export type Model = ContentType | Component;

export interface Catalog {
  readonly contentTypes: ReadonlyMap<string, ContentType>;
  readonly components: ReadonlyMap<string, Component>;
}

export const FILE_UID = 'plugin::upload.file';
export const FOLDER_UID = 'plugin::upload.folder';
export const USER_UID = 'plugin::users-permissions.user';
export const ROLE_UID = 'plugin::users-permissions.role';
export const PERMISSION_UID = 'plugin::users-permissions.permission';
export const LOCALE_UID = 'plugin::i18n.locale';

/** The uid of releases in changes. */
export const RELEASE_UID = 'plugin::content-releases.release';
export const ADMIN_USER_UID = 'admin::user';

/**
 * The time of the first publication of a version, if the project enables it (docs/reference/schemas.md, "First
 * publication").
 */
export const FIRST_PUBLISHED = 'firstPublishedAt';

/** Names of the authors of a row, which every content type has. */
export const CREATORS: readonly string[] = ['createdBy', 'updatedBy'];

const creator = (name: string): RelationAttribute => ({
  type: 'relation',
  name,
  required: false,
  private: true,
  localized: true,
  relation: 'manyToOne',
  target: ADMIN_USER_UID,
  inverse: undefined,
  namesInverse: false,
  owner: true,
  morphBy: undefined,
  useJoinTable: false,
});
const creators = new Map(CREATORS.map((name) => [name, creator(name)]));

/**
 * The attribute with a name: an attribute of the schema, or the relation to the authors of a row, which no schema
 * contains.
 */
export function attributeOf(model: Model, name: string): Attribute | undefined {
  return model.attributes.get(name) ?? (model.modelType === 'contentType' ? creators.get(name) : undefined);
}

/** Whether callers may see the authors of a model's documents. */
export const showsCreatorsOf = (model: Model): boolean =>
  model.modelType === 'contentType' && model.showsCreators === true;

/** Whether a name is one of `CREATORS` and not an attribute of the schema. */
export const isCreator = (model: Model, name: string): boolean => !model.attributes.has(name) && creators.has(name);

/** The content type or component with a uid. Throws if there is none, which is a programming error. */
export function modelOf(catalog: Catalog, uid: string): Model {
  const model = catalog.contentTypes.get(uid) ?? catalog.components.get(uid);
  if (!model) throw new Error(`the catalog has no ${uid}`);
  return model;
}

/** Types of readable columns: attribute types, and the row id. */
export type FieldType = ScalarType | 'id';

/** Text types, which operators can compare without case and `_q` searches. */
export const TEXT_TYPES: ReadonlySet<string> = new Set(['string', 'text', 'richtext', 'email', 'uid', 'enumeration']);
/** Number types, whose digits `_q` searches. */
export const NUMBER_TYPES: ReadonlySet<string> = new Set(['integer', 'biginteger', 'float', 'decimal']);

/** True for an attribute with its own column. */
export function isScalar(attribute: Attribute): attribute is ScalarAttribute {
  return (
    attribute.type !== 'relation' &&
    attribute.type !== 'media' &&
    attribute.type !== 'component' &&
    attribute.type !== 'dynamiczone'
  );
}

/** True for an attribute with several target types: zones and morph relations. */
export function isPolymorphic(attribute: Attribute): boolean {
  if (attribute.type === 'dynamiczone') return true;
  return attribute.type === 'relation' && attribute.target === undefined;
}

/** True for a name that leads to a list of rows. */
export function isToMany(model: Model, name: string): boolean {
  const attribute = attributeOf(model, name);
  switch (attribute?.type) {
    case undefined:
      return true; // localizations
    case 'media':
      return attribute.multiple;
    case 'component':
      return attribute.repeatable;
    case 'relation':
      return /Many$/.test(attribute.relation);
    default:
      return true;
  }
}
