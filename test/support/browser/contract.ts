/** Compares answers of the server with the contract of the administration app. */
import { deepStrictEqual } from 'node:assert/strict';
import type { Response } from 'playwright-core';
import { REQUESTS, refusal } from '../../../admin/contract/contract.ts';
import { mismatches, type Shape } from '../../../admin/contract/shape.ts';

/** The mismatches of an answer. Paths are below `<path>/api`. */
export function breaches(method: string, path: string, status: number, body: unknown): readonly string[] {
  const name = Object.keys(REQUESTS).find((request) => matches(request, method, path));
  const where = `${method} ${path} (${status})`;
  if (name === undefined) return status === 404 ? [] : [`${where}: the contract has no such request`];
  const { answer } = REQUESTS[name as keyof typeof REQUESTS] as { answer?: Shape<unknown> };
  const shape = status >= 400 ? refusal : answer;
  if (!shape) return body === undefined ? [] : [`${where}: the contract has no body for it`];
  return mismatches(shape, body).map((line) => `${where}: ${line}`);
}

function matches(request: string, method: string, path: string): boolean {
  const pattern = request.replace(/:\w+/g, '[^/]+');
  return new RegExp(`^${pattern}$`).test(`${method} ${path}`);
}

/**
 * Compares every answer below `<path>/api` that a browser gets. The returned function asserts that there are no
 * mismatches.
 */
export function watchContract(context: {
  on(event: 'response', listener: (response: Response) => void): unknown;
}): () => Promise<void> {
  const found: Promise<readonly string[]>[] = [];
  context.on('response', (response) => {
    const path = /\/admin\/api\/(.*)$/.exec(new URL(response.url()).pathname)?.[1];
    if (path === undefined) return;
    // A stream has no end, and its events are not in the contract.
    if (response.headers()['content-type']?.startsWith('text/event-stream')) return;
    const method = response.request().method();
    found.push(
      response.text().then(
        (text) => breaches(method, path, response.status(), text === '' ? undefined : JSON.parse(text)),
        () => [], // The page was left before the answer arrived.
      ),
    );
  });
  return async () => deepStrictEqual((await Promise.all(found)).flat(), []);
}
