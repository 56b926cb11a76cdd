/** Roles of accounts with their permissions, and API tokens, for administrators with the reference's rights. */
import { hash } from 'node:crypto';
import { FULL_ACCESS, grantsOf, READ_ONLY } from '../../access/grants.ts';
import { ContentError, forbidden, notFound, refusal } from '../../errors.ts';
import { at, because, validationFailure } from '../../failures.ts';
import { listedRoles, oneRole, type SiteRole } from '../../users/roles/role-changes.ts';
import { lifespanBody, newTokenBody, tokenChangeBody } from '../../users/sessions/token-bodies.ts';
import {
  createToken,
  type DescribedToken,
  listDescribedTokens,
  lockTokenNames,
  MOST_TOKENS,
  revokeToken,
  rotateToken,
  updateToken,
} from '../../users/sessions/tokens.ts';
import { tagsOf } from '../protocol/entity-tag.ts';
import type { HttpContext } from '../routes/context.ts';
import { pathParam, rowIdOf } from '../routes/routes.ts';
import { actionSubjects, shownRules } from './action-subjects.ts';
import type { AdminCall, AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData, timeOf } from './answers.ts';
import { mayAct, withRight, withRights } from './settings-rights.ts';

const ROLES = 'plugin::users-permissions.roles';
const TOKENS = 'admin::api-tokens';

/** The rights of the reference for requests about tokens. `access` opens the settings of tokens. */
const OF_TOKENS = (name: string): readonly string[] => [`${TOKENS}.access`, `${TOKENS}.${name}`];

/** Roles of accounts, and the actions that can be granted to these and to API tokens. */
export function permissionRoutes(context: HttpContext): AdminRoute[] {
  const { around, roles } = context;
  /** The answer with a role; its tag depends on everything that a change may replace. */
  const describedRole = (role: SiteRole) => {
    const { name, description, actions } = role;
    const rules = shownRules(context, grantsOf(actions, role.type));
    return { ...role, tag: tagOf([name, description, actions]), rules };
  };
  const subjects: AdminHandler = async (call) => {
    const mayOpen = (name: string): boolean => mayAct(call, ...OF_TOKENS(name));
    if (!mayAct(call, `${ROLES}.read`) && !mayOpen('read') && !mayOpen('create')) throw forbidden();
    return sendData(call.reply, actionSubjects(context));
  };
  const list: AdminHandler = async (call) =>
    sendData(
      call.reply,
      await listedRoles(
        around,
        () => roles.siteRoles(),
        ({ accounts }) => accounts,
      ),
    );
  const read: AdminHandler = async (call) =>
    sendTagged(call, describedRole(await oneRole(around, idOf(call), () => roles.siteRole(idOf(call)))));
  const create: AdminHandler = async (call) => {
    const id = await roles.add(call.request.body);
    return sendTagged(call, describedRole(await roles.siteRole(id)), 201);
  };
  const update: AdminHandler = async (call) => {
    await roles.edit(idOf(call), call.request.body, (role) =>
      requireTag(call, describedRole(role), 'The role has changed'),
    );
    return read(call);
  };
  const remove: AdminHandler = async (call) => {
    const { id } = await roles.siteRole(idOf(call));
    await roles.remove(id);
    return call.reply.code(204).send();
  };
  return [
    { path: '/permissions/actions', methods: { GET: subjects } },
    {
      path: '/permissions/roles',
      methods: { GET: withRight(`${ROLES}.read`, list), POST: withRight(`${ROLES}.create`, create) },
    },
    {
      path: '/permissions/roles/:id',
      methods: {
        GET: withRight(`${ROLES}.read`, read),
        PUT: withRight(`${ROLES}.update`, update),
        DELETE: withRight(`${ROLES}.delete`, remove),
      },
    },
  ];
}

