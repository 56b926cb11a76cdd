/** What is hidden of components stays: from a caller that replaces one, and from hooks that change copies. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const text = { type: 'string' };
const of = (component: string, rest = {}) => ({ type: 'component', component, ...rest });
const PAGE = 'api::page.page';
const actions = ['find', 'findOne', 'create', 'update'].map((action) => `${PAGE}.${action}`);
const SHEET = 'api::sheet.sheet';
const secret = { type: 'password', required: true, default: 'by default' };
const project = {
  contentTypes: {
    page: contentType('page', {
      title: text,
      seo: of('shared.seo'),
      open: of('shared.card'),
      links: of('shared.card', { repeatable: true }),
    }),
    sheet: contentType(
      'sheet',
      {
        title: text,
        one: of('shared.lock'),
        doors: of('shared.door', { repeatable: true }),
        others: of('shared.door', { repeatable: true }),
        zone: { type: 'dynamiczone', components: ['shared.door', 'shared.lock', 'shared.plain'] },
      },
      { options: { draftAndPublish: true } },
    ),
  },
  components: {
    'shared.seo': {
      collectionName: 'components_seos',
      attributes: { title: text, hidden: text, card: of('shared.card') },
    },
    'shared.card': { collectionName: 'components_cards', attributes: { label: text, secret: text } },
    'shared.lock': {
      collectionName: 'components_locks',
      attributes: { label: text, code: secret, spare: { type: 'password' }, note: { ...text, private: true } },
    },
    'shared.door': {
      collectionName: 'components_doors',
      attributes: {
        label: text,
        code: secret,
        lock: of('shared.lock'),
        locks: of('shared.lock', { repeatable: true }),
      },
    },
    'shared.plain': { collectionName: 'components_plains', attributes: { label: text } },
  },
  files: {
    'src/galley.js': `module.exports = {
      access: { '${PAGE}': {
        read: ['title', 'seo.title', 'seo.card.label', 'open', 'links.label'],
        write: ['title', 'seo.title', 'seo.card.label', 'open', 'links.label'],
      } },
      hooks: {
        '${PAGE}': { beforeWrite({ data }) {
          if (data.title === 'rebuilt') {
            const { seo, links } = data;
            if (seo) data.seo = { title: seo.title, ...(seo.card ? { card: { label: seo.card.label } } : {}) };
            if (links) data.links = links.filter(({ label }) => label !== 'gone').map(({ label }) => ({ label }));
          }
          if (data.title === 'without the last') data.links = data.links.slice(0, -1);
          if (data.title !== 'by a hook') return;
          if (data.seo) data.seo = { ...data.seo, title: 'hooked' };
          else data.seo = { title: 'of the hook' };
        } },
        '${SHEET}': { beforeWrite(event) { return globalThis.changeCopy?.(event); } },
      },
    };`,
  },
};

for (const engine of engines) {
  describe(`components with hidden parts on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await serveSeeded(engine, await makeProject(project), { roles: { public: actions } });
    });
    after(() => server?.stop());

    const populate = { seo: { populate: { card: true } }, open: true, links: true };
    const stored = async (documentId: string) =>
      // biome-ignore lint/suspicious/noExplicitAny: tests reach into documents freely
      (await server.app.documents(PAGE).findOne({ documentId, populate })) as any;
    const make = async () => {
      const data = {
        title: 'a',
        seo: { title: 'a', hidden: 'KEEP', card: { label: 'a', secret: 'KEEP' } },
        open: { label: 'a', secret: 'b' },
      };
      const { documentId } = await server.app.documents(PAGE).create({ data });
      return String(documentId);
    };
    const put = (id: string, data: object) => server.request('PUT', `/api/pages/${id}`, { body: { data } });

    it('are refused without the id of the one that is stored, with their path', async () => {
      const id = await make();
      const { seo } = await stored(id);
      for (const [data, path] of [
        [{ seo: { title: 'b' } }, ['seo']],
        [{ title: 'b', seo: { id: seo.id, card: { label: 'b' } } }, ['seo', 'card']],
      ] as const) {
        const { status, body } = await put(id, data);
        deepStrictEqual([status, body.error.details.errors[0].path], [400, path]);
      }
      deepStrictEqual([(await stored(id)).title, (await stored(id)).seo], ['a', seo]);
    });

    it('keep hidden values of an entry with an id', async () => {
      const id = await make();
      const { seo } = await stored(id);
      const changed = { id: seo.id, title: 'b', card: { id: seo.card.id, label: 'b' } };
      strictEqual((await put(id, { seo: changed })).status, 200);
      const now = (await stored(id)).seo;
      deepStrictEqual([now.title, now.hidden, now.card.label, now.card.secret], ['b', 'KEEP', 'b', 'KEEP']);
    });

    it('are created if none is stored, and removed as a whole', async () => {
      const made = await server.request('POST', '/api/pages', { body: { data: { seo: { title: 'a' } } } });
      strictEqual(made.status < 300, true, made.text);
      const id = await make();
      strictEqual((await put(id, { seo: null })).status, 200);
      strictEqual((await put(id, { seo: { title: 'c' } })).status, 200);
      strictEqual((await stored(id)).seo.title, 'c');
    });

    it('are refused also if a hook changes the sent data, but not if the hook writes them itself', async () => {
      const id = await make();
      const { seo } = await stored(id);
      const byHook = async (data: object) => (await put(id, { title: 'by a hook', ...data })).status;
      strictEqual(await byHook({ seo: { title: 'b' } }), 400);
      strictEqual(await byHook({ seo: { id: seo.id, card: { label: 'b' } } }), 400);
      strictEqual(await byHook({ seo: { id: seo.id } }), 200);
      const { title, hidden, card } = (await stored(id)).seo;
      deepStrictEqual([title, hidden, card.secret], ['hooked', 'KEEP', 'KEEP']);
      strictEqual(await byHook({}), 200);
      deepStrictEqual((await stored(id)).seo.title, 'of the hook');
    });

    it('stay if a hook creates an entry again that the caller has named by its id', async () => {
      const id = await make();
      const { seo } = await stored(id);
      for (const card of [{}, { card: { id: seo.card.id, label: 'c' } }]) {
        strictEqual((await put(id, { title: 'rebuilt', seo: { id: seo.id, title: 'c', ...card } })).status, 200);
        const { title, hidden, card: kept } = (await stored(id)).seo;
        deepStrictEqual([title, hidden, kept.secret], ['c', 'KEEP', 'KEEP']);
      }
      strictEqual((await put(id, { title: 'rebuilt', seo: { title: 'c' } })).status, 400);
    });

    it('are refused in lists whose entries a hook rebuilds without ids, and are removed with entries that it removes', async () => {
      const id = await make();
      const three = ['a', 'b', 'c'].map((label) => ({ label, secret: `KEEP ${label}` }));
      await server.app.documents(PAGE).update({ documentId: id, data: { links: three } });
      const { links } = await stored(id);
      const named = links.map(({ id, label }: { id: number; label: string }) => ({ id, label }));
      const refused = await put(id, { title: 'rebuilt', links: named });
      deepStrictEqual([refused.status, refused.body.error.details.errors[0].path], [400, ['links']]);
      deepStrictEqual((await stored(id)).links, links);
      strictEqual((await put(id, { title: 'without the last', links: [...named, { label: 'd' }] })).status, 200);
      strictEqual((await put(id, { title: 'without the last', links: named })).status, 200);
      deepStrictEqual((await stored(id)).links, links.slice(0, 2));
      // what the caller leaves out goes, as ever
      strictEqual((await put(id, { title: 'rebuilt', links: [{ label: 'new' }] })).status, 200);
      strictEqual((await stored(id)).links.length, 1);
    });

    it('are replaced as usual if nothing of them is hidden, and by callers who may write everything', async () => {
      const id = await make();
      strictEqual((await put(id, { open: { label: 'b' } })).status, 200);
      strictEqual((await stored(id)).open.secret, null);
      await server.app.documents(PAGE).update({ documentId: id, data: { seo: { title: 'b' } } });
      strictEqual((await stored(id)).seo.hidden, null);
    });

    describe('of copies that a hook changes', () => {
      const whole = {
        one: true,
        doors: { populate: { lock: true, locks: true } },
        others: { populate: { lock: true, locks: true } },
        zone: {
          on: { 'shared.door': { populate: { lock: true, locks: true } }, 'shared.lock': true, 'shared.plain': true },
        },
      };
      const lock = (label: string) => ({ label, code: `code of ${label}`, note: `note of ${label}` });
      const door = (label: string) => ({
        ...{ label, code: `code of ${label}` },
        ...{ lock: lock(`${label} lock`), locks: [lock(`${label} 1`), lock(`${label} 2`)] },
      });
      // biome-ignore lint/suspicious/noExplicitAny: tests reach into documents freely
      type Any = any;
      const sheets = () => server.app.documents(SHEET);
      let documentId: string;
      /** The hash of each entry below a document, by kind and label; entries of one label twice. */
      const hashesOf = async (id: string) => {
        const found = (await sheets().findOne({ documentId: id, populate: whole })) as Any;
        const hashes: Record<string, string[]> = {};
        const visit = async (table: string, entries: Any[]) => {
          for (const entry of entries) {
            if (!entry) continue;
            const columns = table === 'locks' ? '"code", "note", "spare"' : '"code"';
            const [row] = await server.app.database.rows(
              `select ${columns} from "components_${table}" where "id" = ${entry.id}`,
              [],
            );
            hashes[entry.label] = [...(hashes[entry.label] ?? []), row!.join(' ')];
            await visit('locks', [entry.lock, ...(entry.locks ?? [])]);
          }
        };
        await visit('locks', [found.one]);
        await visit('doors', [...found.doors, ...found.others]);
        for (const entry of found.zone) {
          if (entry.__component !== 'shared.plain') await visit(`${entry.__component.slice(7)}s`, [entry]);
        }
        return hashes;
      };
      const change = globalThis as { changeCopy?: ((event: Any) => unknown) | undefined };
      /** The copy that is made while a hook changes what is copied. */
      const copyWith = async (changed: (data: Any) => unknown) => {
        change.changeCopy = (event) => changed(event.data);
        try {
          const { entries } = (await sheets().clone({ documentId, populate: whole })) as Any;
          return entries[0];
        } finally {
          change.changeCopy = undefined;
        }
      };

      before(async () => {
        const zone = [
          { __component: 'shared.lock', ...lock('zone lock') },
          { __component: 'shared.plain', label: 'plain' },
          { __component: 'shared.door', ...door('zone door') },
        ];
        const data = { title: 'a', one: lock('one'), doors: [door('a'), door('b')], others: [door('c')], zone };
        documentId = String((await sheets().create({ data })).documentId);
      });

      it('stays wherever the component stands', async () => {
        const before = await hashesOf(documentId);
        strictEqual(Object.keys(before).length, 18);
        const copy = await copyWith((data) => {
          data.one.note = 'of the hook';
          for (const one of [...data.doors, ...data.others, ...data.zone]) one.unknown = undefined;
          data.doors[0].lock.label = 'other lock';
          data.doors[1].locks.reverse();
          data.zone[2].locks[0].label = 'other in zone';
        });
        const after = await hashesOf(copy.documentId);
        const changed = {
          ...before,
          'other lock': before['a lock'],
          'other in zone': before['zone door 1'],
          one: before['one']!.map((row) => row.replace('note of one', 'of the hook')),
        };
        delete (changed as Any)['a lock'];
        delete (changed as Any)['zone door 1'];
        deepStrictEqual(after, changed);
        deepStrictEqual(
          copy.doors[1].locks.map((one: Any) => one.label),
          ['b 2', 'b 1'],
        );
        // and the original is as it was
        deepStrictEqual(await hashesOf(documentId), before);
      });

      it('goes with an entry to another place, and with one that is there twice', async () => {
        const before = await hashesOf(documentId);
        const copy = await copyWith((data) => {
          const [a, b] = data.doors;
          data.doors = [b, b];
          data.others = [...data.others, a];
          data.one = data.zone[0].__component && { ...data.zone[0], __component: undefined };
          delete data.one.__component;
          data.zone = [{ ...data.zone[2], lock: a.lock }];
        });
        const after = await hashesOf(copy.documentId);
        deepStrictEqual(after['a'], before['a']);
        deepStrictEqual(after['b'], [...before['b']!, ...before['b']!]);
        deepStrictEqual(after['b 1'], [...before['b 1']!, ...before['b 1']!]);
        deepStrictEqual(after['zone lock'], before['zone lock']);
        deepStrictEqual(after['a lock'], [...before['a lock']!, ...before['a lock']!]);
      });

      it("is replaced by values of the hook, and by the hook's own entries", async () => {
        const before = await hashesOf(documentId);
        const other = (await sheets().create({ data: { one: lock('of another') }, populate: whole })) as Any;
        Object.assign(before, { other: Object.values(await hashesOf(other.documentId))[0] });
        const copy = await copyWith((data) => {
          Object.assign(data.one, { code: 'of the hook', spare: 'spare' });
          data.doors[0].lock = { label: 'new lock', code: 'new' };
          // of another document, and of nobody
          data.doors[1].lock = { id: other.one.id, label: 'of another' };
          data.others.push({ id: 123456, label: 'unknown' }, { label: 'own' });
        });
        const after = await hashesOf(copy.documentId);
        const known = new Set(
          Object.values(before)
            .flat()
            .map((row) => row.split(' ')[0]),
        );
        const codes = (label: string) => after[label]!.map((row) => row.split(' ')[0]!);
        for (const label of ['one', 'new lock', 'of another', 'unknown', 'own']) {
          deepStrictEqual(
            codes(label).map((code) => [known.has(code), code.startsWith('$2')]),
            [[false, true]],
            label,
          );
        }
        deepStrictEqual([after['a'], after['a 1'], after['b']], [before['a'], before['a 1'], before['b']]);
        deepStrictEqual(after['one']![0]!.split(' ').at(-1)!.startsWith('$2'), true);
      });
    });
  });
}
