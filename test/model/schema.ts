/** Content types of the model: read from the schema files, without the server's own code. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface RelationPart {
  readonly kind: 'relation';
  readonly name: string;
  /** Uid of the target; undefined where any type may be linked. */
  readonly target: string | undefined;
  readonly many: boolean;
  readonly owner: boolean;
  readonly inverse: string | undefined;
  /** Whether the links are a column: it holds one row, and the other side keeps no order. */
  readonly column: boolean;
}

export interface ComponentPart {
  readonly kind: 'parts';
  readonly name: string;
  readonly zone: boolean;
  readonly many: boolean;
  readonly components: readonly string[];
  readonly shared: boolean;
  readonly required: boolean;
  readonly max: number;
}

export interface ScalarPart {
  readonly kind: 'scalar';
  readonly name: string;
  readonly shared: boolean;
  readonly required: boolean;
  /** The one value of an attribute that is only there because it is required. */
  readonly fixed: unknown;
}

export type Attribute = RelationPart | ComponentPart | ScalarPart;

export interface Model {
  readonly uid: string;
  readonly path: string;
  readonly single: boolean;
  readonly drafts: boolean;
  readonly localized: boolean;
  readonly isComponent: boolean;
  readonly table: string;
  readonly attributes: ReadonlyMap<string, Attribute>;
}

export type Schema = ReadonlyMap<string, Model>;

// biome-ignore lint/suspicious/noExplicitAny: schema files are of any form
type Raw = any;

/** Reads the schema files of a project folder. Of scalars it takes texts and integers alone. */
export function readSchema(dir: string): Schema {
  const models = new Map<string, Model>();
  for (const file of globSync('src/api/*/content-types/*/schema.json', { cwd: dir })) {
    const raw = JSON.parse(readFileSync(path.join(dir, file), 'utf8')) as Raw;
    const name = raw.info.singularName;
    const localized = raw.pluginOptions?.i18n?.localized === true;
    const single = raw.kind === 'singleType';
    models.set(`api::${name}.${name}`, {
      uid: `api::${name}.${name}`,
      path: single ? name : raw.info.pluralName,
      single,
      drafts: raw.options?.draftAndPublish === true,
      localized,
      isComponent: false,
      table: raw.collectionName,
      attributes: attributesOf(raw, localized),
    });
  }
  if (!existsSync(path.join(dir, 'src/components'))) return models;
  for (const file of globSync('src/components/*/*.json', { cwd: dir })) {
    const raw = JSON.parse(readFileSync(path.join(dir, file), 'utf8')) as Raw;
    const uid = `${path.basename(path.dirname(file))}.${path.basename(file, '.json')}`;
    const table = raw.collectionName;
    const model = { uid, path: '', single: false, drafts: false, localized: false, isComponent: true, table };
    models.set(uid, { ...model, attributes: attributesOf(raw, false) });
  }
  return models;
}

function attributesOf(raw: Raw, localizedType: boolean): Map<string, Attribute> {
  const attributes = new Map<string, Attribute>();
  for (const [name, attribute] of Object.entries(raw.attributes as Record<string, Raw>)) {
    const shared = localizedType && attribute.pluginOptions?.i18n?.localized !== true;
    const made = attributeOf(name, attribute, shared);
    if (made) attributes.set(name, made);
  }
  return attributes;
}

function attributeOf(name: string, raw: Raw, shared: boolean): Attribute | undefined {
  const required = raw.required === true;
  switch (raw.type) {
    case 'relation':
      // links written from a morph's other side are tested by themselves
      if (raw.morphBy) return undefined;
      return {
        kind: 'relation',
        name,
        target: raw.target,
        many: /Many$/.test(raw.relation),
        owner: raw.mappedBy === undefined,
        inverse: raw.inversedBy ?? raw.mappedBy,
        column: raw.useJoinTable === false || raw.relation === 'morphToOne',
      };
    case 'component':
      return {
        kind: 'parts',
        name,
        zone: false,
        many: raw.repeatable === true,
        components: [raw.component],
        shared,
        required,
        max: raw.max ?? 4,
      };
    case 'dynamiczone':
      return {
        kind: 'parts',
        name,
        zone: true,
        many: true,
        components: raw.components,
        shared,
        required,
        max: raw.max ?? 4,
      };
    case 'string':
    case 'text':
      if (raw.private || raw.regex) return undefined;
      return { kind: 'scalar', name, shared, required, fixed: undefined };
    case 'datetime':
      return required ? { kind: 'scalar', name, shared, required, fixed: '2024-05-06T07:08:09.123Z' } : undefined;
    default:
      return undefined;
  }
}
