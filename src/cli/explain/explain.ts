/** `galley explain`: what permits a request, and how the database answers it. */

import type { ActionRoute } from '../../access/actions.ts';
import { requireAction } from '../../access/authorize.ts';
import { grantsOf, may } from '../../access/grants.ts';
import type { App } from '../../app.ts';
import type { Read } from '../../db/interface/database.ts';
import { ContentError, UsageError } from '../../errors.ts';
import { allRoutes } from '../../extend/core-routes.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { type Caller, type KnownCallers, ProjectCallers } from '../../users/sessions/callers.ts';
import { type Command, readArguments, type Surroundings } from '../command.ts';
import { inProject } from '../in-project.ts';
import { type Impersonated, impersonate } from './caller.ts';
import { judgedRows } from './judged-rows.ts';
import { explainOwn, ofTheApi, ownRouteOf, policiesOf, STREAM } from './own-route.ts';
import { accessText, codeText, grantText, unseen } from './permission.ts';
import { reachedRules } from './reached.ts';
import { type Answered, readText } from './read-text.ts';
import { type AskedRequest, readRequest, routeOf } from './request.ts';
import { streamText } from './streams.ts';

export const explainCommand: Command = {
  name: 'explain',
  summary: 'tell what permits a request, its SQL, and what would make it faster',
  help: `galley explain REQUEST [--as CALLER] [DIR]

Answers a request such as 'GET /api/articles?sort=title' of the project in DIR (default: the working folder) without a
server, and prints what permits it, the SQL with its parameters, the database's plan, the time, and what is missing to
answer it faster. Only reads of documents are explained in full; of other requests it prints what permits them,
and does not make them. For a request that would be refused it prints the error, and exits with 1.

  --as CALLER  who asks: a role by its type or name; an API token by its name, id or secret; a user by a user token;
               - reads a secret from stdin (default: the public)`,
  run,
};

async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { flag, positionals } = readArguments('explain', args, { as: { type: 'string' } }, ['REQUEST', 'DIR']);
  const [text, dir] = positionals;
  if (text === undefined) throw new UsageError('galley explain needs a REQUEST; see galley explain --help');
  const request = readRequest(text);
  return inProject(dir, { ...surroundings, usesSecrets: true }, async (app) => {
    const caller = await impersonate(app, flag('as'), surroundings.input);
    return explain(app, request, caller, surroundings.print);
  });
}

type Print = Surroundings['print'];

async function explain(app: App, request: AskedRequest, who: Impersonated, print: Print): Promise<number> {
  const { catalog, code, config } = app;
  const own = ownRouteOf(app, request);
  const withdrawn = code.running?.withdrawn ?? new Set();
  const routes = allRoutes(catalog, code.routes).filter(({ method, path }) => !withdrawn.has(`${method} ${path}`));
  const route = own ? undefined : routeOf(routes, config.rest.prefix, request);
  const isOpen = route !== undefined && asksNobody(app, route);
  const asking = isOpen ? { ...who, identify: async () => nobody(route.action) } : who;
  const callers = new ProjectCallers(callersOf(asking.identify), code.closed);
  print(`${request.method} ${request.target}`);
  print('');
  print('Permission');
  const identified = await outcomeOf(() => callers.identify(undefined));
  print(`  caller    ${await who.title('value' in identified ? identified.value : undefined)}`);
  if (route && !('refusal' in identified)) await printGrant(app, route, request, identified.value, print);
  else if (route) print(`  action    ${route.action}`);
  if ('refusal' in identified) return refuse(identified.refusal, print);
  if (own) {
    const refusal = await explainOwn(app, own, identified.value, print);
    return refusal ? refuse(refusal, print) : 0;
  }
  const said = ofTheApi(app, request);
  if (!route && said !== undefined) return explainApi(app, request, { asking, said, caller: identified.value }, print);
  if (!route) return explainUnknown(app, request, print);
  const type = readType(app, route);
  if (!type) return explainOther(route, identified.value, print);
  const answered = await answer(app, request, asking);
  for (const line of reachedRules(app, answered.reads, identified.value.grants)) print(`  ${line}`);
  for (const line of await readText(app, answered)) print(line);
  return answered.status < 400 ? 0 : 1;
}

