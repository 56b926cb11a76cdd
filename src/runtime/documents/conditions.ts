/**
 * Conditions of code as the reference reads them: it refuses what is no condition, and drops tests of an empty list. Values
 * that Galley does not compare as the reference does are refused with their unit of work.
 *
 * `$not` around a relation or component to many is met by a row with some related row that does not match. It moves inward
 * here, to the tests of the related row, since filters of requests mean that no related row matches.
 */
import { validation } from '../../errors.ts';
import { attributeOf, type Catalog, FILE_UID, isToMany, type Model } from '../../schema/catalog.ts';
import { unsupported } from '../guarded.ts';

export type Conditions = Readonly<Record<string, unknown>>;

const GROUPS: ReadonlySet<string> = new Set(['$and', '$or']);
const FLAGS: ReadonlySet<string> = new Set(['$null', '$notNull']);
/** Operators that take a list as one value; a list under any other one means one of its values. */
const LISTS: ReadonlySet<string> = new Set(['$in', '$notIn', '$between']);
/** Comparisons, which the ids of related rows have as well. */
const ORDERS: ReadonlySet<string> = new Set(['$gt', '$gte', '$lt', '$lte', '$between']);
const COMPARISONS: ReadonlySet<string> = new Set([...LISTS, ...ORDERS, '$eq', '$ne']);
const TEXT_OPERATORS: ReadonlySet<string> = new Set([
  ...['$eqi', '$nei', '$startsWith', '$endsWith', '$startsWithi', '$endsWithi'],
  ...['$contains', '$notContains', '$containsi', '$notContainsi'],
]);
const EXPERIMENTAL = '$jsonSupersetOf';
const isTest = (name: string): boolean =>
  name === '$not' || name === EXPERIMENTAL || FLAGS.has(name) || COMPARISONS.has(name) || TEXT_OPERATORS.has(name);
const isOperator = (name: string): boolean => GROUPS.has(name) || isTest(name);

/** Fields of a row that are no attributes of its schema. */
const FIELDS: ReadonlySet<string> = new Set([
  ...['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'firstPublishedAt', 'locale'],
]);

/** Refuses conditions that are no object: they would match every row. @throws Error as the reference does. */
export function requireObject(conditions: unknown): asserts conditions is Conditions {
  if (!isRecord(conditions)) throw new Error('Where must be an object');
}

/** The same of the groups in conditions, where no model says what their names are. */
export function requireGroups(conditions: unknown): void {
  if (Array.isArray(conditions)) unsupported('a list in place of a condition');
  if (!isRecord(conditions)) throw new Error(NO_CONDITIONS);
  for (const [name, value] of Object.entries(conditions)) {
    if (GROUPS.has(name)) for (const member of listed(name, value)) requireGroups(member);
    else if (name === '$not' && value !== null && value !== undefined) requireGroups(value);
  }
}

const NO_CONDITIONS = 'Where must be an array or an object';

function listed(group: string, value: unknown, wrong: (message: string) => Error = Error): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(`Operator ${group} must be an array`);
  return value;
}

/**
 * Conditions on the rows of a model.
 *
 * @param ofRows whether they are of `strapi.db.query`. Those of documents may have empty parts, which ask for nothing.
 * @throws Error for what is no condition. @throws Unsupported for values that are compared in another way here.
 */
export function conditionsOf(catalog: Catalog, model: Model | undefined, given: unknown, ofRows: boolean): Conditions {
  requireObject(given);
  return new Reading(catalog, ofRows).conditions(ofRows ? given : withoutEmpty(given), model);
}

class Reading {
  readonly #catalog: Catalog;
  readonly #ofRows: boolean;

  constructor(catalog: Catalog, ofRows: boolean) {
    this.#catalog = catalog;
    this.#ofRows = ofRows;
  }

