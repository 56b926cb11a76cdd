/**
 * A door in front of a server that keeps its files in an object store, for scenarios that were recorded with files on
 * the local disk: addresses in answers become those of the local disk, and what they lead to is fetched from the store
 * by the address that was given out.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { BUCKET, type S3Server } from './s3.ts';

/** What the server answers for a file that it has not. */
const MISSING = JSON.stringify({
  data: null,
  error: { status: 404, name: 'NotFoundError', message: 'Not Found', details: {} },
});

export interface Door {
  readonly url: string;
  close(): void;
}

/** Opens the door. */
export async function asLocal(target: string, s3: S3Server): Promise<Door> {
  const base = `${s3.endpoint}/${BUCKET}/`;
  /** Path of the local disk → address given out last. */
  const given = new Map<string, string>();
  const localised = (text: string, path: string): string => {
    const addresses = new RegExp(`${base.replaceAll('.', '\\.')}([^"?]*)(\\?[^"]*)?`, 'g');
    const renamed = text
      .replaceAll(addresses, (address, key: string) => {
        given.set(`/uploads/${key}`, address);
        return `/uploads/${key}`;
      })
      .replaceAll(/("provider"\s*:\s*)"aws-s3"/g, '$1"local"');
    return path.startsWith('/api/upload')
      ? renamed.replaceAll(/("isUrlSigned"\s*:\s*)true/g, '$1false')
      : renamed.replaceAll(/,\s*"isUrlSigned"\s*:\s*true/g, '');
  };
  const server = createServer(async (request, response) => {
    const path = request.url!;
    const stored = path.startsWith('/uploads/');
    const address = stored ? (given.get(path) ?? base + path.slice('/uploads/'.length)) : target + path;
    const answer = await fetch(address, await requestOf(request, stored));
    const body = Buffer.from(await answer.arrayBuffer());
    const headers = Object.fromEntries(answer.headers);
    for (const name of ['content-encoding', 'content-length', 'transfer-encoding', 'connection']) delete headers[name];
    // the store does not tell strangers what it has not
    const missing = stored && (answer.status === 403 || answer.status === 404);
    if (missing) return void response.writeHead(404, { 'content-type': 'application/json' }).end(MISSING);
    response.writeHead(answer.status, headers);
    response.end(headers['content-type']?.includes('json') ? localised(String(body), path) : body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function requestOf(request: IncomingMessage, stored: boolean): Promise<RequestInit> {
  const { method = 'GET' } = request;
  // an address is signed for GET alone
  if (stored) return { method: method === 'HEAD' ? 'GET' : method };
  const headers = new Headers();
  for (const name of ['authorization', 'content-type', 'strapi-response-format']) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  const body = await buffer(request);
  return { method, headers, ...(body.length === 0 ? {} : { body: new Uint8Array(body) }) };
}
