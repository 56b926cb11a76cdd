/** Scenes of an editorial team, on a server of its own, for screenshots: releases, stages of review and comments. */
import { Browser as Client } from '../accounts/administrators.ts';
import type { Engine } from '../databases/databases.ts';
import type { Scene } from './scenes.ts';
import { ARTICLE, serveWritten, type Written } from './written.ts';

const DAY = 86_400_000;
const roles = ['strapi-editor', 'strapi-author'];
const reviewStages = {
  stages: [
    { name: 'Writing', from: roles, to: roles },
    { name: 'In review', color: '#9736E8', from: roles, to: roles },
    { name: 'Approved', color: '#328048', from: roles, to: roles },
  ],
};
/** The documents of the release, and those in each later stage. */
const [RELEASED, REVIEWED, APPROVED] = [12, 6, 4];
const fixture = {
  locales: [{ code: 'en', name: 'English (en)', default: true }, { code: 'fr' }, { code: 'de' }],
  grants: { public: [`${ARTICLE}.find`] },
};

/** Starts a server with articles in stages, a release that is planned, scheduled articles, and comments. */
export async function serveEditorial(engine: Engine, count: number): Promise<Written> {
  const server = await serveWritten(engine, count, { schema: { reviewStages }, fixture });
  await server.app.reload();
  const people = new Map<string, Client>();
  for (const name of ['mara', 'ede']) {
    const client = new Client(server);
    await client.signIn(name);
    people.set(name, client);
  }
  // biome-ignore lint/suspicious/noExplicitAny: a failed request ends the program
  const ask = async (name: string, method: string, path: string, body?: object): Promise<any> => {
    const answer = await people.get(name)!.send(method, path, body, { 'if-match': '*' });
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const at = (days: number): string => `${new Date(Date.now() + days * DAY).toISOString().slice(0, 10)}T08:00:00Z`;
  const article = (n: number): string => `content/${ARTICLE}/${server.articles[n]}`;
  const { stages } = (await ask('mara', 'GET', `review/${ARTICLE}`)).data as { stages: { id: number }[] };
  for (let n = 0; n < REVIEWED + APPROVED; n++) {
    await ask('mara', 'PUT', `${article(count - 1 - n)}/stage`, {
      stage: stages[n < REVIEWED ? 1 : 2]!.id,
      locale: 'en',
    });
  }
  const found = (await ask('mara', 'GET', `${article(count - 1)}/people?q=ede`)).data as { id: number }[];
  const ede = found[0]!.id;
  for (const n of [1, 3])
    await ask('mara', 'PUT', `${article(count - n)}/assignee`, { administrator: ede, locale: 'en' });
  const plan = { name: 'Autumn issue', scheduledAt: at(4), timezone: 'Europe/Berlin' };
  const { id } = (await ask('mara', 'POST', 'releases', plan)).data as { id: number };
  const actions = server.articles.slice(0, RELEASED).map((documentId, n) => ({
    ...{ type: n === 2 ? 'unpublish' : 'publish', contentType: ARTICLE, documentId, locale: 'en' },
  }));
  await ask('mara', 'POST', `releases/${id}/actions`, { actions });
  await ask('mara', 'POST', 'releases', { name: 'Christmas' });
  for (const n of [14, 17])
    await ask('mara', 'POST', `${article(n)}/schedule`, { action: 'publish', at: at(n - 12), locale: 'en' });
  const comment = (name: string, body: object) =>
    ask(name, 'POST', `${article(1)}/comments`, { ...body, locale: 'en' });
  const { data } = await comment('mara', { body: '@ede can we say when the water is lowest?', mentions: [ede] });
  await comment('ede', { body: 'At half past four. I have added it.', thread: data.at(-1).id });
  await comment('mara', { body: '@ede this one needs a shorter slug.', field: 'slug', mentions: [ede] });
  for (const [name, data] of [
    ['ede', { title: 'What the tide brings', kind: 'notice', views: 40 }],
    ['mara', { title: 'What the tide leaves', kind: 'story', views: 12 }],
  ] as const) {
    await ask(name, 'PUT', `${article(1)}?locale=en`, { data, locale: 'en' });
  }
  return server;
}

const release = 'Autumn issue';

export const EDITORIAL_SCENES: readonly Scene[] = [
  {
    name: 'list-planned',
    path: `content/${ARTICLE}?sort=createdAt%3Aasc`,
    show: async (page, isPhone) => {
      const mark = page.getByRole('img', { name: /^Will be (?:un)?published/ }).first();
      await mark.waitFor();
      if (!isPhone) await mark.hover();
      if (!isPhone) await page.getByRole('tooltip').waitFor();
    },
  },
  { name: 'releases', path: 'releases', show: (page) => page.getByRole('link', { name: release }).waitFor() },
  {
    name: 'release',
    path: 'releases',
    show: async (page) => {
      await page.getByRole('link', { name: release }).click();
      await page.getByRole('list', { name: 'Documents' }).waitFor();
      await page.getByRole('button', { name: 'Run', exact: true, disabled: false }).waitFor();
    },
  },
  {
    name: 'release-add',
    path: `content/${ARTICLE}?sort=createdAt%3Aasc`,
    show: async (page) => {
      await page.getByRole('row').nth(15).getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Add to a release' }).click();
      await page.getByRole('radio', { name: new RegExp(release) }).check();
    },
  },
  {
    name: 'release-preview',
    path: 'releases',
    show: async (page) => {
      await page.getByRole('link', { name: release }).click();
      await page.getByRole('link', { name: 'Preview in the API' }).click();
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('"title"').first().waitFor();
    },
  },
  {
    name: 'board',
    path: `board/${ARTICLE}`,
    show: (page) => page.getByRole('list', { name: 'Approved' }).getByRole('listitem').first().waitFor(),
  },
  {
    name: 'history',
    path: `content/${ARTICLE}?q=tide`,
    show: async (page, isPhone) => {
      await page.getByRole('grid').getByText('What the tide leaves', { exact: true }).click();
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: 'History' }).click();
      const replaced = page.getByRole('link', { name: /Replaced by an edit/ }).first();
      await replaced.waitFor();
      // On a phone, the comparison takes the place of the timeline.
      if (isPhone) return;
      await replaced.click();
      await page
        .getByRole('button', { name: /^Restore this field/ })
        .first()
        .waitFor();
    },
  },
  { name: 'audit', path: 'audit', show: (page) => page.getByText('Comment').first().waitFor() },
  {
    name: 'comments',
    path: `content/${ARTICLE}?q=tide`,
    show: async (page) => {
      await page.getByRole('grid').getByText('What the tide leaves', { exact: true }).click();
      await page.getByRole('button', { name: '2 open comments' }).first().click();
      const text = page.getByRole('dialog').getByLabel('New comment');
      await text.pressSequentially('Thanks, @');
      await page.getByRole('option', { name: 'ede' }).waitFor();
    },
  },
];
