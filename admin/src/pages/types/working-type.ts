/** A content type or component while it is edited: its schema with the attributes in order. */
import type { ContentTypeFile, SchemaChanges } from '../../../contract/content-types.ts';

/** The options of an attribute, as in its schema file. */
export interface Options {
  readonly type: string;
  readonly [option: string]: unknown;
}

export interface WorkingAttribute {
  /** Identifies the attribute while its name changes. */
  readonly key: string;
  /** The name in the stored schema; null for a new attribute. */
  readonly from: string | null;
  readonly name: string;
  readonly options: Options;
}

export type Json = Readonly<Record<string, unknown>>;

export interface WorkingType {
  readonly uid: string;
  /** The uid of the stored type; null for a new one. */
  readonly from: string | null;
  readonly kind: ContentTypeFile['kind'];
  readonly category: string | null;
  /** The revision of the file from which the changes started; null if there was no file. */
  readonly revision: string | null;
  /** The schema without its attributes. */
  readonly schema: Json;
  readonly attributes: readonly WorkingAttribute[];
  readonly isRemoved: boolean;
}

/** The content type or component of a stored schema, without changes. */
export function workingType({ uid, kind, category, revision, schema }: ContentTypeFile): WorkingType {
  const { attributes, ...rest } = schema;
  return {
    uid,
    from: uid,
    kind,
    category,
    revision,
    schema: rest,
    attributes: Object.entries((attributes ?? {}) as Readonly<Record<string, Options>>).map(([name, options]) => ({
      key: name,
      from: name,
      name,
      options,
    })),
    isRemoved: false,
  };
}

/** The whole schema of a working type. */
export function schemaOf({ schema, attributes }: WorkingType): Json {
  return { ...schema, attributes: Object.fromEntries(attributes.map(({ name, options }) => [name, options])) };
}

/** The change of a working type, as it is sent. */
export function changeOf(type: WorkingType): SchemaChanges['changes'][number] {
  const renamed = type.attributes.filter(({ from, name }) => from !== null && from !== name);
  return {
    uid: type.uid,
    kind: type.kind,
    revision: type.revision,
    schema: type.isRemoved ? null : schemaOf(type),
    renames: type.isRemoved ? {} : Object.fromEntries(renamed.map(({ from, name }) => [from!, name])),
    ...(type.from !== null && type.from !== type.uid && { renamedFrom: type.from }),
  };
}

/** Whether a working type differs from its stored schema. */
export function isChanged(type: WorkingType, stored: ContentTypeFile | undefined): boolean {
  if (!stored) return !type.isRemoved;
  return (
    type.isRemoved || type.uid !== stored.uid || type.kind !== stored.kind || !isEqual(schemaOf(type), stored.schema)
  );
}

/** Whether two schemas are equal, including the order of attributes. */
export function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A setting or an attribute that differs between two schemas. */
export interface DifferingPart {
  readonly name: string;
  readonly isSetting: boolean;
  /** JSON texts; undefined where the part is absent. */
  readonly own: string | undefined;
  readonly other: string | undefined;
}

/** The parts in which two schemas differ: settings, then attributes. */
export function differingParts(one: Json, two: Json): readonly DifferingPart[] {
  const parts = (own: Json, other: Json, isSetting: boolean): DifferingPart[] =>
    [...new Set([...Object.keys(own), ...Object.keys(other)])]
      .filter((name) => !isEqual(own[name], other[name]))
      .map((name) => ({ name, isSetting, own: JSON.stringify(own[name]), other: JSON.stringify(other[name]) }));
  const { attributes: ownOnes, ...ownSettings } = one;
  const { attributes: otherOnes, ...otherSettings } = two;
  return [
    ...parts(ownSettings, otherSettings, true),
    ...parts((ownOnes ?? {}) as Json, (otherOnes ?? {}) as Json, false),
  ];
}

const infoOf = ({ schema }: WorkingType): Json => (schema['info'] ?? {}) as Json;

export const infoText = (type: WorkingType, name: string): string => {
  const value = infoOf(type)[name];
  return typeof value === 'string' ? value : '';
};

export const nameOfType = (type: WorkingType): string => infoText(type, 'displayName') || type.uid;

/** A value below keys of an object; undefined if it is absent. */
export function optionAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((at, key) => (isJson(at) ? at[key] : undefined), value);
}

/** An object with a value below keys. Undefined removes the value, and objects that become empty. */
export function withOption<T extends Json>(value: T, keys: readonly string[], next: unknown): T {
  const [first, ...rest] = keys as [string, ...string[]];
  const inner = rest.length === 0 ? next : withOption(isJson(value[first]) ? value[first] : {}, rest, next);
  const isEmpty = inner === undefined || (rest.length > 0 && Object.keys(inner as Json).length === 0);
  if (!isEmpty) return { ...value, [first]: inner };
  const { [first]: _removed, ...others } = value;
  return others as T;
}

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const LOCALIZED = ['pluginOptions', 'i18n', 'localized'] as const;
export const isLocalized = (value: Json): boolean => optionAt(value, LOCALIZED) === true;
export const withLocalized = <T extends Json>(value: T, on: boolean): T =>
  withOption(value, LOCALIZED, on || undefined);

export const hasDrafts = ({ schema }: WorkingType): boolean =>
  optionAt(schema, ['options', 'draftAndPublish']) === true;

/** The uids of the components that an attribute contains. */
export function componentsOf({ component, components }: Options): readonly string[] {
  const all = Array.isArray(components) ? components : [component];
  return all.filter((uid): uid is string => typeof uid === 'string');
}
