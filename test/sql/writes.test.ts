/**
 * The text of writes. `writes.<engine>.sql` states, for each request, the exact statements that its transaction sends,
 * in order, each with the kinds of its values; here they are compared and executed. Locks are left out: their keys are
 * hashes of random ids, so that now and then two are one. Started with GALLEY_UPDATE_GOLDEN=1 the test writes these
 * files anew, for a reader to look at what changed.
 */
import { ok, strictEqual } from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Dialect } from '../../src/sql/dialect.ts';
import { render, slot } from '../../src/sql/fragment.ts';
import { type Library, serveLibrary } from '../support/content/library.ts';
import { engines } from '../support/databases/databases.ts';
import { kindOf, type RecordedTransactions, recordTransactions } from '../support/recording/recorded-transactions.ts';
import type { Recorded } from '../support/recording/recording.ts';
import { until } from '../support/wait.ts';

const ARTICLE = 'api::article.article';

interface Write {
  readonly name: string;
  /** What the document `<it>` is before: nothing is made of it where the request does not name it. */
  readonly it?: 'draft' | 'published' | 'modified';
  /** What is done to it first, and not recorded. */
  readonly first?: string;
  /** A request with its data; `<name>` stands for an id. `CLONE <it>` is a call of the document service. */
  readonly request: string;
}

/** One of everything that a document can hold. */
const RICH = {
  title: 'Rich',
  views: 3,
  author: '<Ann>',
  tags: ['<red>', '<green>', '<blue>'],
  related: ['<Alpha>', '<Beta>'],
  cover: '<file>',
  seo: { metaTitle: 'A title', image: '<file>' },
  links: [{ label: 'one' }, { label: 'two', target: '<Alpha>' }],
  zone: [
    { __component: 'blocks.quote', text: 'Said', by: '<Ann>' },
    { __component: 'blocks.hero', title: 'Hero', buttons: [{ label: 'go' }] },
  ],
};

const WRITES: readonly Write[] = [
  { name: 'a type without drafts and locales', request: 'POST /api/countries {"name":"Italy","code":"IT"}' },
  { name: 'a draft of scalars', request: 'POST /api/articles?status=draft {"title":"Plain","views":1}' },
  { name: 'a document of scalars, created published', request: 'POST /api/articles {"title":"Plain"}' },
  {
    name: 'a draft with links',
    request: 'POST /api/articles?status=draft {"title":"Linked","author":"<Ann>","tags":["<red>","<green>"]}',
  },
  {
    name: 'a draft with files',
    request: 'POST /api/articles?status=draft {"title":"Seen","cover":"<file>","gallery":["<file>"]}',
  },
  {
    name: 'a draft with components and a zone',
    request: `POST /api/articles?status=draft ${JSON.stringify({
      title: 'Composed',
      seo: { metaTitle: 'A title' },
      links: [{ label: 'one' }, { label: 'two' }],
      zone: RICH.zone,
    })}`,
  },
  { name: 'a document of everything, created published', request: `POST /api/articles ${JSON.stringify(RICH)}` },
  { name: 'scalars of a draft', it: 'draft', request: 'PUT /api/articles/<it>?status=draft {"title":"b","views":2}' },
  {
    name: 'a document connected to a draft at the end',
    it: 'draft',
    request: 'PUT /api/articles/<it>?status=draft {"related":{"connect":["<Gamma>"]}}',
  },
  {
    name: 'a document connected before another',
    it: 'draft',
    request:
      'PUT /api/articles/<it>?status=draft {"tags":{"connect":[{"documentId":"<blue>","position":{"before":"<red>"}}]}}',
  },
  {
    name: 'a document disconnected',
    it: 'draft',
    request: 'PUT /api/articles/<it>?status=draft {"tags":{"disconnect":["<red>"]}}',
  },
  {
    name: 'links set in another order',
    it: 'draft',
    request: 'PUT /api/articles/<it>?status=draft {"tags":["<blue>","<green>","<red>"]}',
  },
  {
    name: 'components and a zone replaced',
    it: 'draft',
    request:
      'PUT /api/articles/<it>?status=draft {"links":[{"label":"new"}],"zone":[{"__component":"blocks.quote","text":"New"}]}',
  },
  { name: 'a first publication', it: 'draft', request: 'POST /api/articles/<it>/actions/publish' },
  { name: 'a publication of what was changed', it: 'modified', request: 'POST /api/articles/<it>/actions/publish' },
  { name: 'a title changed and published', it: 'published', request: 'PUT /api/articles/<it> {"title":"c"}' },
  { name: 'an end of publication', it: 'published', request: 'POST /api/articles/<it>/actions/unpublish' },
  { name: 'a draft discarded', it: 'modified', request: 'POST /api/articles/<it>/actions/discard-draft' },
  {
    name: 'a new locale, which inherits shared attributes',
    it: 'published',
    request: 'PUT /api/articles/<it>?locale=fr {"title":"Riche"}',
  },
  {
    name: 'a shared attribute of a document in two locales',
    it: 'published',
    first: 'PUT /api/articles/<it>?locale=fr {"title":"Riche"}',
    request: 'PUT /api/articles/<it> {"views":9}',
  },
  { name: 'a deletion of a document', it: 'published', request: 'DELETE /api/articles/<it>' },
  { name: 'a deletion of a locale', it: 'published', request: 'DELETE /api/articles/<it>?locale=en' },
  {
    name: 'a clone',
    it: 'published',
    request: 'CLONE <it>',
  },
  {
    name: 'a batch of three operations',
    it: 'draft',
    request: `POST /api/articles/actions/batch ${JSON.stringify({
      operations: [
        { action: 'create', status: 'draft', data: { title: 'One' } },
        { action: 'update', documentId: '<it>', status: 'draft', data: { title: 'Two' } },
        { action: 'publish', documentId: '<it>' },
      ],
    })}`,
  },
];

