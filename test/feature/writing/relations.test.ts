/** Links between documents (docs/reference/writing.md, "Relations"), where the recorded scenarios do not reach. */
import { deepStrictEqual, match } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Documents, documentsOf } from '../../support/content/documents.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const relation = (kind: string, target?: string, more: object = {}) => ({
  type: 'relation',
  relation: kind,
  ...(target ? { target: `api::${target}.${target}` } : {}),
  ...more,
});
const name = { type: 'string' };
const drafts = { options: { draftAndPublish: true } };

function project() {
  return makeProject({
    contentTypes: {
      post: contentType(
        'post',
        {
          name,
          topics: relation('manyToMany', 'topic', { inversedBy: 'posts' }),
          lead: relation('oneToOne', 'topic', { inversedBy: 'leads' }),
          first: relation('oneToOne', 'topic'),
          subject: relation('morphToOne'),
          mentions: relation('morphToMany'),
        },
        drafts,
      ),
      topic: contentType(
        'topic',
        {
          name,
          posts: relation('manyToMany', 'post', { mappedBy: 'topics' }),
          leads: relation('oneToOne', 'post', { mappedBy: 'lead' }),
          subjectOf: relation('morphMany', 'post', { morphBy: 'subject' }),
          mentionedIn: relation('morphMany', 'post', { morphBy: 'mentions' }),
        },
        drafts,
      ),
      shelf: contentType('shelf', {
        name,
        topics: relation('oneToMany', 'topic'),
        label: relation('oneToOne', 'topic'),
        needed: { ...relation('oneToOne', 'topic'), required: true },
        column: relation('manyToOne', 'topic', { useJoinTable: false }),
        owner: relation('oneToOne', 'person', { inversedBy: 'shelf' }),
        parts: { type: 'component', component: 'lib.part', repeatable: true },
      }),
      person: contentType('person', { name, shelf: relation('oneToOne', 'shelf', { mappedBy: 'owner' }) }),
    },
    components: {
      'lib.part': {
        collectionName: 'components_lib_parts',
        attributes: { topics: relation('oneToMany', 'topic'), first: relation('oneToOne', 'topic') },
      },
    },
    files: { 'config/api.json': { documents: { strictRelations: true } } },
  });
}

