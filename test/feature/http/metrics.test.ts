/** Prometheus metrics on a port of their own (docs/reference/http.md, "Metrics"). */
import { deepStrictEqual, doesNotMatch, match, rejects, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { serveConfigured } from '../../support/servers/configured.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { until } from '../../support/wait.ts';

for (const engine of engines) {
  describe(`metrics on ${engine.name}`, () => {
    it('are grouped by route pattern, method and status, and end with the server', async () => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/metrics`;
      const server = await serveConfigured(engine, {}, { METRICS_PORT: String(port) });
      try {
        for (const target of [
          '/api/authors',
          '/API/authors/?x=secret',
          '/api/authors/a',
          '/api/authors/b',
          '/nope/1',
        ]) {
          await server.get(target);
        }
        for (let i = 0; i < 3; i++) await server.request('PROPFIND', `/api/made-up-${i}`);
        const text = await until('every answer is counted', async () => {
          const { text } = await read(url);
          return /method="other",route="none",status="404"} 3/.test(text) && text;
        });
        const count = 'galley_http_request_duration_seconds_count';
        for (const line of [
          `${count}{method="GET",route="/api/authors",status="200"} 2`,
          `${count}{method="GET",route="/api/authors/:documentId",status="404"} 2`,
          `${count}{method="other",route="none",status="404"} 3`,
        ]) {
          strictEqual(text.includes(`\n${line}\n`), true, line);
        }
        doesNotMatch(text, /secret|made-up|PROPFIND/);
        match(text, /^galley_http_requests_in_flight 0$/m);
        match(text, /^nodejs_eventloop_lag_seconds /m);
        match(text, /^process_resident_memory_bytes /m);
        match(
          text,
          engine.name === 'postgres'
            ? /^galley_database_load\{kind="connections_idle"\} \d/m
            : /transactions_waiting"\} 0/,
        );
        const { headers } = await read(url);
        match(headers.get('content-type')!, /^text\/plain; version=0\.0\.4/);
        const others = [await fetch(`http://127.0.0.1:${port}/`), await fetch(url, { method: 'POST' })];
        deepStrictEqual(
          others.map(({ status }) => status),
          [404, 405],
        );
        strictEqual((await server.get('/metrics')).status, 404);
      } finally {
        await server.stop();
      }
      await rejects(fetch(url));
    });

    it('whose port is taken stop the start, with one line', async () => {
      const port = await freePort();
      const first = await serveConfigured(engine, { server: { metrics: { port } } });
      try {
        await rejects(serveConfigured(engine, { server: { metrics: { port } } }), {
          message: `port ${port} of 127.0.0.1, for /metrics, is taken: choose another with METRICS_PORT`,
        });
      } finally {
        await first.stop();
      }
    });
  });
}

async function read(url: string): Promise<{ text: string; headers: Headers }> {
  const response = await fetch(url);
  return { text: await response.text(), headers: response.headers };
}
