/** People who administer the site, and their roles, for administrators with the reference's rights. */
import { cut, forbidden, notFound, validation } from '../../errors.ts';
import { mailBody } from '../../users/administrators/administrator-bodies.ts';
import type { AdministratorSession } from '../../users/administrators/administrator-sessions.ts';
import type { Invitation, Person } from '../../users/administrators/people.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from '../routes/context.ts';
import { paramsOf, pathParam, rowIdOf } from '../routes/routes.ts';
import { adminLimits } from './admin-limits.ts';
import type { AdminCall, AdminHandler, AdminRoute } from './admin-route.ts';
import { newRoleBody, roleBody } from './role-bodies.ts';
import { toldPermittable, toldRole, toldRoleWithPermissions } from './told-roles.ts';

/** People per page. */
const PAGE = 100;
/** Characters of a name or address in an answer, which a program may have stored longer. */
const SHOWN = 255;

type Right = `admin::${'users' | 'roles'}.${'create' | 'read' | 'update' | 'delete'}`;

export function peopleRoutes({ people, editedRoles, config: { admin }, http }: HttpContext): AdminRoute[] {
  const limits = adminLimits(admin, http.limits);
  /** A handler for administrators with one of some rights. */
  const by =
    (rights: readonly Right[], handler: AdminHandler): AdminHandler =>
    async (call) => {
      if (!rights.some((right) => may(call, right))) throw forbidden();
      return handler(call);
    };
  const data = ({ reply }: AdminCall, value: unknown, status = 200) =>
    sendJson(reply, JSON.stringify({ data: value }), status);
  const idOf = ({ request }: AdminCall): number => {
    const id = rowIdOf(pathParam(request, 'id'));
    if (id === undefined) throw notFound();
    return id;
  };

  const list: AdminHandler = async (call) => {
    const { cursor } = paramsOf(call.request);
    const after = cursor === undefined ? 0 : typeof cursor === 'string' ? rowIdOf(cursor) : undefined;
    if (after === undefined) throw validation('cursor must be the next of another page');
    const found = await people.list(call.administrator, { after, most: PAGE + 1 });
    const page = found.slice(0, PAGE);
    const next = found.length > PAGE ? String(page.at(-1)!.id) : null;
    return sendJson(call.reply, JSON.stringify({ data: page.map(toldPerson), meta: { next } }));
  };
  const options: AdminHandler = async (call) => {
    const roles = await people.roles(call.administrator);
    return data(call, {
      isMailed: people.isMailed,
      roles: roles.map((role) => ({ ...toldRole(role), isGrantable: role.isGrantable })),
    });
  };
  const told = async (call: AdminCall, id: number, more: object = {}, status = 200) => {
    const { person, sessions } = await people.read(call.administrator, id);
    const own = call.administrator.session.id;
    return data(
      call,
      { ...toldPerson(person), sessions: sessions.map((one) => toldSession(one, own)), ...more },
      status,
    );
  };
  const read: AdminHandler = (call) => told(call, idOf(call));
  const invite: AdminHandler = async (call) => {
    await limits.mails(call.request, call.reply);
    const { id, invitation } = await people.invite(call.administrator, call.request.body);
    return data(call, { id, invitation: toldInvitation(invitation) }, 201);
  };
  const inviteAgain: AdminHandler = async (call) => {
    const isMailed = mailBody(call.request.body);
    if (isMailed) await limits.mails(call.request, call.reply);
    const invitation = await people.inviteAgain(call.administrator, idOf(call), isMailed);
    return data(call, toldInvitation(invitation), 201);
  };
  /** A handler that changes a person and answers with it. */
  const changed =
    (work: (call: AdminCall, id: number) => Promise<void>): AdminHandler =>
    async (call) => {
      const id = idOf(call);
      await work(call, id);
      return told(call, id);
    };
  const change = changed(({ administrator, request }, id) => people.change(administrator, id, request.body));
  const block = changed(({ administrator }, id) => people.block(administrator, id));
  const unblock = changed(({ administrator }, id) => people.unblock(administrator, id));
  const endSessions = changed(({ administrator }, id) => people.endSessions(administrator, id));
  const endSession = changed(({ administrator, request }, id) =>
    people.endSessions(administrator, id, pathParam(request, 'sessionId')),
  );
  const resetSecondFactor = changed(({ administrator }, id) => people.resetSecondFactor(administrator, id));
  const remove: AdminHandler = async (call) => {
    await people.remove(call.administrator, idOf(call));
    return call.reply.code(204).send();
  };

  const listRoles: AdminHandler = async (call) => data(call, (await editedRoles.list()).map(toldRole));
  const permittable: AdminHandler = async (call) => data(call, toldPermittable(await editedRoles.permittable()));
  const toldById = async (call: AdminCall, id: number, status = 200) =>
    data(call, toldRoleWithPermissions(await editedRoles.read(call.administrator, id)), status);
  const readRole: AdminHandler = (call) => toldById(call, idOf(call));
  const createRole: AdminHandler = async (call) => {
    const role = newRoleBody(call.request.body);
    // a copy shows the permissions of the copied role
    if (role.from !== undefined && !may(call, 'admin::roles.read')) throw forbidden();
    return data(call, { id: await editedRoles.create(call.administrator, role) }, 201);
  };
  const changeRole: AdminHandler = async (call) => {
    const id = idOf(call);
    await editedRoles.change(call.administrator, id, (permittable) => roleBody(call.request.body, permittable));
    return toldById(call, id);
  };
  const removeRole: AdminHandler = async (call) => {
    await editedRoles.remove(call.administrator, idOf(call));
    return call.reply.code(204).send();
  };

  const [readPeople, createPeople, updatePeople]: Right[] = [
    'admin::users.read',
    'admin::users.create',
    'admin::users.update',
  ];
  const mayRead = <T extends AdminHandler>(handler: T) => by([readPeople!], handler);
  const mayUpdate = <T extends AdminHandler>(handler: T) => by([updatePeople!], handler);
  return [
    { path: '/people', methods: { GET: mayRead(list), POST: by([createPeople!], invite) } },
    { path: '/people/options', methods: { GET: by([readPeople!, createPeople!, updatePeople!], options) } },
    {
      path: '/people/:id',
      methods: { GET: mayRead(read), PUT: mayUpdate(change), DELETE: by(['admin::users.delete'], remove) },
    },
    { path: '/people/:id/invitation', methods: { POST: by([createPeople!], inviteAgain) } },
    { path: '/people/:id/block', methods: { POST: mayUpdate(block) } },
    { path: '/people/:id/unblock', methods: { POST: mayUpdate(unblock) } },
    { path: '/people/:id/sessions', methods: { DELETE: mayUpdate(endSessions) } },
    { path: '/people/:id/sessions/:sessionId', methods: { DELETE: mayUpdate(endSession) } },
    { path: '/people/:id/second-factor', methods: { DELETE: mayUpdate(resetSecondFactor) } },
    {
      path: '/roles',
      methods: { GET: by(['admin::roles.read'], listRoles), POST: by(['admin::roles.create'], createRole) },
    },
    { path: '/roles/permittable', methods: { GET: by(['admin::roles.read'], permittable) } },
    {
      path: '/roles/:id',
      methods: {
        GET: by(['admin::roles.read'], readRole),
        PUT: by(['admin::roles.update'], changeRole),
        DELETE: by(['admin::roles.delete'], removeRole),
      },
    },
  ];
}

