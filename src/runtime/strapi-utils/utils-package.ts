/** The part of `@strapi/utils` that projects use. */
import { createEnv } from '../../config/environment.ts';
import type { Params } from '../documents/lifecycles.ts';
import { guarded, unsupported } from '../guarded.ts';
import { type Context, policyContext } from '../requests/context.ts';
import { errors } from '../requests/strapi-errors.ts';
import { contentTypes, relations, reservedNames } from './content-types.ts';
import { hooks, providerFactory } from './hooks.ts';
import { pagination } from './pagination.ts';
import { parseType } from './parse-type.ts';
import { arrays, async, dates, file, objects, strings } from './primitives.ts';
import { queries, schemas, template } from './queries.ts';
import { traverseEntity } from './traverse-entity.ts';
import { validation } from './validation.ts';

/** The project-specific part of the package. */
export interface UtilsOfProject {
  /** The project's folder, whose packages are loaded. */
  readonly dir: string;
  readonly sanitize: object;
  readonly validate: object;
}

/** A form's `data` as JSON, with its files by the attributes that they are for. */
function parseMultipartData(ctx: Context): { data: unknown; files: Params } {
  const { body = {}, files = {} } = ctx.request as { body?: Params; files?: Params };
  if (body['data'] === undefined)
    return ctx.throw(400, "When using multipart/form-data you need to provide your data in a JSON 'data' field.");
  const named = Object.entries(files).map(([name, file]) => {
    if (!name.startsWith('files.'))
      ctx.throw(
        400,
        "When using multipart/form-data you need to provide your files by prefixing them with the 'files'.",
      );
    return [name.slice('files.'.length), file] as const;
  });
  return { data: JSON.parse(String(body['data'])), files: Object.fromEntries(named) };
}

const policy = {
  createPolicy: ({
    name = 'unnamed',
    validator,
    handler,
  }: {
    name?: string;
    validator?: (config: unknown) => unknown;
    handler: unknown;
  }) => ({
    name,
    handler,
    validator: (config: unknown) => {
      try {
        validator?.(config);
      } catch {
        throw new Error(`Invalid config passed to "${name}" policy.`);
      }
    },
  }),
  createPolicyContext: (kind: string, ctx: Context) => policyContext(ctx, kind),
};

const setCreatorFields =
  ({ user, isEdition = false }: { user: { id: number }; isEdition?: boolean }) =>
  (data: Params): Params => ({ ...data, ...(isEdition ? {} : { createdBy: user.id }), updatedBy: user.id });

/** The options of code name the schemas, which Galley already has. Custom steps are not supported. */
const madeOf =
  (service: object, steps: 'sanitizers' | 'validators') =>
  (options: Params = {}): object => {
    const added = Object.values(Object(options[steps]) as object).some((list) => [list].flat().length > 0);
    return added ? unsupported(`${steps} of @strapi/utils with steps of their own`) : service;
  };

/** The package for one project. */
export function utilsPackage({ dir, ...of }: UtilsOfProject): object {
  const members = {
    ...{ errors, env: createEnv(process.env), async, providerFactory },
    hooks: guarded('@strapi/utils.hooks', hooks),
    ...{ strings, arrays, objects, dates, file, pagination },
    ...{ relations, traverseEntity, policy, parseMultipartData, setCreatorFields, parseType, template },
    contentTypes: guarded('@strapi/utils.contentTypes', { ...contentTypes, ...reservedNames }),
    ...{ ...queries, ...schemas },
    sanitize: guarded('@strapi/utils.sanitize', {
      ...of.sanitize,
      createAPISanitizers: madeOf(of.sanitize, 'sanitizers'),
    }),
    validate: guarded('@strapi/utils.validate', {
      ...of.validate,
      createAPIValidators: madeOf(of.validate, 'validators'),
    }),
    importDefault: (path: string) => unsupported(`importDefault(${path}) of @strapi/utils`),
    __esModule: true,
  };
  Object.defineProperties(members, Object.getOwnPropertyDescriptors(validation(dir)));
  Object.defineProperty(members, 'default', { value: members, enumerable: false });
  return guarded('@strapi/utils', members);
}
