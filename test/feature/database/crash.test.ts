/** A server that is killed while it writes: answered writes are stored, and no partial ones. */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { brokenInvariants } from '../../model/invariants.ts';
import { makeModelProject } from '../../model/project.ts';
import { Random } from '../../model/random.ts';
import { readSchema } from '../../model/schema.ts';
import { engines } from '../../support/databases/databases.ts';
import { INHERITED, PROGRAM } from '../../support/servers/process.ts';

/** `npm run test:long` (test/long.ts) sets more of them, and another seed each time. */
const KILLS = Number(process.env['CRASH_KILLS'] ?? 2);
const SEED = Number(process.env['CRASH_SEED'] ?? 4);

/** One of so many answers sets off the kill, after a few that make sure that there is something to lose. */
const ANSWERS = 12;
const FEWEST = 4;

interface Child {
  readonly process: ChildProcess;
  readonly url: string;
}

async function start(dir: string, env: Readonly<Record<string, string>>): Promise<Child> {
  const child = spawn(process.execPath, [PROGRAM, 'start', dir, '--port', '0', '--host', '127.0.0.1'], {
    env: { ...INHERITED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    text += chunk as string;
    const [, url] = /(http:\/\/127\.0\.0\.1:\d+)\/_health/.exec(text) ?? [];
    if (url) return { process: child, url };
  }
  throw new Error(`the server did not start: ${text}`);
}

/** What the client was told of a document: a name per acknowledged write, and the links of its last one. */
interface Told {
  name: string;
  links: number;
  /** The write under way when the server was killed: either it happened as a whole, or not at all. */
  underWay?: { readonly name: string; readonly links: number } | undefined;
}

interface Writing {
  readonly url: string;
  readonly token: string;
  readonly random: Random;
  /** Receives what was answered. */
  readonly told: Map<string, Told>;
  readonly betas: string[];
  /** Called when a write was answered. */
  answered(): void;
}

/** Creates and updates documents until the connection breaks. */
async function write({ url, token, random, told, betas, answered }: Writing): Promise<never> {
  const request = async (method: string, target: string, data: unknown) => {
    const response = await fetch(`${url}/api${target}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ data }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers are of any form
    const body: any = await response.json();
    deepStrictEqual(response.status, 200, JSON.stringify(body));
    answered();
    return body.data.documentId as string;
  };
  for (;;) {
    const known = [...told.keys()];
    const name = `n${random.below(1e9)}`;
    const mm = random.some(betas, 3);
    const data = { name, mm, box: { label: name, targets: [], cards: [{ label: name, target: mm }] } };
    if (betas.length < 5) betas.push(await request('POST', '/betas', { name }));
    else if (known.length < 3 || random.chance(0.3)) {
      told.set(await request('POST', '/alphas', data), { name, links: mm.length });
    } else {
      const id = random.pick(known);
      const last = told.get(id)!;
      last.underWay = { name, links: mm.length };
      await request('PUT', `/alphas/${id}`, data);
      told.set(id, { name, links: mm.length });
    }
  }
}

for (const engine of engines) {
  describe(`a server killed while it writes, on ${engine.name}`, () => {
    it('keeps answered writes, and no partial ones', { timeout: 60_000 + KILLS * 20_000 }, async () => {
      const random = new Random(SEED);
      const folder = await makeModelProject();
      const database = await engine.emptyDatabase();
      const fixture = path.join(folder.dir, 'fixture-of-test.json');
      const out = path.join(folder.dir, 'tokens-of-test.json');
      await writeFile(fixture, JSON.stringify({ tokens: [{ name: 'full', type: 'full-access' }] }));
      const surroundings = { env: database.env, print: () => {}, warn: () => {} };
      ok((await runCommandLine(['apply', fixture, folder.dir, '--tokens-out', out], surroundings)) === 0);
      const token = (JSON.parse(await readFile(out, 'utf8')) as { full: string }).full;
      const schema = readSchema(folder.dir);
      const told = new Map<string, Told>();
      const betas: string[] = [];
      try {
        for (let kill = 0; kill < KILLS; kill += 1) {
          const child = await start(folder.dir, database.env);
          const ended = once(child.process, 'exit');
          let left = FEWEST + random.below(ANSWERS);
          const moment = random.below(10);
          const answered = () => {
            left -= 1;
            // the next write is sent now: the kill meets it at any point of its way
            if (left === 0) setTimeout(() => child.process.kill('SIGKILL'), moment);
          };
          const error = await write({ url: child.url, token, random, told, betas, answered }).catch(
            (reason: Error) => reason,
          );
          child.process.kill('SIGKILL');
          await ended;
          // the engine's own server may still be finishing what the killed one had sent
          await database.released();
          ok((error as { name?: string }).name === 'TypeError', `seed ${SEED}: ${error}`);
          await check(folder.dir, database.env, schema, told);
        }
        ok(told.size >= 3, `seed ${SEED}: only ${told.size} documents were written`);
      } finally {
        await database.drop();
        await folder.remove();
      }
    });
  });
}

/** Opens the project anew and compares. */
async function check(
  dir: string,
  env: Readonly<Record<string, string>>,
  schema: ReturnType<typeof readSchema>,
  told: Map<string, Told>,
): Promise<void> {
  const app = await openProject(dir, { env });
  try {
    for (const [documentId, { underWay, ...last }] of told) {
      const read = async (state: string) => {
        const links = 'select count(*) from alphas_mm_lnk l where l."alpha_id" = a."id"';
        const where = `a."document_id" = '${documentId}' and a."published_at" is ${state}`;
        const rows = await app.database.rows(`select a."name", (${links}) from alphas a where ${where}`, []);
        return rows.map(([name, count]) => ({ name: String(name), links: Number(count) }));
      };
      const drafts = await read('null');
      // a write that was under way is there as a whole, or not at all
      const wanted = underWay && drafts[0]?.name === underWay.name ? underWay : last;
      deepStrictEqual(drafts, [wanted], `seed ${SEED}: draft of ${documentId}`);
      deepStrictEqual(await read('not null'), [wanted], `seed ${SEED}: published row of ${documentId}`);
      told.set(documentId, { ...wanted });
    }
    deepStrictEqual(await brokenInvariants(app, schema), [], `seed ${SEED}`);
  } finally {
    await app.close();
  }
}