const update = process.env['GALLEY_UPDATE_GOLDEN'] === '1';

/** Sections of a golden file by name. */
function golden(file: string): Map<string, string> {
  const sections = readFileSync(file, 'utf8').split(/^-- # (.*)\n/m);
  const found = new Map<string, string>();
  for (let i = 1; i < sections.length; i += 2) found.set(sections[i]!, sections[i + 1]!.trim());
  return found;
}

/** The texts of the statements that take locks; none on engines where writers take turns anyway. */
function lockTexts({ lock, placeholder }: Dialect): string[] {
  return lock ? [true, false].map((waits) => render(lock(slot(0), waits), (n) => placeholder(n)).text) : [];
}

/** A statement on one line, and what it is given. */
function printed({ text, values }: Recorded): string {
  const given = values.length === 0 ? '' : `\n--   ${values.map(kindOf).join(', ')}`;
  return `${text.trim().replaceAll(/\s+/g, ' ')};${given}`;
}

for (const engine of engines) {
  describe(`text of writes on ${engine.name}`, () => {
    const file = path.join(import.meta.dirname, `writes.${engine.name}.sql`);
    const expected = update ? new Map<string, string>() : golden(file);
    const written: string[] = [];
    let library: Library;
    let recorded: RecordedTransactions;
    let ids: Record<string, string>;
    let locks: readonly string[];

    const filled = (text: string, it = ''): string =>
      text.replaceAll(/<(\w+)>/g, (_, name: string) => (name === 'it' ? it : ids[name]!));
    const documents = () => library.app.documents(ARTICLE);

    /** Makes the document that a request is about. */
    async function make(state: Write['it']): Promise<string> {
      if (!state) return '';
      const status = state === 'draft' ? {} : ({ status: 'published' } as const);
      const { documentId } = await documents().create({ data: JSON.parse(filled(JSON.stringify(RICH))), ...status });
      if (state === 'modified') {
        await documents().update({ documentId, data: { title: 'Modified', tags: [ids['blue'], ids['red']] } });
      }
      return documentId;
    }

    /** Sends a request that asks for a short answer: reads have texts of their own. */
    async function send(request: string): Promise<void> {
      const [, method = '', target = '', body] = /^(\S+) (\S+) ?(.*)$/.exec(request)!;
      if (method === 'CLONE') {
        await documents().clone({ documentId: target, fields: ['documentId'] });
        return;
      }
      const data = body && JSON.parse(body);
      const answer = await library.request(method, `${target}${target.includes('?') ? '&' : '?'}fields=documentId`, {
        token: library.secrets['full'],
        ...(data ? { body: data.operations ? data : { data } } : {}),
      });
      ok(answer.status === 200 || answer.status === 204, answer.text);
    }

    before(async () => {
      library = await serveLibrary(engine);
      const image = { name: 'a.png', hash: 'a', ext: '.png', mime: 'image/png', size: 1, url: '/uploads/a.png' };
      ids = { ...library.ids, file: String(await library.seeder.file({ ...image, provider: 'local' })) };
      locks = lockTexts(library.app.database.dialect);
      recorded = recordTransactions(library.app.database);
      // that a token was used is noted once an hour, in a transaction of its own
      await send('POST /api/articles {"title":"First"}');
      await until('the use of the token is noted', () =>
        recorded.statements.some(({ text }) => text.includes('strapi_api_tokens')),
      );
    });
    after(async () => {
      if (update) writeFileSync(file, `${written.join('\n\n')}\n`);
      await library?.stop();
    });

    for (const { name, it: state, first, request } of WRITES) {
      it(name, async () => {
        const document = await make(state);
        if (first) await send(filled(first, document));
        recorded.reset();
        await send(filled(request, document));
        const shown = [...(first ? [`-- after ${first}`] : []), `-- ${request}`];
        const sent = recorded.statements.filter((statement) => !locks.includes(statement.text));
        const text = [...shown, ...sent.map(printed)].join('\n');
        if (update) written.push(`-- # ${name}\n${text}`);
        else strictEqual(text, expected.get(name));
      });
    }
  });
}
