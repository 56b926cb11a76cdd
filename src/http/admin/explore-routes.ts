/**
 * The content API as its callers see it, for super admins: available requests, requests sent as a role or a token, their
 * explanation, and missing indexes.
 */
import type { View } from '../../access/view.ts';
import { ReadRecording } from '../../db/interface/recorded-reads.ts';
import { ContentError, validation } from '../../errors.ts';
import { type Attribute, type Catalog, FILE_UID, type Model, modelOf } from '../../schema/catalog.ts';
import { listRoles } from '../../users/roles/roles.ts';
import type { Caller } from '../../users/sessions/callers.ts';
import { listTokens } from '../../users/sessions/tokens.ts';
import type { InnerAnswer, InnerRequests } from '../inner-requests.ts';
import type { HttpContext } from '../routes/context.ts';
import { paramsOf, rowIdOf } from '../routes/routes.ts';
import type { AdminCall, AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData } from './answers.ts';
import { readIndex, readSentRequest, type SentRequest } from './explore-bodies.ts';
import { type ExploredRequest, exploredTypes } from './explored-requests.ts';
import { forSuper } from './settings-rights.ts';

/** Roles and tokens in lists. */
const MOST_HOLDERS = 200;
/** Bytes of a body that are shown, and milliseconds until an answer ends. */
const LIMITS = { longest: 400_000, timeout: 60_000 };
/** Media types that are shown as text. */
const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|javascript)\b)/;