/** Conditions apply to documents, so a right with a condition has no effect here. */
const may = ({ administrator }: AdminCall, right: Right): boolean =>
  administrator.rights.rights.some(({ action, conditions }) => action === right && conditions.length === 0);

function toldPerson(person: Person) {
  const { id, email, firstname, lastname, username, state, roles, isCaller, isChangeable, isRecoverable } = person;
  const shown = (text: string | null): string | null => (text === null ? null : cut(text, SHOWN));
  return {
    ...{ id, email: cut(email, SHOWN), state, isYou: isCaller, isChangeable, isRecoverable },
    ...{ firstname: shown(firstname), lastname: shown(lastname), username: shown(username) },
    roles: roles.map((role) => ({ id: role.id, name: role.name, code: role.code })),
    createdAt: timeOf(person.createdAt),
    lastUsedAt: timeOf(person.lastUsedAt),
    invitedUntil: state === 'invited' ? timeOf(person.invitedUntil) : null,
    secondFactor: person.hasSecondFactor,
    secondFactorRequired: roles.some(({ requiresSecondFactor }) => requiresSecondFactor),
  };
}

const toldSession = ({ id, createdAt, lastUsedAt, device }: AdministratorSession, own: string) => ({
  ...{ id, device, current: id === own },
  createdAt: timeOf(createdAt),
  lastUsedAt: timeOf(lastUsedAt),
});

const toldInvitation = ({ link, token, expiresAt, isMailed }: Invitation) => ({
  ...{ link, token, isMailed },
  expiresAt: timeOf(expiresAt),
});

const timeOf = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : new Date(milliseconds).toISOString();
