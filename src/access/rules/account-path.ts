/** Values of the caller, as rules of access name them: `$user.email`, `$user.company.id`. */
import { choices } from '../../nearest.ts';
import type { Operator } from '../../query/content-query.ts';
import { COMPARISONS } from '../../query/filters.ts';
import {
  type FieldType,
  isPolymorphic,
  isScalar,
  isToMany,
  type Model,
  NUMBER_TYPES,
  TEXT_TYPES,
  USER_UID,
} from '../../schema/catalog.ts';
import type { AccountPath } from '../condition.ts';
import type { View } from '../view.ts';

/** Operators that take any number of values. */
const LISTING: ReadonlySet<Operator> = new Set(['$in', '$notIn']);

/**
 * Resolves a value of the caller's account.
 *
 * @param view a View that sees everything.
 * @param named such as `$user.company.id`.
 * @throws Error for an unknown name, for a private value, for a value that is not a text, number, time or choice, and
 * for a path through several types.
 */
export function accountPath(view: View, named: string): AccountPath {
  const names = named.slice('$user.'.length).split('.');
  const field = names.pop()!;
  let model: Model = view.catalog.contentTypes.get(USER_UID)!;
  let hasMany = false;
  for (const name of names) {
    requireOpen(model, name, named);
    const attribute = model.attributes.get(name);
    if (!attribute || isScalar(attribute) || isPolymorphic(attribute)) {
      throw new Error(`a caller has no value ${named}: ${name} leads to no value${choices(name, leading(model))}`);
    }
    hasMany ||= isToMany(model, name);
    model = view.into(model, attribute);
    if (model.uid.startsWith('admin::')) throw new Error(`a caller has no value ${named}: ${model.uid} is not shown`);
  }
  requireOpen(model, field, named);
  const { filterable } = view.of(model);
  const type = filterable.get(field);
  if (type === undefined) {
    const attribute = model.attributes.get(field);
    const hint = attribute && !isScalar(attribute) ? `: name one of its attributes, such as ${named}.id` : '';
    throw new Error(`a caller has no value ${named}${hint || choices(field, open(model, filterable.keys()))}`);
  }
  return { steps: names, field, type, hasMany };
}

/** @throws Error for a test that a value of the caller cannot be part of. */
export function requireComparable(
  { field, type, operator }: { readonly field: string; readonly type: FieldType; readonly operator: Operator },
  path: AccountPath,
): void {
  const kinds = [type, path.type].map(comparedAs);
  if (kinds[0] === undefined || kinds[0] !== kinds[1]) {
    throw new Error(
      `a value of the caller of type ${path.type} cannot be compared with ${field}, which is of type ${type}`,
    );
  }
  if (!COMPARISONS.has(operator)) {
    throw new Error(
      `a value of the caller cannot be compared by ${operator}: there are ${[...COMPARISONS].join(', ')}`,
    );
  }
  if (path.hasMany && !LISTING.has(operator)) {
    throw new Error(`the caller may have several values ${path.steps.join('.')}.${path.field}: use $in or $notIn`);
  }
}

/** The kind as which values of a type are compared; undefined for types that cannot be compared. */
function comparedAs(type: FieldType): string | undefined {
  if (type === 'id' || NUMBER_TYPES.has(type)) return 'number';
  if (TEXT_TYPES.has(type)) return 'text';
  if (type === 'timestamp') return 'datetime';
  return ['boolean', 'date', 'time', 'datetime'].includes(type) ? type : undefined;
}

const isPrivate = (model: Model, name: string): boolean =>
  model.attributes.get(name)?.private === true ||
  model.attributes.get(name)?.type === 'password' ||
  (model.modelType === 'contentType' && model.hidden.includes(name));

function requireOpen(model: Model, name: string, named: string): void {
  if (isPrivate(model, name)) throw new Error(`${named} cannot be compared with: ${name} is private`);
}

const open = (model: Model, names: Iterable<string>): string[] => [...names].filter((name) => !isPrivate(model, name));

const leading = (model: Model): string[] =>
  open(model, model.attributes.keys()).filter((name) => {
    const attribute = model.attributes.get(name)!;
    return !isScalar(attribute) && !isPolymorphic(attribute);
  });