/** @param inner sends the requests. */
export function exploreRoutes(context: HttpContext, inner: InnerRequests): AdminRoute[] {
  const { config, database, views, callers, holders, lent, tuning } = context;
  const { prefix } = config.rest;
  /** Administrators whose request is being answered. */
  const busy = new Set<number>();

  /** The caller of `public`, `role:2` or `token:3`; undefined for the public. @throws ContentError 400 for any other. */
  const callerOf = async (as: unknown): Promise<Caller | undefined> => {
    if (as === 'public') return undefined;
    const [, kind, digits = ''] = /^(role|token):(\d+)$/.exec(typeof as === 'string' ? as : '') ?? [];
    const id = rowIdOf(digits);
    if (kind === 'role' && (await listRoles(database)).some((role) => role.id === id)) return holders.ofRole(id!);
    const token = kind === 'token' ? (await listTokens(database)).find((one) => one.id === id) : undefined;
    if (!token) throw validation('as must be public, role:ID or token:ID', { key: 'as' });
    return holders.ofToken(token);
  };
  /** Runs work with the header of a caller. */
  const asCaller = <T>(caller: Caller | undefined, work: (header: string | undefined) => Promise<T>): Promise<T> =>
    caller ? lent.lend(caller, work) : work(undefined);
  /** A caller as the server sees it, without the actions that project code closes. */
  const seen = (caller: Caller | undefined): Promise<Caller> =>
    asCaller(caller && { ...caller, expiresAt: null }, (header) => callers.identify(header));

  const overview: AdminHandler = async ({ reply }) => {
    const roles = (await listRoles(database)).slice(0, MOST_HOLDERS);
    const known = await Promise.all(roles.map(async ({ id }) => ({ id, ...(await seen(await holders.ofRole(id))) })));
    const tokens = (await listTokens(database)).slice(0, MOST_HOLDERS);
    const now = Date.now();
    const data = {
      prefix,
      origin: config.users.publicUrl === undefined ? null : new URL(config.users.publicUrl).origin,
      docs: docsPath(context),
      roles: roles.map(({ id, name, type }) => ({ id, name, type })),
      tokens: tokens.map(({ id, name, type, expiresAt }) => {
        return { id, name, type, isExpired: expiresAt !== null && expiresAt <= now };
      }),
      types: exploredTypes(context).map(({ requests, ...type }) => ({
        ...type,
        requests: requests.map(({ isPermitted, ...request }) => ({
          ...request,
          roles: known.filter((role) => isPermitted(role.grants)).map(({ id }) => id),
        })),
      })),
    };
    return sendData(reply, data);
  };

  const view: AdminHandler = async ({ request, reply }) => {
    const caller = await callerOf(paramsOf(request)['as']);
    const { grants, userId } = await seen(caller);
    const { view } = views.viewer(grants, { userId });
    const isPermitted = ({ isPermitted }: ExploredRequest): boolean => isPermitted(grants);
    const requests = exploredTypes(context).flatMap(({ requests }) => requests);
    const data = {
      permitted: requests.filter(isPermitted).map(({ id }) => id),
      models: exploredModels(context.catalog, view),
    };
    return sendData(reply, data);
  };

  const send: AdminHandler = async (call) => {
    const { request, reply, administrator } = call;
    const sent = readSentRequest(request.body, config);
    const caller = await callerOf(sent.as);
    const { id } = administrator.row;
    if (busy.has(id)) throw new ContentError('RateLimitError', 'Another request of yours is still running');
    busy.add(id);
    try {
      const data = await answerOf(sent, caller, call);
      return sendData(reply, data);
    } finally {
      busy.delete(id);
    }
  };

  const answerOf = async (sent: SentRequest, caller: Caller | undefined, { request }: AdminCall) => {
    const { method, target, body, explain } = sent;
    const recording = explain ? new ReadRecording() : undefined;
    try {
      const answer = await asCaller(caller, (authorization) => {
        const headers = {
          host: request.headers.host ?? 'localhost',
          accept: 'application/json',
          'user-agent': 'galley-admin',
          ...(authorization === undefined ? {} : { authorization }),
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
        };
        const around = recording && ((handle: () => void) => recording.run(handle));
        return inner.send({ method, target, headers, body, address: request.ip, around }, LIMITS);
      });
      const type = answer.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
      const isText = answer.body.length === 0 || TEXT.test(type);
      return {
        status: answer.status,
        headers: answer.headers.map(([name, value]) => ({ name, value })),
        body: isText ? answer.body.toString() : '',
        ...{ isText, isCut: answer.isCut, bytes: answer.body.length },
        ...{ waited: answer.waited, milliseconds: answer.milliseconds },
        reads: recording ? await explained(recording, answer) : null,
      };
    } finally {
      recording?.close();
    }
  };

  const explained = async ({ reads }: ReadRecording, answer: InnerAnswer) => {
    // with several reads, no size belongs to one of them
    const size = reads.length === 1 ? sizeOf(answer) : undefined;
    const described = [];
    const suggested = new Set<string>();
    for (const read of reads) {
      const { times, findings, scans, sorts, ...rest } = await tuning.explain(read, {
        wasStopped: answer.status === 503,
        size,
      });
      const middle = times?.toSorted((one, other) => one - other)[Math.floor(times.length / 2)];
      described.push({
        ...rest,
        milliseconds: middle ?? null,
        runs: times?.length ?? 0,
        rows: size?.rows ?? null,
        total: size?.total ?? null,
        scans: scans.map(({ table, rows }) => ({ table, rows: rows ?? null })),
        sorts: sorts.map(({ table, rows }) => ({ table, rows: rows ?? null })),
        findings: findings.map(({ index, unused, ...finding }) => {
          const named = index && { ...index, ...nameOf(index) };
          const isNew = named !== undefined && !suggested.has(named.name);
          if (isNew) suggested.add(named.name);
          return { ...finding, unused: unused ?? null, index: isNew ? named : null };
        }),
      });
    }
    return described;
  };
  const nameOf = (index: Parameters<typeof tuning.described>[0]) => {
    const { name, columns: text } = tuning.described(index);
    return { name, text };
  };

  const createIndex: AdminHandler = async ({ request, reply }) => {
    const created = await tuning.create(readIndex(request.body));
    return sendData(reply, created, created.existed ? 200 : 201);
  };

  // super admins may act as any caller anyway, since they may change its rights
  return [
    { path: '/explore', methods: { GET: forSuper(overview) } },
    { path: '/explore/view', methods: { GET: forSuper(view) } },
    { path: '/explore/requests', methods: { POST: forSuper(send) } },
    { path: '/explore/indexes', methods: { POST: forSuper(createIndex) } },
  ];
}

