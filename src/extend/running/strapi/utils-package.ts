/** `@strapi/utils`: what projects use of it. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import slugify from '@sindresorhus/slugify';
import { createEnv } from '../../../config/env-helper.ts';
import type { Params } from '../documents/lifecycles.ts';
import type { Schema } from '../documents/schemas.ts';
import type { Context } from '../requests/context.ts';
import { policyContext } from '../requests/context.ts';
import { errors } from '../requests/strapi-errors.ts';
import { guarded, unsupported } from './guarded.ts';

/** What of the package belongs to the project that the code is loaded for. */
export interface UtilsOfProject {
  /** The project's folder, whose packages are loaded. */
  readonly dir: string;
  readonly sanitize: object;
  readonly validate: object;
}

const kebab = (text: string): string =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .toLowerCase();

const strings = {
  nameToSlug: (name: string, { separator = '-' }: { separator?: string } = {}): string => slugify(name, { separator }),
  nameToCollectionName: (name: string): string => slugify(name, { separator: '_' }),
  toKebabCase: kebab,
  isKebabCase: (text: string): boolean => /^([a-z][a-z0-9]*)(-[a-z0-9]+)*$/.test(text),
  isCamelCase: (text: string): boolean => /^[a-z][a-zA-Z0-9]+$/.test(text),
  startsWithANumber: (text: string): boolean => /^[0-9]/.test(text),
  joinBy: (joint: string, ...parts: string[]): string =>
    parts.reduce(
      (all, part) =>
        `${all.replace(new RegExp(`\\${joint}+$`), '')}${all ? joint : ''}${part.replace(new RegExp(`^\\${joint}+`), '')}`,
      '',
    ),
  isEqual: (a: unknown, b: unknown): boolean => String(a) === String(b),
  getCommonPath: () => unsupported('strings.getCommonPath of @strapi/utils'),
};

const async = {
  map: <T, R>(list: readonly T[], work: (item: T, index: number) => R): Promise<Awaited<R>[]> =>
    Promise.all(list.map(work)),
  pipe:
    (...steps: ((value: unknown) => unknown)[]) =>
    async (value: unknown): Promise<unknown> => {
      let result = value;
      for (const step of steps) result = await step(result);
      return result;
    },
  reduce:
    <T>(list: readonly T[]) =>
    async (work: (sum: unknown, item: T, index: number) => unknown, initial?: unknown): Promise<unknown> => {
      let sum = initial;
      for (const [index, item] of list.entries()) sum = await work(sum, item, index);
      return sum;
    },
};

const contentTypes = {
  isSingleType: ({ kind }: Schema): boolean => kind === 'singleType',
  isCollectionType: ({ kind }: Schema): boolean => kind === 'collectionType',
  hasDraftAndPublish: ({ options }: Schema): boolean =>
    (options as { draftAndPublish?: boolean } | undefined)?.draftAndPublish === true,
  getScalarAttributes: ({ attributes }: Schema): string[] =>
    Object.keys(attributes).filter((name) => !LINKS.has(String(attributes[name]!['type']))),
  isMediaAttribute: (attribute?: Params): boolean => attribute?.['type'] === 'media',
  isRelationalAttribute: (attribute?: Params): boolean => attribute?.['type'] === 'relation',
  isComponentAttribute: (attribute?: Params): boolean =>
    attribute?.['type'] === 'component' || attribute?.['type'] === 'dynamiczone',
  isPrivateAttribute: ({ attributes }: Schema, name: string): boolean => attributes[name]?.['private'] === true,
  constants: {
    ID_ATTRIBUTE: 'id',
    DOC_ID_ATTRIBUTE: 'documentId',
    PUBLISHED_AT_ATTRIBUTE: 'publishedAt',
    CREATED_BY_ATTRIBUTE: 'createdBy',
    UPDATED_BY_ATTRIBUTE: 'updatedBy',
    CREATED_AT_ATTRIBUTE: 'createdAt',
    UPDATED_AT_ATTRIBUTE: 'updatedAt',
  },
};
const LINKS: ReadonlySet<string> = new Set(['relation', 'media', 'component', 'dynamiczone']);

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
  createPolicyContext: (_type: string, ctx: Context) => policyContext(ctx),
};

const setCreatorFields =
  ({ user, isEdition = false }: { user: { id: number }; isEdition?: boolean }) =>
  (data: Params): Params => ({ ...data, ...(isEdition ? {} : { createdBy: user.id }), updatedBy: user.id });

/** The package for one project. */
export function utilsPackage({ dir, ...of }: UtilsOfProject): object {
  const installed = (name: string) => {
    try {
      return createRequire(join(dir, 'package.json'))(name) as object;
    } catch {
      return unsupported(
        `${name} of @strapi/utils: add ${name} to the project's dependencies and import it from there;`,
      );
    }
  };
  const members = {
    errors,
    ...of,
    strings,
    async,
    contentTypes,
    policy,
    parseMultipartData,
    setCreatorFields,
    importDefault: (file: string) => unsupported(`importDefault(${file}) of @strapi/utils`),
    file: {
      bytesToKbytes: (bytes: number) => Math.round((bytes / 1000) * 100) / 100,
      kbytesToBytes: (kb: number) => kb * 1000,
    },
    get yup() {
      return installed('yup');
    },
    get z() {
      return installed('zod/v4');
    },
    env: createEnv(process.env),
    __esModule: true,
  };
  Object.defineProperty(members, 'default', { value: members, enumerable: false });
  return guarded('@strapi/utils', members);
}
