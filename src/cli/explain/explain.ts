/** `galley explain`: shows the permission of a request, and how the database answers it. */
import type { ActionRoute } from '../../access/actions.ts';
import { requireAction } from '../../access/authorize.ts';
import { ACCESS_ACTIONS, type AccessAction, type Grants, grantsOf, may } from '../../access/grants.ts';
import type { Viewer } from '../../access/view.ts';
import type { App } from '../../app.ts';
import { readRows, singleDocumentId } from '../../content/rows/document-rows.ts';
import type { Read } from '../../db/interface/database.ts';
import { ContentError, notFound } from '../../errors.ts';
import { receivableTypes } from '../../events/recipients.ts';
import { isNamed, namesOf } from '../../http/routes/event-routes.ts';
import { allRoutes } from '../../runtime/core-routes.ts';
import { guardBeforeStart, type ReadAction, reasonsOf } from '../../runtime/streams.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { type Caller, type KnownCallers, ProjectCallers } from '../../users/sessions/callers.ts';
import { type Command, missingArgument, readArguments, type Surroundings } from '../command.ts';
import { inProject } from '../in-project.ts';
import { type Impersonated, impersonate } from './caller.ts';
import { explainOwn, ofTheApi, ownRouteOf, policiesOf, STREAM } from './own-route.ts';
import { accessText, codeText, grantText, unseen } from './permission.ts';
import { reachedRules } from './reached.ts';
import { type Answered, readText } from './read-text.ts';
import { type ExplainedRequest, parameterOf, readRequest, routeOf } from './request.ts';

export const explainCommand: Command = {
  name: 'explain',
  summary: 'show the permission, SQL and missing indexes of a request',
  help: `galley explain REQUEST [--as CALLER] [DIR]

Answers a request such as 'GET /api/articles?sort=title' of the project in DIR (default: the working folder) without a
server. It prints the permission, the SQL and parameters, the plan of the database, the time, and what would make
it faster. For requests other than reads of documents it prints only the permission, and does not run them. For a request
that the server would refuse it prints the error, and exits with 1.

  --as CALLER  a role, by its type or name; an API token, by its name, id or secret; or a user token; - reads a secret from
               stdin (default: the public)`,
  run,
};

async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { flag, positionals } = readArguments('explain', args, { as: { type: 'string' } }, ['REQUEST', 'DIR']);
  const [text, dir] = positionals;
  if (text === undefined) throw missingArgument('explain', 'a REQUEST');
  const request = readRequest(text);
  return inProject(dir, { ...surroundings, usesSecrets: true }, async (app) => {
    const caller = await impersonate(app, flag('as'), surroundings.input);
    return explain(app, request, caller, surroundings.print);
  });
}

type Print = Surroundings['print'];

async function explain(app: App, request: ExplainedRequest, who: Impersonated, print: Print): Promise<number> {
  const { catalog, code, config } = app;
  const own = ownRouteOf(app, request);
  const withdrawn = code.running?.withdrawn ?? new Set();
  const routes = allRoutes(catalog, code.routes).filter(({ method, path }) => !withdrawn.has(`${method} ${path}`));
  const route = own ? undefined : routeOf(routes, config.rest.prefix, request);
  const isOpen = route !== undefined && isAnonymous(app, route);
  const asking = isOpen ? { ...who, identify: async () => anonymous(route.action) } : who;
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
  const outcome = ofTheApi(app, request);
  if (!route && outcome !== undefined)
    return explainApi(app, request, { asking, said: outcome, caller: identified.value }, print);
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
  request: ExplainedRequest,
  { grants, userId }: Caller,
  print: Print,
): Promise<void> {
  const { catalog, views, own, code } = app;
  const isOpen = isAnonymous(app, route) && may(grants, route.action);
  const granted = isOpen
    ? 'needs no grant (auth: false); every caller counts as the public'
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
  if (hidden.length > 0) print(`  hidden    ${hidden.join(', ')}`);
}

/** Whether a route has `auth: false`, so that it does not identify its caller. */
function isAnonymous({ code }: App, { action }: ActionRoute): boolean {
  return code.guardsOf(action).some(({ what }) => what === 'auth: false');
}

