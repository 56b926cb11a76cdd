/**
 * `yup`, `z` and the functions around them. Both packages are the project's: those that its `@strapi/utils` has where
 * that is installed, else its own.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { unsupported } from '../guarded.ts';
import { ApplicationError, errors, formatYupErrors, YupValidationError } from '../requests/strapi-errors.ts';
import { extendedYup, type Yup } from './yup.ts';

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

/** What the project's `@strapi/utils` requires; undefined where it is not installed. */
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

/** Whatever yup has thrown: its own failures as a client is told of them. */
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