/** The path of the page that describes the API. A type of the project may have the shorter one. */
function docsPath({ catalog, config: { rest } }: HttpContext): string {
  const isTaken = [...catalog.contentTypes.values()].some(
    ({ routed, kind, pluralName, singularName }) =>
      routed && (kind === 'singleType' ? singularName : pluralName).toLowerCase() === 'docs',
  );
  return `${rest.prefix}/${isTaken ? '_docs' : 'docs'}`;
}

/** The rows and the total in an answer; undefined where it is cut, or no answer of documents. */
function sizeOf({ status, body, isCut }: InnerAnswer): { rows: number; total: number | undefined } | undefined {
  if (status >= 400 || isCut) return undefined;
  try {
    const { data, meta } = JSON.parse(body.toString()) as {
      readonly data?: unknown;
      readonly meta?: { readonly pagination?: { readonly total?: number } };
    };
    const rows = Array.isArray(data) ? data.length : data === null || data === undefined ? 0 : 1;
    return { rows, total: meta?.pagination?.total };
  } catch {
    return undefined;
  }
}

/** Everything visible of the types that a caller may use, and of all components. */
function exploredModels(catalog: Catalog, view: View) {
  const types = [...catalog.contentTypes.values()].filter(({ uid }) => !uid.startsWith('admin::'));
  return [...types, ...catalog.components.values()].map((model) => exploredModel(catalog, view, model));
}

function exploredModel(catalog: Catalog, view: View, model: Model) {
  const { readable, filterable, sortable, populatable, writable, isSealed } = view.of(model);
  const enumOf = (name: string): readonly string[] => {
    const attribute = model.attributes.get(name);
    return attribute !== undefined && 'enum' in attribute ? attribute.enum : [];
  };
  const attributes = [...model.attributes.values()];
  return {
    uid: model.uid,
    displayName: model.displayName,
    fields: isSealed ? [] : readable,
    filters: isSealed ? [] : [...filterable].map(([name, type]) => ({ name, type, values: enumOf(name) })),
    sorts: isSealed ? [] : [...sortable.keys()],
    populates: isSealed
      ? []
      : populatable.flatMap((name) => {
          const attribute = model.attributes.get(name);
          if (!attribute)
            return [{ name, type: 'relation', target: name === 'localizations' ? model.uid : null, isMany: false }];
          return isShown(catalog, view, attribute) ? [{ name, ...targetOf(attribute) }] : [];
        }),
    inputs: attributes
      .filter(({ name }) => writable.has(name))
      .map((attribute) => {
        const { name, type, required } = attribute;
        const { target, isMany } = targetOf(attribute);
        return { name, type, required, target, isMany, values: enumOf(name) };
      }),
  };
}

/** Whether something behind an attribute is visible. */
function isShown(catalog: Catalog, view: View, attribute: Attribute): boolean {
  if (attribute.type === 'media') return !view.of(modelOf(catalog, FILE_UID)).isSealed;
  if (attribute.type !== 'relation' || attribute.target === undefined) return true;
  return view.of(modelOf(catalog, attribute.target)).isSeen;
}

function targetOf(attribute: Attribute) {
  switch (attribute.type) {
    case 'media':
      return { type: attribute.type, target: FILE_UID, isMany: attribute.multiple };
    case 'component':
      return { type: attribute.type, target: attribute.component, isMany: attribute.repeatable };
    case 'relation':
      return { type: attribute.type, target: attribute.target ?? null, isMany: /Many$/.test(attribute.relation) };
    default:
      return { type: attribute.type, target: null, isMany: attribute.type === 'dynamiczone' };
  }
}
