/** How the columns of a file become attributes: the possible targets, a guess, and the options of an import. */
import type { View } from '../access/view.ts';
import { ContentError, validation } from '../errors.ts';
import { at, Failures } from '../failures.ts';
import { choices } from '../nearest.ts';
import { isObject, JSON_DEPTH } from '../plain-values.ts';
import {
  type Attribute,
  type ContentType,
  isScalar,
  type MediaAttribute,
  type RelationAttribute,
  type ScalarAttribute,
} from '../schema/catalog.ts';
import { type CellForm, DATE_ORDERS, DECIMAL_SIGNS, jsonOf } from './cells.ts';
import { linkedType, usualField } from './columns.ts';
import { DELIMITERS, type Delimiter } from './exporting.ts';

/** Where the cells of a column go. */
export type Target = { readonly name: string } & (
  | { readonly kind: 'documentId' }
  | { readonly kind: 'locale' }
  | { readonly kind: 'field'; readonly attribute: ScalarAttribute }
  | { readonly kind: 'part'; readonly attribute: Exclude<Attribute, ScalarAttribute | RelationAttribute> }
  | { readonly kind: 'link'; readonly attribute: RelationAttribute | MediaAttribute; readonly by: string }
);

/** The Views with which rows are read and written. */
export interface ImportViews {
  readonly read: View;
  readonly create: View;
  readonly update: View;
}

/** The options of an import. */
export interface ImportOptions extends CellForm {
  /** The target of each column of the file; null: it is not imported. */
  readonly columns: readonly (string | null)[];
  /** The target by which rows find their documents; null: each row becomes a new document. */
  readonly key: string | null;
  /** The locale of rows that name none; undefined: the default one. */
  readonly locale: string | undefined;
  readonly isPublished: boolean;
  /** Whether an empty cell clears a value, or leaves it. */
  readonly clears: boolean;
  /** Whether nothing is written. */
  readonly isTrial: boolean;
}

/** Attribute types that find documents by their value. */
const KEY_TYPES: ReadonlySet<string> = new Set([
  'string',
  'text',
  'email',
  'uid',
  'integer',
  'biginteger',
  'enumeration',
]);

/** A possible target. */
export interface PossibleTarget {
  readonly target: Target;
  /** Whether documents can be found by it. */
  readonly isKey: boolean;
  /** Whether its values differ between documents. */
  readonly isUnique: boolean;
}

/** The targets of a type as far as they may be written; the id of documents only finds them. */
export function targetsOf({ read, create, update }: ImportViews, type: ContentType): readonly PossibleTarget[] {
  const shown = read.of(type);
  const mayWrite = (name: string) => create.of(type).writable.has(name) || update.of(type).writable.has(name);
  const own = [...type.attributes.values()].flatMap((attribute): PossibleTarget[] => {
    const { name } = attribute;
    if (!mayWrite(name) || attribute.type === 'password') return [];
    if (isScalar(attribute)) {
      const isKey = KEY_TYPES.has(attribute.type) && shown.filterable.has(name);
      return [{ target: { name, kind: 'field', attribute }, isKey, isUnique: isUnique(attribute) }];
    }
    const none = { isKey: false, isUnique: false };
    if (attribute.type === 'component' || attribute.type === 'dynamiczone') {
      return [{ target: { name, kind: 'part', attribute }, ...none }];
    }
    const usual = usualField(attribute);
    return fieldsOf(read, attribute).map((by) => ({
      target: { name: by === usual ? name : `${name}.${by}`, kind: 'link', attribute, by },
      ...none,
    }));
  });
  return [
    { target: { name: 'documentId', kind: 'documentId' }, isKey: true, isUnique: true },
    ...(type.localized ? [{ target: { name: 'locale', kind: 'locale' }, isKey: false, isUnique: false } as const] : []),
    ...own,
  ];
}

const isUnique = ({ type, unique }: ScalarAttribute): boolean => unique || type === 'uid';

/** The fields by which the documents of an attribute can be found; files only by their id. */
function fieldsOf(read: View, attribute: RelationAttribute | MediaAttribute): string[] {
  const usual = usualField(attribute);
  if (attribute.type === 'media') return [usual];
  const type = linkedType(read, attribute);
  if (!type) return [];
  const { filterable } = read.of(type);
  const unique = [...type.attributes.values()].filter(
    (one) =>
      isScalar(one) && KEY_TYPES.has(one.type) && isUnique(one) && filterable.has(one.name) && read.of(type).isSeen,
  );
  return [usual, ...unique.map(({ name }) => name)];
}

const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}.]/gu, '');

