/** Project code around scheduled publications, as around those of the same administrator. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { listItems } from '../../../src/schedule/items.ts';
import { type Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { signedIn } from '../../support/accounts/held-answers.ts';
import { engines } from '../../support/databases/databases.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const NOW = Date.parse('2026-12-01T12:00:00Z');
const drafts = { options: { draftAndPublish: true } };
const ITEM = 'api::item.item';
const files = {
  'config/plugins.js': `module.exports = { email: { config: { provider: './providers/post', providerOptions: { file: __dirname + '/../mails.txt' } } } };`,
  'providers/post.js': `const fs = require('node:fs');
module.exports = { init: ({ file }) => ({ send: (mail) => fs.appendFileSync(file, JSON.stringify(mail) + '\\n') }) };`,
  'src/index.js': `const { errors } = require('@strapi/utils');
const seen = (globalThis.seenBySchedule ??= []);
module.exports = {
  register({ strapi }) {
    strapi.documents.use(async (context, next) => {
      if (context.uid !== 'api::item.item' || context.action !== 'publish') return next();
      const ctx = strapi.requestContext.get();
      const { title } = await strapi.documents(context.uid).findOne({ documentId: context.params.documentId });
      seen.push([context.action, context.params.documentId, title, ctx.request.url, ctx.state.user.email]);
      if (title === 'refused') throw new errors.ApplicationError('Not this one');
      if (title === 'broken') throw new TypeError('of nobody');
      const result = await next();
      await strapi.documents('api::note.note').create({ data: { title: 'published ' + title } });
      if (title === 'undone') throw new errors.ForbiddenError('Not after all');
      return result;
    });
  },
};`,
};
const contentTypes = {
  item: contentType('item', { title: { type: 'string' } }, drafts),
  note: contentType('note', { title: { type: 'string' } }),
};

for (const engine of engines) {
  describe(`project code around scheduled publications on ${engine.name}`, () => {
    const clock = new FakeClock(NOW);
    let server: SeededServer;
    let sue: Browser;
    const seen = () => (globalThis as unknown as { seenBySchedule: unknown[][] }).seenBySchedule;
    let due = NOW;

    before(async () => {
      server = await serveSeeded(engine, await makeProject({ contentTypes, files }), undefined, {}, { clock });
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      sue = await signedIn(server, 'sue');
    });
    after(() => server?.stop());

    const schedule = async (title: string): Promise<string> => {
      const { documentId } = (await server.app.documents(ITEM).create({ data: { title } })) as { documentId: string };
      due += 60_000;
      const body = { action: 'publish', at: new Date(due).toISOString() };
      strictEqual((await sue.send('POST', `content/${ITEM}/${documentId}/schedule`, body)).status, 201);
      return documentId;
    };
    const ended = async (documentId: string) => {
      clock.set(due);
      return until('its work is over', async () => {
        const [item] = await listItems(server.app.database, { targets: [documentId], most: 1 });
        return item?.state !== 'waiting' && item;
      });
    };
    const isPublished = async (documentId: string) =>
      (await server.app.documents(ITEM).findOne({ documentId, status: 'published' })) !== null;
    const notes = async (title: string) =>
      (await server.app.documents('api::note.note').findMany({ filters: { title } })).length;

    it('runs in the same transaction, with the request that the panel would send', async () => {
      seen().length = 0;
      const documentId = await schedule('good');
      deepStrictEqual(seen(), []);
      strictEqual((await ended(documentId)).state, 'done');
      const url = `/content-manager/collection-types/${ITEM}/${documentId}/actions/publish`;
      deepStrictEqual(seen(), [['publish', documentId, 'good', url, 'sue@example.com']]);
      deepStrictEqual([await isPublished(documentId), await notes('published good')], [true, 1]);
    });

    it('refuses: the publication fails with its words, and everything is rolled back', async () => {
      const refused = await schedule('refused');
      deepStrictEqual((await ended(refused)).result, { name: 'ApplicationError', message: 'Not this one' });
      const undone = await schedule('undone');
      strictEqual((await ended(undone)).result?.['message'], 'Not after all');
      deepStrictEqual([await isPublished(refused), await isPublished(undone)], [false, false]);
      strictEqual(await notes('published undone'), 0);
    });

    it('mails the administrator who has scheduled what fails', async () => {
      const documentId = await schedule('refused');
      await ended(documentId);
      const file = path.join(server.app.config.dir, 'mails.txt');
      const text = await until('the mail is there', async () => {
        const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
        return lines.find((line) => line.includes(documentId));
      });
      const { to, subject, text: body } = JSON.parse(text);
      match(JSON.stringify(to), /sue@example\.com/);
      match(subject, /^Scheduled for Tuesday,? 1 December 2026 at 12:\d\d, and failed: refused$/);
      match(body, new RegExp(`Not this one[^]*/admin/content/${ITEM}/${documentId}`));
    });

    it('runs once, however it ends, and its errors are not shown', async () => {
      seen().length = 0;
      const documentId = await schedule('broken');
      const { name, message } = (await ended(documentId)).result as { name: string; message: string };
      deepStrictEqual([name, message], ['InternalServerError', 'An internal error occurred']);
      strictEqual(seen().length, 1);
    });

    it('closes the content API, which would bypass it', async () => {
      const { documentId } = (await server.app.documents(ITEM).create({ data: { title: 'x' } })) as {
        documentId: string;
      };
      const body = { action: 'publish', at: new Date(due + 60_000).toISOString() };
      const target = `/api/items/${documentId}/actions/schedule`;
      strictEqual((await server.request('POST', target, { body, token: server.secrets['full']! })).status, 403);
    });
  });
}