/** The caller of a route with `auth: false`. */
const anonymous = (action: string): Caller => ({
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

/** Lets the project answer a request, and records its reads. */
async function answer(app: App, request: ExplainedRequest, { identify }: Impersonated): Promise<Answered> {
  const reads: Read[] = [];
  const read = (one: Read) => {
    reads.push(one);
    return app.database.read(one);
  };
  const target = { method: 'GET', target: request.target };
  return { ...(await app.ask(target, { callers: callersOf(identify), read })), reads };
}

/** Explains a request that no route takes: the server itself answers it. */
async function explainUnknown(app: App, request: ExplainedRequest, print: Print): Promise<number> {
  const none = callersOf(() => Promise.reject(notFound()));
  const read = () => Promise.reject(new Error('a request without a route must not read'));
  const { status, body } = await app.ask(request, { callers: none, read });
  print('  action    none: no route of the API takes this request');
  if (status < 400) {
    print(`  answer    ${status}: the server itself answers, as for files in public and for the administration app`);
    return 0;
  }
  for (const line of await readText(app, { status, body, reads: [] })) print(line);
  return 1;
}

/** Explains a request for the description of the API or its changes, which need no grant of their own. */
async function explainApi(
  app: App,
  { target }: ExplainedRequest,
  { asking, said: outcome, caller: { grants, userId } }: { asking: Impersonated; said: string; caller: Caller },
  print: Print,
): Promise<number> {
  print(`  action    needs no grant of its own; the answer is ${outcome}`);
  if (outcome === STREAM) {
    const viewer = app.views.viewer(grants, { userId });
    for (const line of streamText(app, { method: 'GET', target }, { grants, viewer })) print(`  ${line}`);
  }
  const callers = callersOf(asking.identify);
  const ask = (method: string) => app.ask({ method, target }, { callers, read: app.database.read });
  // a stream has no end, so only a refusal is read with its body
  if ((await ask('HEAD')).status < 400) return 0;
  for (const line of await readText(app, { ...(await ask('GET')), reads: [] })) print(line);
  return 1;
}

/** Explains a request that is not run, because it may write or send mail. */
function explainOther({ action }: ActionRoute, { grants }: Caller, print: Print): number {
  try {
    if (!action.endsWith('.batch')) requireAction(grants, action);
  } catch (error) {
    if (error instanceof ContentError) return refuse(error, print);
    throw error;
  }
  print('');
  print('This request was not run: only reads of documents are explained further.');
  return 0;
}

function refuse({ status, name, message }: ContentError, print: Print): number {
  print('');
  print(`Refused: ${status} ${name}: ${message}`);
  return 1;
}

/** Callers that identify every request as the same caller. */
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

/** A request for a document, with its caller. */
interface Judged {
  readonly route: ActionRoute;
  readonly request: ExplainedRequest;
  readonly type: ContentType;
  readonly viewer: Viewer;
}

/**
 * Says of each rule on rows whether the document that a request names meets it, as it is now; nothing where it names
 * none that is there.
 */
async function judgedRows(
  { writer, reader, database, config }: App,
  { route, request, type, viewer }: Judged,
): Promise<ReadonlyMap<AccessAction, string>> {
  const context = writer.reading(database);
  const named = parameterOf(route, config.rest.prefix, request, ':documentId');
  const documentId = type.kind === 'singleType' ? await singleDocumentId(context, type) : named;
  if (documentId === undefined) return new Map();
  const { rows } = await readRows(context, type, documentId);
  if (rows.length === 0) return new Map();
  const outcomes = new Map<AccessAction, string>();
  const { view, values } = viewer;
  for (const action of ACCESS_ACTIONS) {
    const acting = action === 'find' ? view : view.acting(action).written;
    const hidden = await reader.shown(database, { view: acting, values }).hidden(type, rows);
    const met = rows.length - hidden.size;
    const some = met === 0 ? 'not met' : met === rows.length ? 'met' : `met by ${met} of ${rows.length} versions`;
    outcomes.set(action, `${some} ${met === 0 || met === rows.length ? 'by this document' : 'of this document'}`);
  }
  return outcomes;
}

/** The caller of a stream. */
export interface Listening {
  readonly grants: Grants;
  readonly viewer: Viewer;
}

/** Lines about the types that a request for a stream names, or else about all types. */
function streamText(app: App, { target }: ExplainedRequest, { grants, viewer }: Listening): string[] {
  const { catalog } = app;
  const query = new URLSearchParams(target.split('?', 2)[1] ?? '');
  const names = namesOf(query.get('types') ?? undefined);
  const documentId = query.get('documentId') || undefined;
  const requested = [...catalog.contentTypes.values()].filter(
    (type) => type.routed && (!names || names.some((name) => isNamed(type, name))),
  );
  const heard = receivableTypes({ catalog, isGuarded: guardBeforeStart(app) }, viewer, documentId);
  const sent = requested.filter((type) => heard.includes(type));
  const why = (type: ContentType): string => {
    const action: ReadAction = documentId !== undefined && !may(grants, `${type.uid}.find`) ? 'findOne' : 'find';
    const name = `${type.uid}.${action}`;
    if (may(grants, name) && !grants.closed.has(type.uid)) return reasonsOf(app, type, action).join('; ');
    const closed = may({ ...grants, closed: new Map() }, name);
    return closed ? (grants.closed.get(name) ?? `${type.uid} is closed`) : `${action} is not granted`;
  };
  const omitted = Map.groupBy(
    requested.filter((type) => !sent.includes(type)),
    why,
  );
  return [
    ...(sent.length > 0 ? [`sent      ${uidsOf(sent)}`] : []),
    ...Array.from(omitted, ([reason, types]) => `omitted   ${uidsOf(types)}: ${reason}`),
  ];
}

const uidsOf = (types: readonly ContentType[]): string => types.map(({ uid }) => uid).join(', ');