/** The targets that columns of these names probably have, each once. */
export function guessColumns(targets: readonly PossibleTarget[], columns: readonly string[]): (string | null)[] {
  const names = new Map(targets.map(({ target }) => [plain(target.name), target.name]));
  const taken = new Set<string>();
  return columns.map((column) => {
    const name = names.get(plain(column)) ?? null;
    const attribute = name?.split('.')[0];
    if (attribute === undefined || taken.has(attribute)) return null;
    taken.add(attribute);
    return name;
  });
}

/** The target by which rows probably find their documents; null for none. */
export function guessKey(targets: readonly PossibleTarget[], columns: readonly (string | null)[]): string | null {
  const keys = targets.filter(({ target, isKey, isUnique }) => isKey && isUnique && columns.includes(target.name));
  return keys[0]?.target.name ?? null;
}

/** The target of each column; null for columns that are not imported. */
export type Targets = readonly (Target | null)[];

/**
 * The targets that options name.
 *
 * @param names the columns of the file.
 * @throws ContentError 400 with each wrong column and a wrong key.
 */
export function namedTargets(
  possible: readonly PossibleTarget[],
  names: readonly string[],
  { columns, key }: Pick<ImportOptions, 'columns' | 'key'>,
): Targets {
  const failures = new Failures();
  if (columns.length !== names.length) failures.add(at('columns'), `columns must have ${names.length} targets`);
  const taken = new Map<string, number>();
  const targets = columns.map((name, index) => {
    if (name === null) return null;
    const found = possible.find(({ target }) => target.name === name)?.target;
    const hint = () =>
      choices(
        name,
        possible.map(({ target }) => target.name),
      );
    if (!found) failures.add(at('columns', index), `${name} cannot be written${hint()}`);
    const attribute = name.split('.')[0]!;
    const other = taken.get(attribute);
    if (other !== undefined) failures.add(at('columns', index), `${attribute} is the target of two columns`);
    taken.set(attribute, index);
    if (found?.kind === 'documentId' && key !== 'documentId') {
      failures.add(at('columns', index), 'documentId can only be the key');
    }
    return found ?? null;
  });
  const isKey = possible.some(({ target, isKey }) => isKey && target.name === key);
  if (key !== null && !isKey) failures.add(at('key'), `Documents cannot be found by ${key}`);
  else if (key !== null && !columns.includes(key)) failures.add(at('key'), `No column has the target ${key}`);
  if (targets.every((target) => target === null)) failures.add(at('columns'), 'At least one column must have a target');
  failures.throwAny();
  return targets;
}

/**
 * The options in the JSON text of a form.
 *
 * @throws ContentError 400 with each wrong option.
 */
export function optionsIn(text: string | undefined): ImportOptions & { readonly delimiter: Delimiter | undefined } {
  const body = bodyOf(text);
  const failures = new Failures();
  failures.addUnknown(body, [
    ...['columns', 'key', 'locale', 'status', 'empty', 'dryRun', 'decimal', 'dates', 'delimiter'],
  ]);
  const oneOf = <T extends string>(name: string, values: readonly T[], usual: T): T => {
    const value = body[name] ?? usual;
    const known = values.find((one) => one === value);
    if (known === undefined) failures.add(at(name), `${name} must be one of ${values.join(' ')}`, value);
    return known ?? usual;
  };
  const { columns = [], key = null, locale, dryRun = false } = body;
  const isTarget = (one: unknown) => one === null || typeof one === 'string';
  if (!Array.isArray(columns) || !columns.every(isTarget))
    failures.add(at('columns'), 'columns must be a list of names');
  if (!isTarget(key)) failures.add(at('key'), 'key must be the name of a target', key);
  if (locale !== undefined && typeof locale !== 'string') failures.add(at('locale'), 'locale must be a code', locale);
  if (typeof dryRun !== 'boolean') failures.add(at('dryRun'), 'dryRun must be true or false', dryRun);
  const options = {
    columns: columns as readonly (string | null)[],
    key: key as string | null,
    locale: locale as string | undefined,
    isPublished: oneOf('status', ['draft', 'published'], 'draft') === 'published',
    clears: oneOf('empty', ['clear', 'keep'], 'clear') === 'clear',
    isTrial: dryRun as boolean,
    decimal: oneOf('decimal', DECIMAL_SIGNS, '.'),
    dates: oneOf('dates', DATE_ORDERS, 'dmy'),
    delimiter: body['delimiter'] === undefined ? undefined : oneOf('delimiter', DELIMITERS, ','),
  };
  failures.throwAny();
  return options;
}

function bodyOf(text = '{}'): Readonly<Record<string, unknown>> {
  const body = jsonOf(text);
  if (body === undefined)
    throw new ContentError('SyntaxError', `options must be JSON with at most ${JSON_DEPTH} levels`);
  if (!isObject(body)) throw validation('options must be an object');
  return body;
}
