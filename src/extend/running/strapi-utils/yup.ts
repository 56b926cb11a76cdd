/** yup with the checks and the words that the reference adds to it: they are there for all that use the package. */
import { strings } from './primitives.ts';

type AddMethod = (type: unknown, name: string, method: (this: Chain, ...args: never[]) => unknown) => void;
type Message = string | ((mistake: { readonly path: string }) => string);
interface Chain {
  test(name: string, message: Message, test: (this: TestContext, value: unknown) => unknown): unknown;
}
interface TestContext {
  readonly path: string;
  createError(mistake: { path: string; message: string }): Error;
}
export interface Yup {
  readonly addMethod: AddMethod;
  readonly setLocale: (locale: object) => void;
  readonly ValidationError: new (errors: readonly Error[]) => Error;
  readonly MixedSchema: new (options: object) => object;
  readonly mixed: unknown;
  readonly string: unknown;
  readonly object: unknown;
  readonly array: unknown;
}

const isNil = (value: unknown): boolean => value === undefined || value === null;
const isFunction = (value: unknown): boolean => typeof value === 'function';

/** What a project has as `yup` of `@strapi/utils`. */
export function extendedYup(yup: Yup): object {
  const { addMethod, MixedSchema, ValidationError } = yup;
  const add = (type: unknown, name: string, test: string, says: string, isRight: (value: unknown) => boolean) =>
    addMethod(type, name, function (message: Message = ({ path }) => `${path} ${says}`) {
      return this.test(test, message, isRight);
    });
  const isFunctionOrNothing = (value: unknown) => value === undefined || isFunction(value);
  const areFunctions = (value: unknown) => isNil(value) || Object.values(value as object).every(isFunction);
  const isCamel = (value: unknown) => !value || strings.isCamelCase(String(value));
  const isKebab = (value: unknown) => !value || strings.isKebabCase(String(value));
  add(yup.mixed, 'notNil', 'defined', 'must be defined.', (value) => !isNil(value));
  add(yup.mixed, 'notNull', 'defined', 'cannot be null.', (value) => value !== null);
  add(yup.mixed, 'isFunction', 'is a function', 'is not a function', isFunctionOrNothing);
  add(yup.string, 'isCamelCase', 'is in camelCase', 'is not in camel case (anExampleOfCamelCase)', isCamel);
  add(yup.string, 'isKebabCase', 'is in kebab-case', 'is not in kebab case (an-example-of-kebab-case)', isKebab);
  const notFunctions = 'contains values that are not functions';
  add(yup.object, 'onlyContainsFunctions', 'only contains functions', notFunctions, areFunctions);
  addMethod(yup.array, 'uniqueProperty', function (name: string, message: string) {
    return this.test('unique', message, function (list) {
      const values = ((list ?? []) as readonly Readonly<Record<string, unknown>>[]).map((one) => one?.[name]);
      const twice = values.flatMap((value, index) =>
        values.indexOf(value) === values.lastIndexOf(value) ? [] : [`${this.path}[${index}].${name}`],
      );
      if (twice.length > 0) throw new ValidationError(twice.map((path) => this.createError({ path, message })));
      return true;
    });
  });
  yup.setLocale({ mixed: { notType } });
  class StrapiIDSchema extends MixedSchema {
    constructor() {
      super({ type: 'strapiID', check: isId });
    }

    _typeCheck(value: unknown): boolean {
      return isId(value);
    }
  }
  return { ...yup, StrapiIDSchema, strapiID: () => new StrapiIDSchema() };
}

const isId = (value: unknown): boolean => typeof value === 'string' || (Number.isInteger(value) && Number(value) >= 0);

interface WrongType {
  readonly path: string;
  readonly type: string;
  readonly value: unknown;
  readonly originalValue: unknown;
}

/** What is said of a value of another type: without yup's advice to whoever wrote the schema. */
function notType({ path, type, value, originalValue }: WrongType): string {
  const isCast = !isNil(originalValue) && originalValue !== value;
  const from = isCast ? ` (cast from the value \`${printed(originalValue)}\`).` : '.';
  return `${path} must be a \`${type}\` type, but the final value was: \`${printed(value)}\`${from}`;
}

function printed(value: unknown): string {
  const text = printedSimply(value);
  if (text !== undefined) return text;
  return JSON.stringify(
    value,
    function (this: Record<string, unknown>, key, inner: unknown) {
      return printedSimply(this[key]) ?? inner;
    },
    2,
  );
}

function printedSimply(value: unknown): string | undefined {
  if (typeof value === 'string') return `"${value}"`;
  if (typeof value === 'function') return `[Function ${value.name || 'anonymous'}]`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : value.toISOString();
  if (value instanceof Error) return `[${String(value)}]`;
  if (value instanceof RegExp) return String(value);
  if (typeof value === 'object' && value !== null) return undefined;
  return Object.is(value, -0) ? '-0' : String(value);
}
