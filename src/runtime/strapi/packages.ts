/** `@strapi/strapi` and `@strapi/utils` as a project's code imports them: ours, whether or not they are installed. */
import nodeTimers from 'node:timers';
import { guarded, unsupported } from '../guarded.ts';
import { errors } from '../requests/strapi-errors.ts';
import { type UtilsOfProject, utilsPackage } from '../strapi-utils/utils-package.ts';

/** The result of a factory of `@strapi/strapi`, from which the project's registries create the part. */
export interface CoreMade {
  readonly uid: string;
  /** An object, a class's instance, or a function of `{ strapi }` that gives one. */
  readonly own: unknown;
}

/** A core router as code has written it. */
export interface CoreRouter {
  readonly uid: string;
  readonly prefix?: string | undefined;
  readonly only?: readonly string[] | undefined;
  readonly except?: readonly string[] | undefined;
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/** The project that the factories need. */
export interface Factories {
  /** @param tools `{ strapi }`. */
  controller(made: CoreMade, tools: object): object;
  service(made: CoreMade, tools: object): object;
  routesOf(router: CoreRouter): readonly object[];
}

const CORE_ROUTER = Symbol('core router');

/**
 * The substitutes by the names of the packages; anything else is loaded where it is installed.
 *
 * @param timers the timer functions of the project's code.
 */
export function substitutes(
  factories: Factories,
  timers: Partial<typeof nodeTimers>,
  utils: UtilsOfProject,
): (name: string) => unknown {
  const ownTimers = { ...nodeTimers, ...timers };
  const strapiPackage = strapiOf(factories);
  const modules = new Map<string, unknown>([
    ['@strapi/strapi', strapiPackage],
    ['@strapi/utils', utilsPackage(utils)],
    ['@strapi/types', { __esModule: true }],
    ['@strapi/utils/errors', errors],
    ['timers', ownTimers],
    ['node:timers', ownTimers],
  ]);
  return (name) => modules.get(name);
}

function strapiOf(factories: Factories): object {
  const created = {
    createCoreController: (uid: string, own?: unknown) => (tools: object) => factories.controller({ uid, own }, tools),
    createCoreService: (uid: string, own?: unknown) => (tools: object) => factories.service({ uid, own }, tools),
    createCoreRouter: (uid: string, options: Omit<CoreRouter, 'uid'> = {}) => {
      let routes: readonly object[] | undefined;
      return {
        type: 'content-api',
        prefix: options.prefix,
        get routes() {
          routes ??= factories.routesOf({ ...options, uid });
          return routes;
        },
        [CORE_ROUTER]: { ...options, uid },
      };
    },
  };
  const createStrapi = (): never => unsupported('createStrapi() of @strapi/strapi');
  const factoriesOfCode = guarded('@strapi/strapi.factories', created);
  const members = Object.assign(createStrapi, {
    createStrapi,
    factories: factoriesOfCode,
    default: undefined as unknown,
  });
  const exported = guarded('@strapi/strapi', members);
  members.default = exported;
  return exported;
}
