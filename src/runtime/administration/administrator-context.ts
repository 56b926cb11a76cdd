/**
 * `strapi.requestContext` of an administrator's operation: a request as Strapi's panel would send it, since code
 * recognizes requests of the panel by their address.
 */
import type { ServerResponse as Response } from 'node:http';
import { Socket } from 'node:net';
import { IncomingMessage, ServerResponse } from '../../node-http.ts';
import type { Administrator } from '../../users/administrators/administrators.ts';
import { Context } from '../requests/context.ts';
import type { RequestParts } from '../requests/request.ts';

/** A request to the API of the administration. */
export interface AdministratorRequest {
  readonly parts: RequestParts;
  readonly response: Response;
  readonly administrator: Pick<Administrator, 'row' | 'roles'>;
}

/** A request that the server itself makes: it has no client. */
export function ownRequest(method: string, url: string): Omit<AdministratorRequest, 'administrator'> {
  const raw = Object.assign(new IncomingMessage(new Socket()), { method, url });
  const parts = { method, url, headers: {}, ip: '127.0.0.1', protocol: 'http', host: 'localhost', body: {}, raw };
  return { parts, response: new ServerResponse(raw) };
}

/** The operations on documents in addresses of Strapi's panel. */
const ACTIONS: Readonly<Record<string, string>> = {
  publish: 'actions/publish',
  unpublish: 'actions/unpublish',
  discard: 'actions/discard',
  'bulk/publish': 'actions/bulkPublish',
  'bulk/unpublish': 'actions/bulkUnpublish',
  'bulk/delete': 'actions/bulkDelete',
};

/** @param kindOf the kind of a content type, by uid. @param around the context of middlewares that stand around it. */
export function administratorContext(
  { parts, response, administrator }: AdministratorRequest,
  kindOf: (uid: string) => string | undefined,
  around: Context | undefined,
): Context {
  const { url, params, method = parts.method } = panelAddress(parts.url, kindOf, parts.method);
  const ctx = new Context({ ...parts, url, method }, response);
  const { id, documentId, firstname, lastname, username, email, preferedLanguage } = administrator.row;
  const roles = administrator.roles.map((role) => ({ ...role }));
  const known = { id, documentId, firstname, lastname, username, email, preferedLanguage };
  const user = { ...known, isActive: true, blocked: false, roles };
  const auth = { strategy: { name: 'admin' }, credentials: user };
  Object.assign(ctx.state, around?.state, { user, auth, isAuthenticated: true, route: { info: { type: 'admin' } } });
  ctx.params = params;
  return ctx;
}

/** The address that Strapi's panel would request, with its route. */
interface PanelAddress {
  readonly url: string;
  readonly params: Record<string, string>;
  /** The operations that the panel requests with another word. */
  readonly method?: string;
}

/** `/admin/api/content/api::article.article/x` → `/content-manager/collection-types/api::article.article/x`. */
function panelAddress(url: string, kindOf: (uid: string) => string | undefined, method?: string): PanelAddress {
  const at = url.indexOf('?');
  const [path, search] = at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at)];
  const [, library, ofLibrary = ''] = /\/api\/(files|folders)(?:\/(.*))?$/.exec(path) ?? [];
  if (library !== undefined) return { ...libraryAddress(library, ofLibrary, method), params: {} };
  const [, encoded = '', rest = ''] = /\/api\/content\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
  const uid = decoded(encoded);
  const kind = kindOf(uid);
  if (kind === undefined) return { url, params: {} };
  const [, id = '', word = rest] = rest.startsWith('bulk/') ? [] : (/^([^/]*)\/?(.*)$/.exec(rest) ?? []);
  const isSingle = kind === 'singleType';
  const document = isSingle ? '' : id;
  const base = `/content-manager/${isSingle ? 'single-types' : 'collection-types'}/${uid}`;
  const params = { model: uid, ...(document === '' ? {} : { id: document }) };
  if (word === 'duplicate') return { url: `${base}/clone/${id}${search}`, params: { model: uid, sourceId: id } };
  const places = [base, document, ACTIONS[word] ?? word].filter((place) => place !== '');
  return { url: places.join('/') + search, params };
}

/** The addresses of Strapi's panel for operations on files and folders. */
function libraryAddress(library: string, rest: string, method: string | undefined): Omit<PanelAddress, 'params'> {
  const [id = '', word = ''] = rest.split('/');
  if (id === 'move' || id === 'delete') return { url: `/upload/actions/bulk-${id}` };
  const isFolder = library === 'folders';
  if (isFolder && method === 'DELETE') return { url: '/upload/actions/bulk-delete', method: 'POST' };
  if (isFolder || method === 'GET') return { url: `/upload/${[library, id, word].filter(Boolean).join('/')}` };
  return { url: id === '' ? '/upload' : `/upload?id=${id}`, method: 'POST' };
}

/** A part of a path as it was before it was encoded. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