for (const engine of engines) {
  describe(`relations on ${engine.name}`, () => {
    let server: SeededServer;
    let api: Documents;
    before(async () => {
      server = await serveSeeded(engine, await project());
      api = documentsOf(server);
    });
    after(() => server?.stop());

    const topic = async (called: string, query = ''): Promise<string> =>
      (await api.create('topics', { name: called }, query)).documentId;
    const typed = (documentId: string, type = 'topic') => ({ __type: `api::${type}.${type}`, documentId });

    it('a relation to one document of any type is set by document, by row, and cleared', async () => {
      const t = await api.create('topics', { name: 'subject' });
      const { documentId: post } = await api.create('posts', { subject: typed(t.documentId) });
      deepStrictEqual(await api.names('posts', post, 'subject'), 'subject');
      deepStrictEqual(await api.names('posts', post, 'subject', 'status=draft'), 'subject');
      await api.update('posts', post, { subject: null });
      deepStrictEqual(await api.names('posts', post, 'subject'), null);
      await api.update('posts', post, { subject: { __type: 'api::topic.topic', id: t.id } });
      deepStrictEqual(await api.names('posts', post, 'subject', 'status=draft'), 'subject');
      await api.update('posts', post, { subject: { disconnect: [typed(t.documentId)] } });
      deepStrictEqual(await api.names('posts', post, 'subject'), null);
      await api.update('posts', post, { subject: { connect: [typed(t.documentId)] } });
      await api.update('posts', post, { subject: [] });
      deepStrictEqual(await api.names('posts', post, 'subject'), null);
    });

    it('a relation to any type refuses entries without an existing type', async () => {
      const t = await topic('untyped');
      for (const entry of [{ documentId: t }, { __type: 'api::nothing.nothing', documentId: t }]) {
        for (const attribute of ['subject', 'mentions']) {
          const error = await api.refused('POST', '/api/posts', { [attribute]: [entry] });
          deepStrictEqual(error.details.path, attribute);
        }
      }
    });

    it('a relation to many documents of any type keeps order, positions and types apart', async () => {
      const [a, b] = [await topic('ma'), await topic('mb')];
      const { documentId: person } = await api.create('persons', { name: 'mp' });
      const { documentId: post } = await api.create('posts', { mentions: [typed(b), typed(person, 'person')] });
      deepStrictEqual(await api.names('posts', post, 'mentions'), ['mb', 'mp']);
      // a position names the type of the document that it is beside, where that is another
      const position = { before: person, __type: 'api::person.person' };
      await api.update('posts', post, { mentions: { connect: [{ ...typed(a), position }] } });
      deepStrictEqual(await api.names('posts', post, 'mentions'), ['mb', 'ma', 'mp']);
      await api.update('posts', post, { mentions: { connect: [{ ...typed(b), position: { end: true } }] } });
      await api.update('posts', post, { mentions: { disconnect: [typed(person, 'person')] } });
      deepStrictEqual(await api.names('posts', post, 'mentions'), ['ma', 'mb']);
      deepStrictEqual(await api.names('posts', post, 'mentions', 'status=draft'), ['ma', 'mb']);
      await api.update('topics', a, {});
      deepStrictEqual(
        await api.names('posts', post, 'mentions'),
        ['ma', 'mb'],
        'a target that is published again stays',
      );
      await api.update('posts', post, { mentions: [] });
      deepStrictEqual(await api.names('posts', post, 'mentions'), []);
    });

    it('links to documents of any type are written from the other side, and survive publication', async () => {
      const { documentId: post } = await api.create('posts', { name: 'mentioning' });
      const { documentId: other } = await api.create('posts', { name: 'other' });
      const t = await topic('mentioned');
      await api.update('topics', t, { mentionedIn: [other, post], subjectOf: [post] });
      await api.update('posts', post, {});
      await api.update('posts', other, {});
      for (const query of ['status=draft', 'status=published']) {
        deepStrictEqual(
          (await api.names('topics', t, 'mentionedIn', query)).toSorted(),
          ['mentioning', 'other'],
          query,
        );
        deepStrictEqual(await api.names('topics', t, 'subjectOf', query), ['mentioning'], query);
        deepStrictEqual(await api.names('posts', post, 'subject', query), 'mentioned', query);
      }
      await api.update('topics', t, { mentionedIn: null, subjectOf: [] });
      deepStrictEqual(await api.names('posts', post, 'subject', 'status=draft'), null);
      deepStrictEqual(await api.names('topics', t, 'mentionedIn', 'status=draft'), []);
    });

    it('entries of a bare list take a status and a locale', async () => {
      const t = await topic('stated');
      const needed = await topic('needed');
      const { documentId: shelf } = await api.create('shelfs', {
        needed,
        topics: [{ documentId: t, status: 'draft' }],
      });
      deepStrictEqual(await api.names('shelfs', shelf, 'topics'), []);
      deepStrictEqual(await api.names('shelfs', shelf, 'topics', 'status=draft'), ['stated']);
      const both = {
        set: [
          { documentId: t, status: 'draft' },
          { documentId: t, status: 'published' },
        ],
      };
      await api.update('shelfs', shelf, { topics: both });
      deepStrictEqual(await api.names('shelfs', shelf, 'topics'), ['stated']);
      await api.update('shelfs', shelf, { topics: { disconnect: [{ documentId: t, status: 'draft' }] } });
      deepStrictEqual(await api.names('shelfs', shelf, 'topics'), ['stated']);
      deepStrictEqual(await api.names('shelfs', shelf, 'topics', 'status=draft'), []);
    });

    it('connect, disconnect and set of null leave the links unchanged; null and [] clear them', async () => {
      const needed = await topic('left');
      const { documentId: shelf } = await api.create('shelfs', { needed, topics: [await topic('kept')] });
      for (const topics of [{ set: null }, { connect: null }, { disconnect: null }, { set: null, connect: null }, {}]) {
        await api.update('shelfs', shelf, { topics });
        deepStrictEqual(await api.names('shelfs', shelf, 'topics'), ['kept'], JSON.stringify(topics));
      }
      await api.update('shelfs', shelf, { topics: { set: null, connect: [needed] } });
      deepStrictEqual(await api.names('shelfs', shelf, 'topics'), ['kept', 'left']);
      await api.update('shelfs', shelf, { topics: { set: [] } });
      deepStrictEqual(await api.names('shelfs', shelf, 'topics'), []);
    });

    it('a document named by an entry or its position must exist, even if positions mean nothing, and the error has its path', async () => {
      const needed = await topic('placed');
      const { documentId: shelf } = await api.create('shelfs', { needed });
      const absent = 'nosuchdocument';
      const entries = [
        { connect: [{ documentId: needed, position: { before: absent } }] },
        { connect: [absent] },
        { disconnect: [{ documentId: absent }] },
        [absent],
      ];
      for (const [path, dataOf] of [
        ['needed', (entry: unknown) => ({ needed: entry })],
        ['topics', (entry: unknown) => ({ topics: entry })],
        ['parts.first', (entry: unknown) => ({ parts: [{ first: entry }] })],
        ['parts.topics', (entry: unknown) => ({ parts: [{}, { topics: entry }] })],
      ] as const) {
        for (const entry of entries) {
          const { message, details } = await api.refused('PUT', `/api/shelfs/${shelf}`, dataOf(entry));
          deepStrictEqual(message, `Document with id "${absent}", locale "null" not found`, path);
          deepStrictEqual(details, { hint: `at ${path}` });
        }
      }
      await api.update('shelfs', shelf, {
        needed: { connect: [{ documentId: needed, position: { before: await topic('beside') } }] },
      });
    });

    it('a requested status must exist wherever it matters', async () => {
      const unpublished = await topic('unpublished', 'status=draft');
      const needed = await topic('asked for');
      const { documentId: shelf } = await api.create('shelfs', { needed });
      const asked = { documentId: unpublished, status: 'published' };
      for (const topics of [asked, [asked], { set: [asked] }, { connect: asked }, { disconnect: [asked] }]) {
        const { message } = await api.refused('PUT', `/api/shelfs/${shelf}`, { topics });
        deepStrictEqual(message, `Document with id "${unpublished}", locale "null" not found`);
      }
      await api.refused('POST', '/api/shelfs', { needed: asked });
      await api.update('shelfs', shelf, { topics: { connect: [{ ...asked, status: 'draft' }] } });
      deepStrictEqual(await api.names('shelfs', shelf, 'topics', 'status=draft'), ['unpublished']);
    });

    it('an entry of an unknown status or locale, or of two places, is refused', async () => {
      const documentId = await topic('placed');
      const needed = await topic('needed beside it');
      const { documentId: shelf } = await api.create('shelfs', { needed });
      for (const wrong of [
        { status: 'zzz' },
        { status: '' },
        { status: 1 },
        { locale: 'zz' },
        { locale: 5 },
        { locale: 'EN' },
        { position: { start: true, end: true } },
        { position: { before: documentId, after: documentId } },
        { position: { start: true, before: documentId } },
        { position: { start: true, zzz: 1 } },
        { position: { zzz: 1 } },
        { position: { start: 'yes' } },
      ]) {
        const entry = { documentId, ...wrong };
        for (const topics of [{ connect: [entry] }, { set: [entry] }, { disconnect: [entry] }, [entry], entry]) {
          const { message } = await api.refused('PUT', `/api/shelfs/${shelf}`, { topics });
          match(message, /locale|status|position/i, JSON.stringify(topics));
        }
      }
      const said = { start: false, end: true, before: null };
      const entry = { documentId, status: null, locale: '', position: said };
      await api.update('shelfs', shelf, { topics: { connect: [entry] } });
      deepStrictEqual(await api.names('shelfs', shelf, 'topics'), ['placed']);
    });

    it('a source without drafts shows its target as soon as it is published, whichever side stores the link', async () => {
      const t = await topic('late', 'status=draft');
      const needed = await topic('needed too');
      const data = { needed, topics: [needed, t], label: t, column: t };
      const { documentId: shelf } = await api.create('shelfs', data);
      deepStrictEqual(await api.names('shelfs', shelf, 'topics'), ['needed too']);
      deepStrictEqual(await api.names('shelfs', shelf, 'label'), null);
      await api.update('topics', t, {});
      deepStrictEqual(await api.names('shelfs', shelf, 'topics'), ['needed too', 'late']);
      deepStrictEqual(await api.names('shelfs', shelf, 'label'), 'late');
      deepStrictEqual(await api.names('shelfs', shelf, 'column'), 'late');
    });

    it('of several entries for one place the last counts', async () => {
      const [a, b] = [await topic('one'), await topic('two')];
      const { documentId: post } = await api.create('posts', { first: { connect: [a, b] } });
      deepStrictEqual(await api.names('posts', post, 'first'), 'two');
      await api.update('posts', post, { first: { set: [b, a] } });
      deepStrictEqual(await api.names('posts', post, 'first'), 'one');
      await api.update('posts', post, { first: { disconnect: [b] } });
      deepStrictEqual(await api.names('posts', post, 'first'), 'one', 'what is not linked cannot be cut');
      await api.update('posts', post, { first: [a, b] });
      deepStrictEqual(await api.names('posts', post, 'first'), 'two');
    });

    it('a two-sided one-to-one relation is taken from its owner in the status that is written', async () => {
      const t = await topic('wanted');
      const { documentId: a } = await api.create('posts', { name: 'a', lead: t });
      const { documentId: b } = await api.create('posts', { name: 'b' });
      await api.update('posts', b, { lead: t }, 'status=draft');
      deepStrictEqual(await api.names('posts', a, 'lead', 'status=draft'), null);
      deepStrictEqual(await api.names('posts', a, 'lead'), 'wanted');
      deepStrictEqual(await api.names('topics', t, 'leads'), 'a');
      deepStrictEqual(await api.names('topics', t, 'leads', 'status=draft'), 'b');
      await api.update('posts', b, {});
      deepStrictEqual(await api.names('posts', a, 'lead'), null);
      deepStrictEqual(await api.names('topics', t, 'leads'), 'b');
    });

    it('a one-to-one link that waits is taken as well', async () => {
      const t = await topic('waiting', 'status=draft');
      const { documentId: a } = await api.create('posts', { name: 'first owner', lead: t });
      const { documentId: b } = await api.create('posts', { name: 'second owner', lead: t });
      await api.update('topics', t, {});
      deepStrictEqual(await api.names('topics', t, 'leads'), 'second owner');
      deepStrictEqual(await api.names('posts', a, 'lead'), null);
      deepStrictEqual(await api.names('posts', b, 'lead'), 'waiting');
    });

    it('a one-way relation takes nothing from others', async () => {
      const t = await topic('shared');
      const { documentId: a } = await api.create('posts', { first: t });
      await api.create('posts', { first: t });
      deepStrictEqual(await api.names('posts', a, 'first'), 'shared');
    });

    it("each side has its own order, and publication copies the draft's order", async () => {
      const [x, y, z] = [await topic('x'), await topic('y'), await topic('z')];
      const { documentId: a } = await api.create('posts', { name: 'pa', topics: [x, y, z] });
      const { documentId: b } = await api.create('posts', { name: 'pb', topics: [z, x] });
      deepStrictEqual(await api.names('topics', x, 'posts'), ['pa', 'pb']);
      await api.update(
        'topics',
        x,
        { posts: { connect: [{ documentId: b, position: { start: true } }] } },
        'status=draft',
      );
      deepStrictEqual(await api.names('topics', x, 'posts'), ['pa', 'pb']);
      await api.update('topics', x, {});
      deepStrictEqual(await api.names('topics', x, 'posts'), ['pb', 'pa']);
      deepStrictEqual(await api.names('posts', a, 'topics'), ['x', 'y', 'z']);
      deepStrictEqual(await api.names('posts', b, 'topics'), ['z', 'x']);
    });

    it('a document created published comes last in the lists of its targets, after pending drafts as well', async () => {
      const x = await topic('x');
      await api.create('posts', { name: 'first', topics: [x] });
      const { documentId: waiting } = await api.create('posts', { name: 'waiting', topics: [x] }, 'status=draft');
      await api.create('posts', { name: 'last', topics: [x, await topic('y')] });
      deepStrictEqual(await api.names('topics', x, 'posts', 'status=draft'), ['first', 'waiting', 'last']);
      deepStrictEqual(await api.names('topics', x, 'posts'), ['first', 'last']);
      await api.update('posts', waiting, {});
      deepStrictEqual(await api.names('topics', x, 'posts'), ['first', 'waiting', 'last']);
    });

    it('positions are applied one after another; one beside a later entry is applied after that entry', async () => {
      const ids = [];
      for (const letter of ['a', 'b', 'c', 'd', 'e', 'f']) ids.push(await topic(letter));
      const [a, b, c, d, e, f] = ids;
      const { documentId: post } = await api.create('posts', { topics: [a, b] });
      const connect = [
        { documentId: c, position: { before: d } },
        { documentId: d, position: { after: a } },
        { documentId: e, position: { start: true } },
      ];
      await api.update('posts', post, { topics: { disconnect: [b], connect } });
      deepStrictEqual(await api.names('posts', post, 'topics'), ['e', 'a', 'c', 'd']);
      for (const wrong of [
        [{ documentId: b, position: { before: 'nothing' } }],
        [{ documentId: c, position: { after: b } }],
        [
          { documentId: b, position: { after: f } },
          { documentId: f, position: { after: b } },
        ],
        [a, { documentId: a, position: { start: true } }],
        [{ documentId: b, position: { before: 999_999 } }],
        [{ documentId: b, position: { before: 2 ** 60 } }],
      ]) {
        await api.refused('PUT', `/api/posts/${post}`, { topics: { connect: wrong } });
      }
      deepStrictEqual(await api.names('posts', post, 'topics', 'status=draft'), ['e', 'a', 'c', 'd']);
      // a row stands for its document, whichever of its rows it is
      const rowOf = async (documentId: unknown, query: string) =>
        (await server.request('GET', `/api/topics/${documentId}?${query}`, { token: server.secrets['full'] })).body.data
          .id;
      const byRows = [
        { documentId: b, position: { before: await rowOf(d, 'status=draft') } },
        { documentId: f, position: { after: String(await rowOf(a, 'status=published')) } },
      ];
      await api.update('posts', post, { topics: { connect: byRows } });
      deepStrictEqual(await api.names('posts', post, 'topics'), ['e', 'a', 'f', 'c', 'b', 'd']);
    });

    it('a position beside a linked document uses its current place, despite later entries', async () => {
      const ids: Record<string, string> = {};
      for (const letter of 'abcde') ids[letter] = await topic(letter);
      const at = (letter: string, position: object) => ({ documentId: ids[letter], position });
      const cases = [
        ['abcd', [at('d', { before: ids['c'] }), at('c', { before: ids['b'] }), at('b', { before: ids['a'] })], 'bacd'],
        ['edabc', [at('c', { before: ids['e'] }), at('e', { end: true })], 'cdabe'],
      ] as const;
      for (const [before, connect, after] of cases) {
        const topics = [...before].map((letter) => ids[letter]);
        const { documentId: post } = await api.create('posts', { topics });
        await api.update('posts', post, { topics: { connect } });
        for (const query of ['', 'status=draft']) {
          deepStrictEqual((await api.names('posts', post, 'topics', query)).join(''), after);
        }
        // links of any type keep the same rule, and so does a batch
        const many = await api.create('posts', { mentions: topics.map((id) => typed(id!)) });
        const data = { mentions: { connect: connect.map((entry) => ({ ...typed(entry.documentId!), ...entry })) } };
        const operations = [{ action: 'update', documentId: many.documentId, data }];
        const token = server.secrets['full'];
        const { status, text } = await server.request('POST', '/api/posts/actions/batch', {
          token,
          body: { operations },
        });
        deepStrictEqual(status, 200, text);
        deepStrictEqual((await api.names('posts', many.documentId, 'mentions')).join(''), after);
      }
    });

    it('a row id names its document, in positions and when a document is named twice', async () => {
      const a = await api.create('topics', { name: 'ra' });
      const b = await api.create('topics', { name: 'rb' });
      const draft = await api.read('topics', a.documentId, 'status=draft');
      const connect = [{ documentId: b.documentId, position: { before: a.documentId } }, { id: a.id }];
      const { documentId } = await api.create('posts', { topics: { connect } });
      for (const query of ['', 'status=draft']) {
        deepStrictEqual(await api.names('posts', documentId, 'topics', query), ['rb', 'ra'], query);
      }
      const error = await api.refused('PUT', `/api/posts/${documentId}`, { topics: { connect: [a.id, draft.id] } });
      deepStrictEqual(error.name, 'ValidationError');
    });

    it('a required relation must be there and stay', async () => {
      const t = await topic('required');
      const error = await api.refused('POST', '/api/shelfs', { name: 'without' });
      deepStrictEqual(error.details.errors[0].path, ['needed']);
      const { documentId } = await api.create('shelfs', { needed: t });
      await api.update('shelfs', documentId, { name: 'still' });
      await api.refused('PUT', `/api/shelfs/${documentId}`, { needed: null });
      await api.refused('PUT', `/api/shelfs/${documentId}`, { needed: { disconnect: [t] } });
      deepStrictEqual(await api.names('shelfs', documentId, 'needed'), 'required');
    });
  });
}
