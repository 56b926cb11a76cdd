/** `galley` as a project's own code imports it: ours, whether or not it is installed. */
import { ContentError, type ErrorName } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import type { GalleyDefinition, OwnRoutes, RequestSchemas } from './extension-types.ts';

/** Gives a definition as it is, with its types. */
export function defineGalley<const R extends readonly unknown[] = readonly RequestSchemas[]>(
  definition: GalleyDefinition<R>,
): GalleyDefinition<R> {
  return definition;
}

/** The same for single parts, which a file may export by their names. */
export const defineHooks = (hooks: Part<'hooks'>): Part<'hooks'> => hooks;
/** The arguments of a handler follow from the schemas of its own route. */
export const defineRoutes = <const R extends readonly unknown[]>(routes: OwnRoutes<R>): OwnRoutes<R> => routes;
export const definePolicies = (policies: Part<'policies'>): Part<'policies'> => policies;
export const defineAccess = (access: Part<'access'>): Part<'access'> => access;
export const definePopulate = (populate: Part<'populate'>): Part<'populate'> => populate;
export const defineJobs = (jobs: Part<'jobs'>): Part<'jobs'> => jobs;

type Part<K extends keyof GalleyDefinition> = NonNullable<GalleyDefinition[K]>;

/**
 * Makes `instanceof` of a class accept the server's own errors of the same name. Classes that a project derives from it
 * accept only their own instances.
 */
function knowing<Made extends new (...given: never[]) => ContentError>(made: Made, name: ErrorName): Made {
  const own = Function.prototype[Symbol.hasInstance];
  return Object.defineProperty(made, Symbol.hasInstance, {
    value(this: Made, error: unknown): boolean {
      return this === made ? error instanceof ContentError && error.name === name : own.call(this, error);
    },
  });
}

/** A refusal of a write: 400, with the place of the value that is wrong. */
export class ValidationError extends ContentError {
  /** @param path names from the data to the value: `seo.title`, or a list of them. */
  constructor(message: string, path: string | readonly (string | number)[] = []) {
    const parts = typeof path === 'string' ? path.split('.') : path.map(String);
    const errors = parts.length === 0 ? [] : [{ path: parts, message, name: 'ValidationError' }];
    super('ValidationError', message, errors.length === 0 ? {} : { errors });
  }
}

knowing(ValidationError, 'ValidationError');

const errorOf = (name: ErrorName, usual: string) =>
  knowing(
    class extends ContentError {
      constructor(message: string = usual) {
        super(name, message);
      }
    },
    name,
  );

export const UnauthorizedError = errorOf('UnauthorizedError', 'Missing or invalid credentials');
export const ForbiddenError = errorOf('ForbiddenError', 'Forbidden');
export const NotFoundError = errorOf('NotFoundError', 'Not Found');
export const ApplicationError = errorOf('ApplicationError', 'An application error occurred');

const MEMBERS = {
  __esModule: true,
  defineGalley,
  defineHooks,
  defineRoutes,
  definePolicies,
  defineAccess,
  definePopulate,
  defineJobs,
  ContentError,
  ValidationError,
  UnauthorizedError,
  ForbiddenError,
  NotFoundError,
  ApplicationError,
};

/** Members that Node and compiled imports read of every module. */
const ASKED_OF_ALL: ReadonlySet<string> = new Set([
  'default',
  'then',
  'toJSON',
  ...Object.getOwnPropertyNames(Object.prototype),
]);

/** The exports of `require('galley')`. @throws Error for an unknown name, with the nearest known one. */
export const GALLEY_PACKAGE: object = new Proxy(MEMBERS, {
  get(members, key) {
    if (typeof key === 'symbol' || key in members || ASKED_OF_ALL.has(key)) return Reflect.get(members, key) as unknown;
    const hint = nearest(key, Object.keys(members));
    throw new Error(`galley exports no ${key}${hint === undefined ? '' : `: did you mean ${hint}?`}`);
  },
});
