/** Every kind of attribute: the values that are entered in the browser are stored by the server. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { openBrowser } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { type Newsroom, openNewsroom } from '../support/browser/newsroom.ts';
import { hasFocus } from '../support/browser/one-page.ts';
import { engines } from '../support/databases/databases.ts';
import { contentType } from '../support/servers/project.ts';
import { until } from '../support/wait.ts';
import { keptKeys } from './kept.ts';

const THING = 'content/api::thing.thing';
const drafts = { options: { draftAndPublish: true } };
const content = {
  contentTypes: {
    thing: contentType(
      'thing',
      {
        title: { type: 'string', required: true },
        summary: { type: 'text' },
        notes: { type: 'richtext' },
        body: { type: 'blocks' },
        mail: { type: 'email' },
        secret: { type: 'password' },
        slug: { type: 'uid', targetField: 'title' },
        section: { type: 'enumeration', enum: ['news', 'letters'] },
        front: { type: 'boolean' },
        pages: { type: 'integer' },
        views: { type: 'biginteger' },
        price: { type: 'decimal' },
        weight: { type: 'float' },
        day: { type: 'date' },
        hour: { type: 'time' },
        moment: { type: 'datetime' },
        data: { type: 'json' },
        colour: { type: 'customField', customField: 'plugin::color-picker.color' },
        tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
        cover: { type: 'media', multiple: false, allowedTypes: ['images'] },
        seo: { type: 'component', component: 'shared.seo' },
        zone: { type: 'dynamiczone', components: ['shared.seo', 'shared.gallery'], required: true },
      },
      { ...drafts, info: { displayName: 'Thing' } },
    ),
    tag: contentType('tag', { name: { type: 'string' } }, { info: { displayName: 'Tag' } }),
    note: contentType('note', { body: { type: 'blocks' }, title: { type: 'string' } }, drafts),
  },
  components: {
    'shared.seo': {
      collectionName: 'components_seos',
      info: { displayName: 'Seo' },
      attributes: { head: { type: 'string' } },
    },
    'shared.gallery': {
      collectionName: 'components_galleries',
      info: { displayName: 'Gallery' },
      attributes: {
        heading: { type: 'string' },
        parts: { type: 'component', component: 'shared.seo', repeatable: true, required: true },
        picks: { type: 'relation', relation: 'oneToMany', target: 'api::tag.tag' },
        pictures: { type: 'media', multiple: true, allowedTypes: ['images'] },
      },
    },
  },
};
/** The smallest possible picture. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let browser: Browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

for (const engine of engines) {
  describe(`every kind of attribute in the browser (${engine.name})`, () => {
    let room: Newsroom;
    before(async () => {
      room = await openNewsroom(engine, browser, content);
    });
    after(() => room[Symbol.asyncDispose]());

    it('stores numbers exactly, or reports that it cannot', async () => {
      const { data } = (await room.ask('mara', 'POST', THING, { data: { title: 'Rope', zone: [] } })).body;
      const price = async () => (await room.ask('mara', 'GET', `${THING}/${data.documentId}`)).body.data.draft.price;
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.goto(`/admin/${THING}/${data.documentId}`);
      const field = label(page, 'Price');
      await field.pressSequentially('7.12');
      await until('it is saved', async () => (await price()) === 7.12);
      await page.getByText('Saved', { exact: true }).waitFor();
      await field.pressSequentially('55');
      const problem = page.getByText('At most 2 decimal places.');
      if (engine.name === 'postgres') {
        await page.getByText('Saved except for 1 field').waitFor();
        await problem.first().waitFor();
        deepStrictEqual([await field.inputValue(), await price()], ['7.1255', 7.12]);
        await field.press('Backspace');
        await field.press('Backspace');
        await problem.first().waitFor({ state: 'detached' });
      } else {
        await until('it is saved', async () => (await price()) === 7.1255);
        strictEqual(await problem.count(), 0);
      }
      await label(page, 'Weight').fill('0.12345678901234567891');
      await page
        .getByText('0.12345678901234567891 cannot be stored exactly: it becomes 0.12345678901234568.')
        .waitFor();
      deepStrictEqual(visitor.complaints, []);
    });

    it('is stored as entered, and not sent again', async () => {
      for (const name of ['food', 'harbour']) {
        await room.ask('mara', 'POST', 'content/api::tag.tag', { data: { name } });
      }
      await using visitor = await room.visit('mara');
      const { page, context } = visitor;
      const assertContract = watchContract(context);
      await page.goto(`/admin/${THING}/new`);
      await fillIn(page);
      await until('it has an address of its own', () => !page.url().endsWith('/new'));
      const id = new URL(page.url()).pathname.split('/').at(-1)!;
      const draft = async () => (await room.ask('mara', 'GET', `${THING}/${id}`)).body.data.draft;
      const hashes = () => room.server.app.database.rows('select secret from things where published_at is null', []);
      await until('the last of it is saved', async () => (await draft())?.zone?.[0]?.parts?.[0]?.head === 'deep');
      await page.getByText('Saved', { exact: true }).waitFor();

      // A password is put into the form when its field loses the focus, as it does when a tab closes.
      const [[before]] = (await hashes()) as [[string]];
      const address = new RegExp(`/admin/api/content/[^?]*/${id}(?:\\?|$)`);
      const opening = await context.newPage();
      await until('it is kept on the device', async () => (await keptKeys(page)).some((key) => key.includes(id)));
      // Until the server answers, the page shows a stored version, which accepts no password.
      const held = Promise.withResolvers<void>();
      await opening.route(address, async (route) => held.promise.then(() => route.fallback()));
      await opening.goto(page.url());
      await label(opening, 'Secret').click();
      await opening.getByText('One moment: the latest version is still loading.').waitFor();
      await opening.keyboard.type('nobody sees this');
      strictEqual(await label(opening, 'Secret').inputValue(), '');
      held.resolve();
      await until('it may be written', () => label(opening, 'Secret').isEditable());
      await opening.close();
      const closing = await context.newPage();
      const answered = closing.waitForResponse(address);
      await closing.goto(page.url());
      await (await answered).finished();
      await label(closing, 'Secret').fill('honey and smoke');
      await closing.close({ runBeforeUnload: true });
      await until('it is saved', async () => (await hashes())[0]![0] !== before);

      // During another save, the page asks before it closes, and then sends the password.
      const [[second]] = (await hashes()) as [[string]];
      const asking = await context.newPage();
      const current = asking.waitForResponse(address);
      await asking.goto(page.url());
      await (await current).finished();
      const saving = Promise.withResolvers<void>();
      await asking.route(address, async (route) => {
        if (route.request().method() === 'PUT') await saving.promise;
        return route.fallback();
      });
      const begun = asking.waitForRequest((request) => request.method() === 'PUT' && address.test(request.url()));
      const summary = await label(asking, 'Summary').inputValue();
      await label(asking, 'Summary').fill(`${summary}!`);
      await begun;
      await label(asking, 'Secret').click();
      await asking.keyboard.type('smoke and patience');
      const question = asking.waitForEvent('dialog');
      await asking.close({ runBeforeUnload: true });
      const dialog = await question;
      strictEqual(dialog.type(), 'beforeunload');
      await dialog.dismiss();
      saving.resolve();
      await until('it is saved as well', async () => (await hashes())[0]![0] !== second);
      await label(asking, 'Summary').fill(summary);
      await until('the rest is as it was', async () => (await draft())?.summary === summary);
      await asking.close();
      await page.reload();

      const stored = await draft();
      const moment = new Date(await page.evaluate(() => new Date('2026-12-24T18:45').getTime())).toISOString();
      const { hour, tags, cover, seo, zone } = stored;
      match(hour, /^18:45:00(?:\.000)?$/);
      // PostgreSQL omits fractions of a second that are 0.
      const scalars = Object.fromEntries(Object.keys(SCALARS).map((name) => [name, stored[name]]));
      deepStrictEqual({ ...scalars, hour: SCALARS.hour }, { ...SCALARS, moment });
      deepStrictEqual(
        tags.map(({ label }: { label: string }) => label),
        ['harbour', 'food'],
      );
      match(cover[0].name, /^pier/);
      deepStrictEqual(Object.keys(seo), ['id', 'head']);
      strictEqual(seo.head, 'Found');
      deepStrictEqual(
        [zone.length, zone[0].__component, zone[0].heading, zone[0].picks[0].label],
        [1, 'shared.gallery', 'Nets', 'food'],
      );

      // Rows keep their ids, and unchanged ones are not sent.
      const sent: unknown[] = [];
      page.on('request', (request) => {
        if (request.method() === 'PUT' && request.url().includes(id)) sent.push(request.postDataJSON().data);
      });
      await page.reload();
      await label(page, 'Title').fill('Smoke, patience, honey');
      await until('the title is saved', async () => (await draft()).title === 'Smoke, patience, honey');
      // The browser may report requests later than their effects.
      await until('the request is told', () => sent.length > 0);
      deepStrictEqual(sent, [{ title: 'Smoke, patience, honey' }]);
      const after = await draft();
      deepStrictEqual({ ...after, title: 0, updatedAt: 0 }, { ...stored, title: 0, updatedAt: 0 });

      if (engine === engines[0]) {
        // Invalid input is shown in comparisons as it was typed; duplicates contain the saved value.
        await label(page, 'Pages').fill('1x');
        await page.getByRole('button', { name: 'More', exact: true }).first().click();
        await page.getByRole('menuitem', { name: 'Duplicate' }).click();
        await page.getByRole('status').getByText('1 field needs attention').waitFor();
        await room.ask('eve', 'PUT', `${THING}/${id}`, { data: { pages: 13 } }, { 'if-match': '*' });
        await label(page, 'Title').fill('Smoke and honey');
        await page.getByRole('button', { name: 'Compare versions' }).click();
        await page.getByRole('dialog').getByText('1x', { exact: true }).waitFor();
      }
      await assertContract();
      deepStrictEqual(visitor.complaints, []);
    });

    if (engine !== engines[0]) return;

    it('keeps files that are selected and uploaded in several rows at once, even if the rows move', async () => {
      for (const name of ['salt', 'tar']) await room.ask('mara', 'POST', 'content/api::tag.tag', { data: { name } });
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      const answered = Promise.withResolvers<void>();
      const stored = Promise.withResolvers<void>();
      const isWrite = ({ pathname }: URL) => decodeURIComponent(pathname).includes(THING);
      await page.route(isWrite, async (route) => {
        if (route.request().method() === 'POST') await answered.promise;
        await route.continue();
      });
      await page.route('**/api/files', async (route) => {
        await stored.promise;
        await route.continue();
      });
      await page.goto(`/admin/${THING}/new`);
      await label(page, 'Title').fill('Nets');
      const zone = group(page, 'Zone');
      for (const heading of ['One', 'Two']) {
        await zone.getByRole('button', { name: 'Add a part' }).click();
        await page.getByRole('menuitem', { name: 'Gallery' }).click();
        await label(zone, 'Heading').last().fill(heading);
      }
      const upload = (to: Locator, name: string) =>
        to.locator('input[type=file]').setInputFiles({ name, mimeType: 'image/png', buffer: PICTURE });
      await upload(group(zone, 'Pictures').first(), 'one.png');
      await upload(group(page, 'Cover'), 'late.png');
      // During the creation of the document, and during uploads.
      const made = page.waitForRequest((request) => request.method() === 'POST' && isWrite(new URL(request.url())));
      await page.keyboard.press('Control+s');
      await made;
      await choose(page, group(page, 'Tags'), 'salt');
      await group(page, 'Tags').getByRole('combobox').fill('tar');
      const option = page.getByRole('listbox').getByRole('option', { name: 'tar' });
      await option.waitFor();
      answered.resolve();
      await page.waitForURL((url) => !url.pathname.endsWith('/new'));
      await option.click();
      await zone.getByRole('button', { name: /^Actions for One/ }).click();
      await page.getByRole('menuitem', { name: 'Move down' }).click();
      stored.resolve();
      await group(page, 'Cover').getByRole('button', { name: 'View late.png' }).waitFor();
      await group(zone, 'Pictures').nth(1).getByRole('button', { name: 'View one.png' }).waitFor();
      await page.keyboard.press('Control+s');
      const id = new URL(page.url()).pathname.split('/').at(-1)!;
      const labels = (links: readonly { readonly label: string }[]) => links.map((link) => link.label);
      await until('all of it is saved', async () => {
        const { draft } = (await room.ask('mara', 'GET', `${THING}/${id}`)).body.data;
        const parts = draft.zone.map((part: { heading: string; pictures: readonly { name: string }[] }) => [
          part.heading,
          (part.pictures ?? []).map(({ name }) => name),
        ]);
        return (
          JSON.stringify([labels(draft.tags), draft.cover?.[0]?.name, parts]) ===
          JSON.stringify([
            ['salt', 'tar'],
            'late.png',
            [
              ['Two', []],
              ['One', ['one.png']],
            ],
          ])
        );
      });
      deepStrictEqual(visitor.complaints, []);
    });

    it('focuses the first field of a new document once it is loaded, except on devices with an on-screen keyboard', async () => {
      const NOTE = '/admin/content/api::note.note/new';
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.goto(NOTE);
      await until('it has the focus', () => hasFocus(page.getByRole('textbox', { name: 'Body' })));
      await page.goto('/admin/');
      await page.getByRole('button', { name: /^Search or go to/ }).click();
      await page.getByRole('dialog').getByRole('combobox').fill('New: note');
      await page.getByRole('option', { name: 'New: Note' }).click();
      await until('it has the focus', () => hasFocus(page.getByRole('textbox', { name: 'Body' })));
      // A file that is dropped beside its field does not replace the page.
      const isKept = await page.locator('[data-field="title"]').evaluate((field) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['x'], 'x.txt'));
        const over = new DragEvent('dragover', { bubbles: true, cancelable: true, dataTransfer });
        field.dispatchEvent(over);
        return over.defaultPrevented;
      });
      strictEqual(isKept, true);
      await using phone = await room.visit('mara', { width: 390 });
      await phone.page.goto(NOTE);
      await phone.page.getByRole('textbox', { name: 'Body' }).waitFor();
      strictEqual(await phone.page.locator('form :focus, [data-field] :focus').count(), 0);
      deepStrictEqual([...visitor.complaints, ...phone.complaints], []);
    });
  });
}

const SCALARS = {
  title: 'Smoke',
  summary: 'One\n\ntwo',
  notes: '# Nets',
  body: [{ type: 'heading', level: 2, children: [{ type: 'text', text: 'Hemp' }] }],
  mail: 'mara@example.org',
  slug: 'smoke',
  section: 'letters',
  front: false,
  pages: 12,
  views: '9223372036854775807',
  price: 19.95,
  weight: 0.001,
  day: '2026-12-24',
  hour: '18:45:00.000',
  moment: '',
  data: { a: [1, null] },
  colour: '#102030',
};

const label = (within: Page | Locator, name: string): Locator => within.getByLabel(name, { exact: true });
const group = (within: Page | Locator, name: string): Locator => within.getByRole('group', { name, exact: true });

/** Fills in every field. */
async function fillIn(page: Page): Promise<void> {
  await label(page, 'Title').fill('Smoke');
  await label(page, 'Summary').fill('One\n\ntwo');
  await label(page, 'Mail').fill('mara@example.org');
  await label(page, 'Secret').fill('honey7');
  await page.getByRole('button', { name: 'Generate from “Title”' }).click();
  await label(page, 'Section').selectOption('letters');
  await group(page, 'Front').getByRole('radio', { name: 'No', exact: true }).check();
  await label(page, 'Pages').fill('12');
  await label(page, 'Views').fill('9223372036854775807');
  await label(page, 'Price').fill('19.95');
  await label(page, 'Weight').fill('1e-3');
  await label(page, 'Day').fill('2026-12-24');
  await label(page, 'Hour').fill('18:45');
  await label(page, 'Moment').fill('2026-12-24T18:45');
  await label(page, 'Colour').fill('#102030');
  await page.getByRole('textbox', { name: 'Notes' }).fill('# Nets');
  await page.getByRole('textbox', { name: 'Data' }).fill('{"a": [1, null]}');
  await page.getByRole('textbox', { name: 'Body' }).click();
  await page.keyboard.type('## Hemp');
  for (const name of ['harbour', 'food']) await choose(page, group(page, 'Tags'), name);
  const cover = group(page, 'Cover');
  await cover.locator('input[type=file]').setInputFiles({ name: 'pier.png', mimeType: 'image/png', buffer: PICTURE });
  await cover.getByRole('button', { name: 'View pier.png' }).click();
  await label(page, 'Alternative text').fill('A pier');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await cover.getByText('A pier').waitFor();
  await group(page, 'Seo').getByRole('button', { name: 'Add Seo' }).click();
  await label(group(page, 'Seo'), 'Head').fill('Found');
  const zone = group(page, 'Zone');
  await zone.getByRole('button', { name: 'Add a part' }).click();
  await page.getByRole('menuitem', { name: 'Gallery' }).click();
  await label(zone, 'Heading').fill('Nets');
  await choose(page, group(zone, 'Picks'), 'food');
  await group(zone, 'Parts').getByRole('button', { name: 'Add Seo' }).click();
  await label(zone, 'Head').fill('deep');
}

async function choose(page: Page, relation: Locator, name: string): Promise<void> {
  await relation.getByRole('combobox').fill(name);
  await page.getByRole('listbox').getByRole('option', { name }).click();
  await relation.getByRole('listitem').filter({ hasText: name }).waitFor();
}
