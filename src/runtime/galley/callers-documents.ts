/**
 * Documents as the content API would return them to the caller: each method of the document service is one of its
 * actions, which the caller needs to be granted.
 */
import { requireAction } from '../../access/authorize.ts';
import type { DocumentService } from '../../content/documents/document-types.ts';
import { forbidden } from '../../errors.ts';
import { rawParams } from '../../query/plain.ts';
import { type ContentType, FILE_UID, LOCALE_UID, ROLE_UID, USER_UID } from '../../schema/catalog.ts';
import type { Calling } from '../requests/context.ts';

type Method = keyof DocumentService<string>;
type Methods = Readonly<Record<Method, (params?: object) => Promise<unknown>>>;

/** The actions of a collection type's methods. A copy reads and creates. */
const COLLECTION: Readonly<Record<Method, readonly string[]>> = {
  findMany: ['find'],
  findPage: ['find'],
  findFirst: ['find'],
  count: ['find'],
  findOne: ['findOne'],
  create: ['create'],
  update: ['update'],
  delete: ['delete'],
  publish: ['publish'],
  unpublish: ['unpublish'],
  discardDraft: ['discardDraft'],
  clone: ['findOne', 'create'],
};

/** The same for a single type, whose only document is created by writing it. */
const SINGLE: Readonly<Record<Method, readonly string[] | undefined>> = {
  ...COLLECTION,
  findOne: ['find'],
  create: ['update'],
  clone: undefined,
};

/** Actions that read built-in types: of all, of one, and of how many there are. They are written by no method. */
const BUILT_IN: Readonly<Record<string, { readonly all: string; readonly one?: string; readonly count?: string }>> = {
  [USER_UID]: {
    all: 'plugin::users-permissions.user.find',
    one: 'plugin::users-permissions.user.findOne',
    count: 'plugin::users-permissions.user.count',
  },
  [ROLE_UID]: { all: 'plugin::users-permissions.role.find', one: 'plugin::users-permissions.role.findOne' },
  [FILE_UID]: { all: 'plugin::upload.content-api.find', one: 'plugin::upload.content-api.findOne' },
  [LOCALE_UID]: { all: 'plugin::i18n.locales.listLocales' },
};

/** The actions of a method; undefined if the content API has no such action. */
function actionsOf({ uid, kind, builtIn }: ContentType, method: Method): readonly string[] | undefined {
  if (!builtIn) return (kind === 'singleType' ? SINGLE : COLLECTION)[method]?.map((name) => `${uid}.${name}`);
  const actions = BUILT_IN[uid];
  if (!actions) return undefined;
  const [does] = COLLECTION[method];
  if (method === 'count') return [actions.count ?? actions.all];
  if (does === 'find') return [actions.all];
  return method === 'findOne' ? [actions.one ?? actions.all] : [];
}

/** A request for an action, as a method makes it. */
export interface MethodRequest {
  readonly action: string;
  /** Parameters of the path, as the content API has them, and of the query string. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
}

/** Runs the guards of an action besides its grant. */
export type AskAction = (request: MethodRequest) => Promise<void>;

/** Methods whose parameters have a status: the default is draft, unlike published in the content API. */
const WITH_STATUS: ReadonlySet<Method> = new Set([
  ...(['findMany', 'findPage', 'findFirst', 'findOne', 'count', 'create', 'update'] as const),
]);

/**
 * A service that checks the caller's right before each operation.
 *
 * @param ask runs further checks with the arguments of the method.
 * @throws ContentError 403, from the methods, without the grant.
 */
export function callersService<Service extends object>(
  service: Service,
  type: ContentType,
  { caller }: Pick<Calling, 'caller'>,
  ask: AskAction = async () => {},
): Service {
  const methods = (Object.keys(COLLECTION) as Method[]).map((method) => {
    const actions = actionsOf(type, method);
    const run = async (params: Readonly<Record<string, unknown>> = {}): Promise<unknown> => {
      if (!actions) throw forbidden(`${method} of ${type.uid}: the content API has no such action`);
      for (const action of actions) requireAction(caller.grants, action);
      const { documentId, data: _, ...rest } = params;
      const status = type.draftAndPublish && WITH_STATUS.has(method) ? { status: 'draft' } : {};
      const named: Record<string, string> = documentId === undefined ? {} : { documentId: String(documentId) };
      for (const action of actions) await ask({ action, params: named, query: rawParams({ ...status, ...rest }) });
      return (service as unknown as Methods)[method](params);
    };
    return [method, run] as const;
  });
  return Object.fromEntries(methods) as Service;
}
