/**
 * What a request leaves behind is collected with what else is young. What outlives that waits until all memory is gone
 * through, which takes a hundred times as long, and comes the more often.
 */
import { ok, strictEqual } from 'node:assert/strict';
import { Agent } from 'node:http';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { type Program, startProgram } from '../../support/servers/program.ts';
import { rawRequest } from '../../support/servers/raw-http.ts';
import { until } from '../../support/wait.ts';

const PROBE = path.join(import.meta.dirname, '../../support/servers/old-memory.ts');
/** Few, as requests that are under way while it is collected twice become old without anybody's doing. */
const CONNECTIONS = 4;
/** Requests before which code is compiled and caches are filled, and those that are looked at. */
const WARM = 2000;
const REQUESTS = 1500;
/** Bytes of a request that may become old: of what it leaves behind it was 1,300 to 5,000. */
const MOST = 1000;

const PASSING_ON = 'module.exports = { register({ strapi }) { strapi.documents.use((_context, next) => next()); } };';

const SHORT = '/api/articles?pagination[pageSize]=2&fields=title';
const LONG = '/api/articles?pagination[pageSize]=1';
/** Requests to projects without code and with a document middleware. */
const CASES = [
  { code: undefined, what: 'that come again', target: SHORT, headers: {} },
  {
    code: undefined,
    what: 'that take their way through the whole server',
    target: SHORT,
    headers: { origin: 'https://a.b' },
  },
  { code: undefined, what: 'with long answers', target: LONG, headers: {} },
  { code: PASSING_ON, what: 'to types with code', target: SHORT, headers: {} },
  { code: PASSING_ON, what: 'to types with code, with long answers', target: LONG, headers: {} },
] as const;

for (const engine of engines) {
  for (const code of [undefined, PASSING_ON]) {
    describe(`what requests leave behind on ${engine.name}, ${code ? 'with' : 'without'} code`, () => {
      let program: Program;
      const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
      before(async () => {
        const files = { api: { rest: { answerCache: { size: 0 } } } };
        program = await startProgram(engine, {
          env: { NODE_OPTIONS: `--import=${PROBE}` },
          files,
          ...(code && { code }),
        });
        for (const title of ['one', 'two']) {
          const headers = { authorization: `Bearer ${program.secrets['full']}`, 'content-type': 'application/json' };
          const body = JSON.stringify({ data: { title, body: 'a'.repeat(20_000) } });
          const { status } = await rawRequest(`${program.url}/api/articles`, { method: 'POST', headers, body });
          strictEqual(status, 200);
        }
      });
      after(async () => {
        agent.destroy();
        await program?.remove();
      });

      const ask = async (target: string, times: number, headers: Readonly<Record<string, string>>) => {
        let left = times;
        const caller = async () => {
          while (left-- > 0) {
            const authorization = `Bearer ${program.secrets['full']}`;
            const { status } = await rawRequest(program.url + target, {
              agent,
              headers: { authorization, ...headers },
            });
            strictEqual(status, 200);
          }
        };
        await Promise.all(Array.from({ length: CONNECTIONS }, caller));
      };
      const oldMemory = async (): Promise<number> => {
        const told = () => [...program.lines().matchAll(/old memory: (\d+)\n/g)];
        const before = told().length;
        program.child.kill('SIGUSR2');
        const found = await until('it is told', () => told()[before]);
        return Number(found[1]);
      };

      for (const { what, target, headers } of CASES.filter((one) => one.code === code)) {
        it(`is young, of requests ${what}`, async () => {
          await ask(target, WARM, headers);
          const first = await oldMemory();
          await ask(target, REQUESTS, headers);
          const each = ((await oldMemory()) - first) / REQUESTS;
          ok(each < MOST, `${each.toFixed(0)} bytes of each request are old`);
        });
      }
    });
  }
}