  conditions(given: unknown, model: Model | undefined): Conditions {
    if (!isRecord(given)) throw this.#wrong(NO_CONDITIONS);
    return all(Object.entries(given).map(([name, value]) => this.#one(name, value, model)));
  }

  #one(name: string, value: unknown, model: Model | undefined): Conditions {
    if (GROUPS.has(name))
      return { [name]: listed(name, value, this.#wrong).map((member) => this.#member(member, model)) };
    if (name === '$not') return this.#negated(this.#member(value ?? {}, model), model);
    if (isTest(name)) {
      throw this.#wrong(`Only $and, $or and $not can only be used as root level operators. Found ${name}.`);
    }
    const attribute = model && attributeOf(model, name);
    if (!attribute) return this.#unlisted(name, value, model);
    switch (attribute.type) {
      case 'relation':
      case 'media':
      case 'component':
        if (attribute.type === 'relation' && attribute.target === undefined) throw this.#wrong(untyped('relation'));
        return this.#link(name, value, this.#behind(model, name));
      case 'dynamiczone':
        throw this.#wrong(untyped('dynamiczone'));
      case 'password':
        return unsupported(`a condition on the password ${name} of ${model!.uid}`);
      default:
        return this.#scalar(name, value, attribute.type === 'boolean' ? booleanOf : undefined);
    }
  }

  /** A condition on what is no attribute of the schema. */
  #unlisted(name: string, value: unknown, model: Model | undefined): Conditions {
    if (!model && isRecord(value) && !Object.keys(value).every(isTest)) return this.#link(name, value, undefined);
    if (!model || FIELDS.has(name)) return this.#scalar(name, value);
    if (hasVersions(model, name)) return this.#link(name, value, model);
    // the reference has columns by these names
    if (name === 'localizations' || (this.#ofRows && name.includes('_'))) {
      return unsupported(`the condition ${name} of ${model.uid}`);
    }
    return { [name]: value };
  }

  /** A member of a group, where the reference takes the names in a list for columns. */
  #member(given: unknown, model: Model | undefined): Conditions {
    if (!Array.isArray(given)) return this.conditions(given, model);
    for (const one of given) if (!isRecord(one)) throw this.#wrong(NO_CONDITIONS);
    const isEmpty = given.every((one) => Object.keys(one as object).length === 0);
    return isEmpty ? {} : unsupported('a list in place of a condition');
  }

  /** A condition on what an attribute leads to, or on the id of that. */
  #link(name: string, value: unknown, target: Model | undefined): Conditions {
    if (!isRecord(value)) return { [name]: this.#idOperand(name, value) };
    const names = Object.keys(value);
    const operators = names.filter(isOperator);
    if (operators.length > 0 && operators.length !== names.length) {
      throw this.#wrong('Operator and non-operator keys cannot be mixed in a relation where clause');
    }
    if (operators.length > 1) {
      throw this.#wrong(`Only one operator key is allowed in a relation where clause, but found: ${operators}`);
    }
    const [operator] = operators;
    if (operator === undefined || GROUPS.has(operator)) return { [name]: this.conditions(value, target) };
    const operand = value[operator];
    if (operator === '$not') return this.#notLinked(name, operand);
    if (FLAGS.has(operator)) return flag(name, operator, operand);
    if (!COMPARISONS.has(operator)) return unsupported(`${operator} at the relation ${name}`);
    return compared(name, operator, operand, (one) => this.#idOperand(name, one, operator));
  }

  /** A condition on a column. @param cast gives the stored form of a value. */
  #scalar(name: string, value: unknown, cast: (value: unknown) => unknown = (one) => one): Conditions {
    const operandOf = (one: unknown): unknown =>
      Array.isArray(one) ? one.map((inner) => cast(operand(name, inner))) : cast(operand(name, one));
    const own = name === 'id' ? (one: unknown, operator?: string) => this.#idOperand(name, one, operator) : operandOf;
    if (!isRecord(value)) return { [name]: own(value) };
    const textOf = (one: unknown): unknown => textOperand(name, one);
    const parts: Conditions[] = [];
    for (const [operator, given] of Object.entries(value)) {
      if (!isTest(operator)) throw this.#wrong(`Undefined attribute level operator ${operator}`);
      if (operator === EXPERIMENTAL) return unsupported(operator);
      if (FLAGS.has(operator)) parts.push(flag(name, operator, given));
      else if (operator === '$not' && isRecord(given)) parts.push({ $not: this.#scalar(name, given, cast) });
      else if (operator === '$not' && Array.isArray(given))
        parts.push(any(given.map((one) => this.#scalar(name, { $not: one }, cast))));
      else if (operator === '$not' && name === 'id') parts.push({ $not: { id: own(given) } });
      else if (TEXT_OPERATORS.has(operator)) parts.push(compared(name, operator, given, textOf));
      else parts.push(compared(name, operator, given, (one) => own(one, operator)));
    }
    const tests = parts.map((part) => part[name]).filter(isRecord);
    return tests.length === parts.length && tests.length > 0 ? { [name]: Object.assign({}, ...tests) } : all(parts);
  }

  /** `$not` right at a relation, where the reference takes ids alone. */
  #notLinked(name: string, operand: unknown): Conditions {
    if (Array.isArray(operand)) return any(operand.map((one) => this.#notLinked(name, one)));
    if (!isRecord(operand)) return { [name]: { $not: this.#idOperand(name, operand) } };
    const [first] = Object.keys(operand);
    if (first === undefined) return {};
    const inner = operand['$not'];
    if (first === '$not' && !isRecord(inner)) return { [name]: this.#idOperand(name, inner) };
    throw this.#wrong(`Undefined attribute level operator ${first}`);
  }

  /** An id or a list of ids. */
  #idOperand(name: string, given: unknown, operator = '$eq'): unknown {
    if (Array.isArray(given))
      return given.map((one) => (Array.isArray(one) ? operand(name, one) : this.#idOperand(name, one, operator)));
    const isId = given === null || given === undefined || typeof given === 'number' || typeof given === 'string';
    const isOrder = ORDERS.has(operator) && given !== null;
    if (isOrder && !this.#ofRows && !Number.isFinite(Number(given))) throw validation('Invalid number');
    if (!isId || (isOrder && !Number.isFinite(Number(given)))) {
      return unsupported(`a value of ${name} that is no row id`);
    }
    return typeof given === 'number' && !Number.isInteger(given) && !isOrder ? String(Number.NaN) : given;
  }

  #behind(model: Model | undefined, name: string): Model | undefined {
    return hasVersions(model, name) ? model : modelBehind(this.#catalog, model, name);
  }

  /** Requests may have the conditions of documents, whose errors they are. */
  #wrong = (message: string): Error => (this.#ofRows ? new Error(message) : validation(message));

  /** The conditions that some row, or some related row, does not meet. @param conditions as `conditions` gives them. */
  #negated(conditions: Conditions, model: Model | undefined): Conditions {
    if (!this.#leadsToMany(conditions, model)) return { $not: conditions };
    const parts = Object.entries(conditions).map(([name, value]): Conditions => {
      const negated = (members: unknown): Conditions[] =>
        (members as Conditions[]).map((member) => this.#negated(member, model));
      if (name === '$and') return { $or: negated(value) };
      if (name === '$or') return { $and: negated(value) };
      if (name === '$not') return value as Conditions;
      const target = this.#behind(model, name);
      const [operator] = isRecord(value) ? Object.keys(value) : [];
      if (!target || value === null || FLAGS.has(operator ?? '')) return { $not: { [name]: value } };
      if (isRecord(value) && (operator === undefined || !isTest(operator))) {
        return { [name]: { $or: [this.#negated(value, target)] } };
      }
      const ids = isRecord(value) ? value : Array.isArray(value) ? { $in: value } : { $eq: value };
      return { [name]: { $or: [{ $not: { id: ids } }] } };
    });
    return parts.length === 1 ? parts[0]! : { $or: parts };
  }

  /** Whether conditions go through a relation or component to many. */
  #leadsToMany(conditions: Conditions, model: Model | undefined): boolean {
    return Object.entries(conditions).some(([name, value]) => {
      const members = GROUPS.has(name) ? (value as Conditions[]) : name === '$not' ? [value as Conditions] : undefined;
      if (members) return members.some((member) => this.#leadsToMany(member, model));
      const target = this.#behind(model, name);
      if (!model || !target) return false;
      return isToMany(model, name) || (isRecord(value) && this.#leadsToMany(value, target));
    });
  }
}

/** Whether an attribute leads to the other versions of a document. */
const hasVersions = (model: Model | undefined, name: string): boolean =>
  name === 'localizations' && model?.modelType === 'contentType' && model.localized;

/** Where an attribute leads to, if that is always the same. */
export function modelBehind(catalog: Catalog, model: Model | undefined, name: string): Model | undefined {
  const attribute = model && attributeOf(model, name);
  if (attribute?.type === 'component') return catalog.components.get(attribute.component);
  if (attribute?.type === 'media') return catalog.contentTypes.get(FILE_UID);
  return attribute?.type === 'relation' ? catalog.contentTypes.get(attribute.target ?? '') : undefined;
}

/** Whether there is a value. */
function flag(name: string, operator: string, given: unknown): Conditions {
  if (Array.isArray(given)) return any(given.map((one) => flag(name, operator, one)));
  if (isRecord(given)) return unsupported(`an object under ${operator}`);
  return { [name]: { [operator]: Boolean(given) } };
}

/** A comparison, of which one with an empty list of alternatives asks for nothing. */
function compared(name: string, operator: string, given: unknown, operandOf: (given: unknown) => unknown): Conditions {
  if (Array.isArray(given) && given.length === 0 && operator !== '$in') {
    // none of no values: every row meets it, those without a value too
    if (operator === '$notIn') return any([{ [name]: { $null: true } }, { [name]: { $notNull: true } }]);
    if (!LISTS.has(operator)) return {};
  }
  const isList = operator === '$in' || operator === '$notIn';
  return { [name]: { [operator]: operandOf(isList ? [given].flat() : given) } };
}

/** A value that both compare alike. */
function operand(name: string, given: unknown): unknown {
  if (typeof given === 'object' && given !== null && !(given instanceof Date)) {
    return unsupported(`a list or an object as a value of ${name}`);
  }
  return given;
}

const textOperand = (name: string, given: unknown): unknown =>
  Array.isArray(given) ? given.map((one) => operand(name, one)) : operand(name, given);

const TRUE: readonly unknown[] = ['true', 't', '1', 1];
const FALSE: readonly unknown[] = ['false', 'f', '0', 0];

/** A flag as the reference stores it. */
function booleanOf(value: unknown): unknown {
  if (value === null || value === undefined) return value;
  return TRUE.includes(value) ? true : FALSE.includes(value) ? false : Boolean(value);
}

const untyped = (type: string): string => `You cannot filter on ${type} types`;

/** Conditions of which all must be met. */
function all(parts: readonly Conditions[]): Conditions {
  const names = parts.flatMap((part) => Object.keys(part));
  return new Set(names).size === names.length ? (Object.assign({}, ...parts) as Conditions) : { $and: parts };
}

/** Conditions of which one must be met; of none nothing is asked. */
const any = (parts: readonly Conditions[]): Conditions =>
  parts.length === 0 ? {} : parts.length === 1 ? parts[0]! : { $or: parts };

/** Conditions of documents without empty objects, at any depth, and with flags in place of the words for them. */
function withoutEmpty(given: unknown): unknown {
  const isEmpty = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;
  if (Array.isArray(given)) return given.map(withoutEmpty).filter((one) => !isEmpty(one));
  if (!isRecord(given)) return given;
  const left = Object.entries(given).map(
    ([name, value]) => [name, FLAGS.has(name) ? (booleanOf(value) ?? false) : withoutEmpty(value)] as const,
  );
  return Object.fromEntries(left.filter(([, value]) => !isEmpty(value)));
}

/** Whether a value is an ordinary object, of whatever realm. */
function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
