/** People who administer the site, and their roles, for administrators with the reference's rights. */
import { cut, forbidden, notFound, validation } from '../../errors.ts';
import { mailBody } from '../../users/administrators/administrator-bodies.ts';
import type { Invitation, Person } from '../../users/administrators/people.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from '../routes/context.ts';
import { paramsOf, pathParam, rowIdOf } from '../routes/routes.ts';
import { adminLimits } from './admin-limits.ts';
import type { AdminCall, AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData, timeOf } from './answers.ts';
import { newRoleBody, roleBody } from './role-bodies.ts';
import { mayAct, withOneRight, withRight } from './settings-rights.ts';
import { shownPermittable, shownRole, shownRoleWithPermissions } from './shown-roles.ts';
import { shownAdministratorSession } from './shown-sessions.ts';

/** People per page. */
const PAGE = 100;
/** Characters of a name or address in an answer, which a program may have stored longer. */
const SHOWN = 255;

export function peopleRoutes({ people, editedRoles, config: { admin }, http }: HttpContext): AdminRoute[] {
  const limits = adminLimits(admin, http.limits);
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
    return sendData(call.reply, {
      isMailed: people.isMailed,
      roles: roles.map((role) => ({ ...shownRole(role), isGrantable: role.isGrantable })),
    });
  };
  const sendPerson = async (call: AdminCall, id: number, more: object = {}, status = 200) => {
    const { person, sessions } = await people.read(call.administrator, id);
    const own = call.administrator.session.id;
    return sendData(
      call.reply,
      { ...toldPerson(person), sessions: sessions.map((one) => shownAdministratorSession(one, own)), ...more },
      status,
    );
  };
  const read: AdminHandler = (call) => sendPerson(call, idOf(call));
  const invite: AdminHandler = async (call) => {
    await limits.mails(call.request, call.reply);
    const { id, invitation } = await people.invite(call.administrator, call.request.body);
    return sendData(call.reply, { id, invitation: toldInvitation(invitation) }, 201);
  };
  const inviteAgain: AdminHandler = async (call) => {
    const isMailed = mailBody(call.request.body);
    if (isMailed) await limits.mails(call.request, call.reply);
    const invitation = await people.inviteAgain(call.administrator, idOf(call), isMailed);
    return sendData(call.reply, toldInvitation(invitation), 201);
  };
  /** A handler that changes a person and answers with it. */
  const changed =
    (work: (call: AdminCall, id: number) => Promise<void>): AdminHandler =>
    async (call) => {
      const id = idOf(call);
      await work(call, id);
      return sendPerson(call, id);
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

  const listRoles: AdminHandler = async (call) => sendData(call.reply, (await editedRoles.list()).map(shownRole));
  const permittable: AdminHandler = async (call) =>
    sendData(call.reply, shownPermittable(await editedRoles.permittable()));
  const toldById = async (call: AdminCall, id: number, status = 200) =>
    sendData(call.reply, shownRoleWithPermissions(await editedRoles.read(call.administrator, id)), status);
  const readRole: AdminHandler = (call) => toldById(call, idOf(call));
  const createRole: AdminHandler = async (call) => {
    const role = newRoleBody(call.request.body);
    // a copy shows the permissions of the copied role
    if (role.from !== undefined && !mayAct(call, 'admin::roles.read')) throw forbidden();
    return sendData(call.reply, { id: await editedRoles.create(call.administrator, role) }, 201);
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

  return [
    {
      path: '/people',
      methods: { GET: withRight('admin::users.read', list), POST: withRight('admin::users.create', invite) },
    },
    {
      path: '/people/options',
      methods: { GET: withOneRight(['admin::users.read', 'admin::users.create', 'admin::users.update'], options) },
    },
    {
      path: '/people/:id',
      methods: {
        GET: withRight('admin::users.read', read),
        PUT: withRight('admin::users.update', change),
        DELETE: withRight('admin::users.delete', remove),
      },
    },
    { path: '/people/:id/invitation', methods: { POST: withRight('admin::users.create', inviteAgain) } },
    { path: '/people/:id/block', methods: { POST: withRight('admin::users.update', block) } },
    { path: '/people/:id/unblock', methods: { POST: withRight('admin::users.update', unblock) } },
    { path: '/people/:id/sessions', methods: { DELETE: withRight('admin::users.update', endSessions) } },
    { path: '/people/:id/sessions/:sessionId', methods: { DELETE: withRight('admin::users.update', endSession) } },
    { path: '/people/:id/second-factor', methods: { DELETE: withRight('admin::users.update', resetSecondFactor) } },
    {
      path: '/roles',
      methods: { GET: withRight('admin::roles.read', listRoles), POST: withRight('admin::roles.create', createRole) },
    },
    { path: '/roles/permittable', methods: { GET: withRight('admin::roles.read', permittable) } },
    {
      path: '/roles/:id',
      methods: {
        GET: withRight('admin::roles.read', readRole),
        PUT: withRight('admin::roles.update', changeRole),
        DELETE: withRight('admin::roles.delete', removeRole),
      },
    },
  ];
}

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

const toldInvitation = ({ link, token, expiresAt, isMailed }: Invitation) => ({
  ...{ link, token, isMailed },
  expiresAt: timeOf(expiresAt),
});
