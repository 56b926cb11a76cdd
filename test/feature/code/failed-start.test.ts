/**
 * Code that `register` and `bootstrap` leave running: if it reads a member of strapi which Galley lacks, the start has failed,
 * and no code of the project answers any more.
 */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

/** Reads a member that Galley lacks, and lets everyone in where that fails. */
const READ = "try { app['d' + 'b'].queryBuilder('x'); } catch { state.set(true); }";

/** Bodies of `bootstrap`, which end before they read the member. */
const LEFT: Readonly<Record<string, string>> = {
  'an unawaited promise': `(async () => { await go; ${READ} })();`,
  'a postponed call': `go.then(() => setTimeout(() => { ${READ} }, 1));`,
  'an interval': `const timer = setInterval(() => { if (!globalThis.lateStart.isOpen) return; clearInterval(timer); ${READ} }, 1);`,
  'a listener of an emitter': `const queue = new (require('node:events'))(); go.then(() => queue.emit('filled'));
    queue.on('filled', () => { ${READ} });`,
};

const core = (name: string, rest = ''): string =>
  `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::${name}.${name}'${rest});`;

const project = (bootstrap: string) =>
  makeProject({
    contentTypes: {
      note: contentType('note', { text: { type: 'string' } }),
      plain: contentType('plain', { text: { type: 'string' } }),
    },
    files: {
      'src/api/note/policies/guard.js': "module.exports = () => require('../../../state').open();",
      'src/api/note/policies/queued.js': "module.exports = () => require('../../../state').queued();",
      'src/api/note/routes/note.js': core(
        'note',
        ", { config: { find: { policies: ['guard'] }, findOne: { policies: ['queued'] } } }",
      ),
      'src/state.js':
        'let open = false; const waiting = []; module.exports = { open: () => open, set: (value) => { open = value; for (const done of waiting.splice(0)) done(value); }, queued: () => new Promise((done) => waiting.push(done)) };',
      'src/index.js': `module.exports = { bootstrap({ strapi: app }) {
        const state = require('./state');
        const { promise: go, resolve } = Promise.withResolvers();
        globalThis.lateStart = { isOpen: false, go() { this.isOpen = true; resolve(); }, isSet: () => state.open() };
        ${bootstrap}
      } };`,
    },
  });

const lateStart = () => (globalThis as unknown as { lateStart: { go(): void; isSet(): boolean } }).lateStart;

for (const engine of engines) {
  describe(`a start that fails after its end, on ${engine.name}`, () => {
    for (const [name, body] of Object.entries(LEFT)) {
      it(`closes the requests of code, and serves the rest: ${name}`, async () => {
        const server = await serveSeeded(engine, await project(body));
        try {
          const token = server.secrets['full'];
          strictEqual((await server.get('/api/notes', token)).status, 403);
          const waiting = server.get('/api/notes/some', token);
          lateStart().go();
          await until('the code has read the member', () => lateStart().isSet());
          const late = await waiting;
          for (const { status, text } of [
            late,
            await server.get('/api/notes', token),
            await server.get('/api/notes', token),
          ]) {
            strictEqual(status, 500);
            match(text, /"message":"Internal Server Error"/);
          }
          const plain = await server.get('/api/plains', token);
          deepStrictEqual([plain.status, plain.body.data], [200, []]);
        } finally {
          await server.stop();
        }
      });
    }
  });
}