/** API tokens. */
export function tokenRoutes(context: HttpContext): AdminRoute[] {
  const { database, config, roles } = context;
  const describedToken = (token: DescribedToken) => {
    const { name, description, type, permissions } = token;
    const grants =
      type === 'full-access' ? FULL_ACCESS : type === 'read-only' ? READ_ONLY : grantsOf(permissions, undefined);
    const tag = tagOf([name, description, type, permissions]);
    return { ...shownToken(token), tag, rules: shownRules(context, grants) };
  };
  const found = async (id: number | undefined, db: Parameters<typeof listDescribedTokens>[0] = database) => {
    const token = (await listDescribedTokens(db)).find((one) => one.id === id);
    if (!token) throw notFound();
    return token;
  };
  const list: AdminHandler = async (call) =>
    sendData(call.reply, (await listDescribedTokens(database)).map(shownToken));
  const read: AdminHandler = async (call) => sendTagged(call, describedToken(await found(idOf(call))));
  const create: AdminHandler = async (call) => {
    const token = newTokenBody(call.request.body, roles.grantable);
    const { id, secret } = await database.transaction(async (tx) => {
      await lockTokenNames(tx);
      const tokens = await listDescribedTokens(tx);
      if (tokens.length >= MOST_TOKENS) throw refusal(`there are ${MOST_TOKENS} tokens already`);
      requireFreeName(tokens, token.name);
      return createToken(tx, config, { ...token, createdBy: call.administrator.row.id });
    });
    return sendTagged(call, { ...describedToken(await found(id)), secret }, 201);
  };
  const update: AdminHandler = async (call) => {
    await database.transaction(async (tx) => {
      await lockTokenNames(tx);
      const token = await found(idOf(call), tx);
      requireTag(call, describedToken(token), 'The token has changed');
      const known = new Set([...roles.grantable, ...token.permissions]);
      const change = tokenChangeBody(call.request.body, known, token);
      const others = (await listDescribedTokens(tx)).filter(({ id }) => id !== token.id);
      if (change.name !== undefined && change.name !== token.name) requireFreeName(others, change.name);
      await updateToken(tx, token, change, call.administrator.row.id);
    });
    return read(call);
  };
  const rotate: AdminHandler = async (call) => {
    const lifespan = lifespanBody(call.request.body);
    // in the reference only a new token has a new lifespan
    if (lifespan !== undefined && !mayAct(call, ...OF_TOKENS('create'))) throw forbidden();
    const { token, secret } = await database.transaction(async (tx) => {
      await lockTokenNames(tx);
      const { id } = await found(idOf(call), tx);
      const secret = await rotateToken(tx, config, id, lifespan);
      return { token: await found(id, tx), secret };
    });
    return sendTagged(call, { ...describedToken(token), secret });
  };
  const remove: AdminHandler = async (call) => {
    await database.transaction(async (tx) => {
      await lockTokenNames(tx);
      await revokeToken(tx, (await found(idOf(call), tx)).id);
    });
    return call.reply.code(204).send();
  };
  return [
    {
      path: '/tokens',
      methods: { GET: withRights(OF_TOKENS('read'), list), POST: withRights(OF_TOKENS('create'), create) },
    },
    {
      path: '/tokens/:id',
      methods: {
        GET: withRights(OF_TOKENS('read'), read),
        PUT: withRights(OF_TOKENS('update'), update),
        DELETE: withRights(OF_TOKENS('delete'), remove),
      },
    },
    { path: '/tokens/:id/secret', methods: { POST: withRights(OF_TOKENS('regenerate'), rotate) } },
  ];
}

const idOf = ({ request }: AdminCall): number | undefined => rowIdOf(pathParam(request, 'id'));

function sendTagged<T extends { readonly tag: string }>(call: AdminCall, data: T, status = 200) {
  call.reply.header('etag', data.tag);
  return sendData(call.reply, data, status);
}

const tagOf = (values: unknown): string => `"${hash('sha1', JSON.stringify(values), 'base64url')}"`;

/** @throws ContentError 412 with the current version, if `If-Match` names another one. */
function requireTag({ request }: AdminCall, current: { readonly tag: string }, message: string): void {
  const tags = tagsOf(request.headers['if-match']);
  if (tags === undefined || tags === 'any' || tags.includes(current.tag)) return;
  throw new ContentError('PreconditionFailedError', message, { current });
}

/** @throws ContentError 400 for the name of another token. */
function requireFreeName(others: readonly DescribedToken[], name: string): void {
  if (others.some((token) => token.name === name)) {
    throw validationFailure(at('name'), because('Another token has this name', 'tokenName'));
  }
}

function shownToken(token: DescribedToken) {
  const { id, name, description, type, permissions, createdBy } = token;
  return {
    ...{ id, name, description, type, permissions, createdBy },
    expiresAt: timeOf(token.expiresAt),
    lastUsedAt: timeOf(token.lastUsedAt),
    createdAt: timeOf(token.createdAt),
  };
}
