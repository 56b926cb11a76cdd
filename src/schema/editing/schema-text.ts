/** The texts of schema files, with the keys in the order in which people and the reference write them. */
import type { RawSchema } from '../built-in.ts';
import { isSameJson, jsonText, type TextRules } from './json-text.ts';

const TOP = [
  ...['kind', 'renamedFrom', 'collectionName', 'info', 'options', 'pluginOptions', 'attributes'],
  ...['indexes', 'foreignKeys', 'config'],
];
const INFO = ['singularName', 'pluralName', 'displayName', 'name', 'icon', 'description'];
const OPTIONS = ['draftAndPublish', 'populateCreatorFields', 'privateAttributes'];
const ATTRIBUTE = [
  ...[
    'type',
    'renamedFrom',
    'customField',
    'underlyingType',
    'relation',
    'target',
    'inversedBy',
    'mappedBy',
    'morphBy',
  ],
  ...['useJoinTable', 'component', 'components', 'repeatable', 'multiple', 'allowedTypes', 'enum', 'targetField'],
  ...['options', 'regex', 'default', 'required', 'unique', 'index', 'private', 'min', 'max', 'minLength', 'maxLength'],
  ...['searchable', 'visible', 'writable', 'configurable', 'columnName', 'columnType', 'column'],
  ...['conditions', 'pluginOptions'],
];

function usual([first, ...rest]: readonly string[]): readonly string[] | undefined {
  if (first === undefined) return TOP;
  if (rest.length === 0) return { info: INFO, options: OPTIONS }[first];
  return first === 'attributes' && rest.length === 1 ? ATTRIBUTE : undefined;
}

/** The order of attributes is the one of forms and tables. */
const isOrdered = (path: readonly string[]): boolean => path.length === 1 && path[0] === 'attributes';

/**
 * The text of a schema file.
 *
 * @param before the existing text; undefined for a new file.
 * @param formerNames former names of renamed attributes by their new ones.
 */
export function schemaText(
  schema: RawSchema,
  before?: string,
  formerNames: ReadonlyMap<string, string> = new Map(),
): string {
  const rules: TextRules = {
    usual,
    isOrdered,
    formerly: (path, key) => (isOrdered(path) ? (formerNames.get(key) ?? key) : key),
  };
  return jsonText(schema, before, rules);
}

/** Whether two schemas, or the parts of them at a path, say the same. */
export const isSameSchema = (one: unknown, other: unknown, path: readonly string[] = []): boolean =>
  isSameJson(one, other, isOrdered, path);

/** The schema of a text. @throws SyntaxError if it is not JSON. */
export const parsedSchema = (text: string): unknown => JSON.parse(text.replace(/^\uFEFF/, ''));