async function printGrant(
  app: App,
  route: ActionRoute,
  request: AskedRequest,
  { grants, userId }: Caller,
  print: Print,
): Promise<void> {
  const { catalog, views, own, code } = app;
  const isOpen = asksNobody(app, route) && may(grants, route.action);
  const granted = isOpen
    ? 'needs no grant, auth: false: whoever asks is as the public'
    : grantText(grants, route.action);
  const guards = code.guardsOf(route.action);
  print(`  action    ${route.action}: ${granted}`);
  const type = catalog.contentTypes.get(route.action.slice(0, route.action.lastIndexOf('.')));
  const rules = type && own?.access.of(type.uid, grants);
  if (rules) {
    const outcomes = await judgedRows(app, { route, request, type, viewer: views.viewer(grants, { userId }) });
    for (const line of accessText(rules, route.action, outcomes)) print(`  ${line}`);
  }
  const policies = type ? await policiesOf(own, type.uid, route.action) : [];
  for (const line of codeText(guards, policies, rules !== undefined)) print(`  ${line}`);
  const hidden = type ? unseen(views.of(grants), type) : [];
  if (hidden.length > 0) print(`  not seen  ${hidden.join(', ')}`);
}

/** Whether a route is for everybody, by what is written of it. */
function asksNobody({ code }: App, { action }: ActionRoute): boolean {
  return code.guardsOf(action).some(({ what }) => what === 'auth: false');
}

/** Whoever asks where nobody is asked who that is. */
const nobody = (action: string): Caller => ({
  grants: grantsOf([action], 'public'),
  userId: undefined,
  sessionId: undefined,
  token: undefined,
  expiresAt: null,
  expiredMessage: '',
});

/** The type whose documents a route reads; undefined for other routes. */
function readType({ catalog }: App, { action, method }: ActionRoute): ContentType | undefined {
  const at = action.lastIndexOf('.');
  const type = catalog.contentTypes.get(action.slice(0, at));
  return method === 'GET' && type?.routed ? type : undefined;
}

/** Has the project answer a request, and takes down what it reads. */
async function answer(app: App, request: AskedRequest, { identify }: Impersonated): Promise<Answered> {
  const reads: Read[] = [];
  const read = (one: Read) => {
    reads.push(one);
    return app.database.read(one);
  };
  const target = { method: 'GET', target: request.target };
  return { ...(await app.ask(target, { callers: callersOf(identify), read })), reads };
}

/** No route takes the request: none is run, and the server says what it answers. */
async function explainUnknown(app: App, request: AskedRequest, print: Print): Promise<number> {
  const none = callersOf(() => Promise.reject(new ContentError('NotFoundError', 'Not Found')));
  const read = () => Promise.reject(new Error('nothing is read of a request without a route'));
  const { status, body } = await app.ask(request, { callers: none, read });
  print('  action    none: no route of the API takes this request');
  if (status < 400) {
    print(
      `  answer    ${status}: the server itself answers it, as it does for files of public and the administration app`,
    );
    return 0;
  }
  for (const line of await readText(app, { status, body, reads: [] })) print(line);
  return 1;
}

/** What the API says of itself has no grant of its own: the server is asked whether it answers. */
async function explainApi(
  app: App,
  { target }: AskedRequest,
  { asking, said, caller: { grants, userId } }: { asking: Impersonated; said: string; caller: Caller },
  print: Print,
): Promise<number> {
  print(`  action    no grant of its own is needed; the answer is ${said}`);
  if (said === STREAM) {
    const viewer = app.views.viewer(grants, { userId });
    for (const line of streamText(app, { method: 'GET', target }, { grants, viewer })) print(`  ${line}`);
  }
  const callers = callersOf(asking.identify);
  const ask = (method: string) => app.ask({ method, target }, { callers, read: app.database.read });
  // a stream has no end, so that only a refusal is asked for with its body
  if ((await ask('HEAD')).status < 400) return 0;
  for (const line of await readText(app, { ...(await ask('GET')), reads: [] })) print(line);
  return 1;
}

/** A request of another kind is not made: it may write, or send mail. */
function explainOther({ action }: ActionRoute, { grants }: Caller, print: Print): number {
  try {
    if (!action.endsWith('.batch')) requireAction(grants, action);
  } catch (error) {
    if (error instanceof ContentError) return refuse(error, print);
    throw error;
  }
  print('');
  print('Only reads of documents are explained further: this request was not made.');
  return 0;
}

function refuse({ status, name, message }: ContentError, print: Print): number {
  print('');
  print(`Refused: ${status} ${name}: ${message}`);
  return 1;
}

/** Everybody is one caller. */
const callersOf = (identify: () => Promise<Caller>): KnownCallers => ({
  asksCode: false,
  identify,
  known: () => undefined,
  mayBeGood: async () => true,
  epoch: 0,
  onChange: () => () => {},
});

async function outcomeOf<T>(work: () => Promise<T>): Promise<{ value: T } | { refusal: ContentError }> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof ContentError) return { refusal: error };
    throw error;
  }
}
