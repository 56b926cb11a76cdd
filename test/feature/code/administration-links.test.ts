/**
 * Values that code of a project hides are also hidden where other documents link to them, in every read of
 * administrators.
 */
import { deepStrictEqual, doesNotMatch, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const text = { type: 'string' };
const drafts = { options: { draftAndPublish: true } };
const localized = { pluginOptions: { i18n: { localized: true } } };
const AUTHOR = 'api::author.author';
const AGENT = 'api::agent.agent';
const contentTypes = {
  author: contentType(
    'author',
    { name: { ...text, ...localized }, secret: text, notes: { type: 'json' } },
    { ...drafts, ...localized },
  ),
  agent: contentType('agent', { name: text }),
  story: contentType(
    'story',
    {
      title: text,
      author: { type: 'relation', relation: 'manyToOne', target: AUTHOR },
      others: { type: 'relation', relation: 'manyToMany', target: AUTHOR },
      agent: { type: 'relation', relation: 'manyToOne', target: AGENT },
      about: { type: 'relation', relation: 'morphToMany' },
      credits: { type: 'component', component: 'story.credit', repeatable: true },
      zone: { type: 'dynamiczone', components: ['story.credit'] },
    },
    drafts,
  ),
};
const components = {
  'story.credit': {
    collectionName: 'components_credits',
    attributes: { role: text, who: { type: 'relation', relation: 'oneToOne', target: AUTHOR } },
  },
};
const files = {
  'src/index.js': `const { errors } = require('@strapi/utils');
module.exports = {
  register({ strapi }) {
    strapi.documents.use(async (context, next) => {
      if (context.uid === '${AGENT}' && context.action === 'findMany') throw new errors.ForbiddenError('Nobody lists agents');
      if (context.uid !== '${AUTHOR}') return next();
      const result = await next();
      if (context.action === 'findMany') return result.filter(({ name }) => !/ghost/.test(name)).map(({ secret, ...one }) => ({ ...one, name: one.name + '!', notes: null }));
      return context.action === 'findOne' && /ghost/.test(result?.name) ? null : result;
    });
  },
};`,
};

for (const engine of engines) {
  describe(`documents that code hides, where others link to them, on ${engine.name}`, () => {
    let server: SeededServer;
    let sue: Browser;
    let seen: string;
    let ghost: string;
    let agent: string;
    let story: string;
    const STORY = 'content/api::story.story';
    before(async () => {
      server = await serveSeeded(engine, await makeProject({ contentTypes, components, files }));
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      sue = new Browser(server);
      await sue.signIn('sue');
      const made = async (uid: string, data: object) =>
        ((await server.app.documents(uid).create({ data, status: 'published' })) as { documentId: string }).documentId;
      seen = await made(AUTHOR, { name: 'Ann', secret: 'a secret', notes: { of: 'secret' } });
      ghost = await made(AUTHOR, { name: 'ghost of Ben' });
      agent = await made(AGENT, { name: 'secret agent' });
      story = await made('api::story.story', {
        title: 'One',
        author: ghost,
        others: [seen, ghost],
        agent,
        about: [
          { documentId: ghost, __type: AUTHOR },
          { documentId: seen, __type: AUTHOR },
        ],
        credits: [{ role: 'ink', who: ghost }],
        zone: [{ __component: 'story.credit', role: 'lead', who: seen }],
      });
    });
    after(() => server?.stop());

    type Link = { readonly label: string | null; readonly documentId: string; readonly state: string | null };
    const labels = (links: readonly Link[]) => links.map(({ label }) => label);
    const hidesAll = (given: string) => doesNotMatch(given, /ghost|secret/);

    it('are hidden in a document, in its draft and its published version', async () => {
      const { body, text: all } = await sue.get(`${STORY}/${story}`);
      hidesAll(all);
      for (const version of [body.data.draft, body.data.published]) {
        const { author, others, agent: of, about, credits, zone } = version;
        deepStrictEqual([author, others, of, about, credits[0].who, zone[0].who].map(labels), [
          [null],
          ['Ann!', null],
          [null],
          [null, 'Ann!'],
          [null],
          ['Ann!'],
        ]);
      }
      deepStrictEqual(
        body.data.draft.others.map(({ state }: Link) => state),
        ['published', 'published'],
      );
    });

    it('show nothing that code takes out of those that it does not hide', async () => {
      const { text: shown, body } = await sue.get(`${STORY}?populate=*`);
      hidesAll(shown);
      const [, other] = body.data[0].others;
      deepStrictEqual([body.data[0].others[0].name, other.name], ['Ann!', undefined]);
    });

    it('are not named in pages of links, in columns of lists, or where they are written', async () => {
      const links = await sue.get(`${STORY}/${story}/relations/others`);
      hidesAll(links.text);
      deepStrictEqual(labels(links.body.data), ['Ann!', null]);
      const list = await sue.get(`${STORY}?fields=title&populate[author][fields]=name&populate[others][fields]=name`);
      hidesAll(list.text);
      const [row] = list.body.data;
      deepStrictEqual([row.author.name, row.author.documentId], [undefined, ghost]);
      deepStrictEqual(
        row.others.map(({ name }: { name?: string }) => name),
        ['Ann!', undefined],
      );
      const tag = (await sue.get(`${STORY}/${story}`)).headers.get('etag')!;
      const saved = await sue.send('PUT', `${STORY}/${story}`, { data: { title: 'Two' } }, { 'if-match': tag });
      strictEqual(saved.status, 200, saved.text);
      hidesAll(saved.text);
      // what is hidden stays linked
      const kept = (await server.app.documents('api::story.story').findOne({
        documentId: story,
        status: 'draft',
        populate: { others: { fields: ['name'] } },
      } as never)) as unknown as { others: readonly { name: string }[] };
      deepStrictEqual(
        kept.others.map(({ name }) => name),
        ['Ann', 'ghost of Ben'],
      );
    });
  });
}
