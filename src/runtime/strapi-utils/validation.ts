/**
 * `yup`, `z` and the functions around them. Both packages are the project's: those that its `@strapi/utils` has where
 * that is installed, else its own.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { unsupported } from '../guarded.ts';
import { ApplicationError, errors, formatYupErrors, YupValidationError } from '../requests/strapi-errors.ts';
import { strings } from './primitives.ts';

/** A package that the reference installs along with itself. */
function installed(dir: string, name: string, version: string): object {
  const own = createRequire(join(dir, 'package.json'));
  for (const require of [viaStrapi(own), own]) {
    try {
      if (require) return require(name) as object;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  const [bare] = name.split('/');
  return unsupported(
    `${bare} of @strapi/utils without the package: add ${bare} (${version} in Strapi) to the project's dependencies. It`,
  );
}

/** The dependencies of the project's `@strapi/utils`; undefined if it is not installed. */
function viaStrapi(own: NodeJS.Require): NodeJS.Require | undefined {
  for (const path of [['@strapi/utils'], ['@strapi/strapi', '@strapi/utils']]) {
    try {
      return path.reduce((require, name) => createRequire(require.resolve(name)), own);
    } catch {
      // looked for elsewhere
    }
  }
  return undefined;
}

type Schema = Readonly<Record<'validate' | 'validateSync', (value: unknown, options: object) => unknown>>;

/** Rethrows an error of yup: its own failures in the form that clients get. */
function rethrown(error: unknown, message: string | undefined): never {
  if (error instanceof Error && !(error instanceof ApplicationError) && error.name === 'ValidationError')
    throw new YupValidationError(error, message);
  throw error;
}

const DEFAULTS = { strict: true, abortEarly: false };

function validateYupSchema(schema: Schema, options: object = {}) {
  return async (body: unknown, message?: string): Promise<unknown> => {
    try {
      return await schema.validate(body, { ...DEFAULTS, ...options });
    } catch (error) {
      return rethrown(error, message);
    }
  };
}

function validateYupSchemaSync(schema: Schema, options: object = {}) {
  return (body: unknown, message?: string): unknown => {
    try {
      return schema.validateSync(body, { ...DEFAULTS, ...options });
    } catch (error) {
      return rethrown(error, message);
    }
  };
}

interface ZodFailure {
  readonly issues: readonly { readonly path: readonly unknown[]; readonly message: string }[];
}
const isZodFailure = (error: unknown): error is ZodFailure =>
  Array.isArray((error as Partial<ZodFailure> | null)?.issues);

function validateZodSchema(schema: { readonly parse: (data: unknown) => unknown }) {
  return (data: unknown, message?: string): unknown => {
    try {
      return schema.parse(data);
    } catch (error) {
      if (!isZodFailure(error)) throw error;
      const mistakes = error.issues.map((issue) => ({
        path: issue.path.map(String),
        message: issue.message,
        name: 'ValidationError',
      }));
      throw new errors.ValidationError(message || (mistakes[0]?.message ?? 'Validation error'), { errors: mistakes });
    }
  };
}

/** The first message of each path. */
function getZodValidationErrors({ issues }: ZodFailure): Record<string, string> {
  return Object.fromEntries([...issues].reverse().map(({ path, message }) => [path.join('.'), message]));
}

/** The members of `@strapi/utils` that check values. @param dir the project's folder. */
export function validation(dir: string) {
  let yup: object | undefined;
  return {
    /** @throws Unsupported where yup is not installed. */
    get yup() {
      yup ??= extendedYup(installed(dir, 'yup', '0.32.9') as Yup);
      return yup;
    },
    get z() {
      return installed(dir, 'zod/v4', '4');
    },
    validateYupSchema,
    validateYupSchemaSync,
    formatYupErrors,
    validateZodSchema,
    getZodValidationErrors,
  };
}

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

/** `yup` of `@strapi/utils`. */
function extendedYup(yup: Yup): object {
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

/** The message for a value of another type, without yup's advice to the author of the schema. */
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
