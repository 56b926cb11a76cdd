/**
 * Types that share the names of their attributes: a few names of a populate may then stand for any number of relations.
 * What a request may ask for is charged while it is worked out, so that a refusal costs no more than an answer.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { permitQuery } from '../../../src/access/authorize.ts';
import { FULL_ACCESS, grantsOf } from '../../../src/access/grants.ts';
import type { Populated, Selection } from '../../../src/access/permitted.ts';
import { Views } from '../../../src/access/views.ts';
import { ContentError } from '../../../src/errors.ts';
import { planRead } from '../../../src/plan/read.ts';
import type { Member } from '../../../src/plan/read-plan.ts';
import { Budget, readLimits } from '../../../src/query/budget.ts';
import { parseParams } from '../../../src/query/params.ts';
import { parseQuery } from '../../../src/query/parse.ts';
import { compileRead } from '../../../src/sql/read.ts';
import { Random } from '../../model/random.ts';
import { engines } from '../../support/databases/databases.ts';
import { countedCatalog } from '../../support/queries/counted-catalog.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const TYPES = 12;
/** Types that the public may find. */
const PUBLIC = 5;
const relation = (kind: string, target?: string) => ({
  type: 'relation',
  relation: kind,
  ...(target === undefined ? {} : { target }),
});
const uidOf = (index: number) => `api::kind${index % TYPES}.kind${index % TYPES}`;

/** The same names on every type, components included. */
const shared = (index: number) => ({
  name: { type: 'string' },
  size: { type: 'integer' },
  cover: { type: 'media', multiple: false },
  gallery: { type: 'media', multiple: true },
  one: relation('oneToOne', uidOf(index + 1)),
  many: relation('manyToMany', uidOf(index + 5)),
  part: { type: 'component', component: 'parts.box', repeatable: index % 2 === 0 },
});

const zone = { type: 'dynamiczone', components: ['parts.box', 'parts.row', 'parts.leaf'] };

function project() {
  const contentTypes: Record<string, unknown> = {};
  for (let index = 0; index < TYPES; index++) {
    contentTypes[`kind${index}`] = contentType(`kind${index}`, {
      ...shared(index),
      related: relation(index % 2 === 0 ? 'morphToMany' : 'morphToOne'),
      zone,
    });
  }
  const wide = Array.from({ length: 100 }, (_, index) => [`column${index}`, { type: 'string' }]);
  contentTypes['wide'] = contentType('wide', {
    ...Object.fromEntries(wide),
    a: relation('oneToOne', 'api::wide.wide'),
    b: relation('oneToOne', 'api::wide.wide'),
  });
  const component = (name: string, attributes: object) => ({ collectionName: `components_parts_${name}`, attributes });
  const components = {
    'parts.leaf': component('leaf', {
      name: { type: 'string' },
      cover: { type: 'media' },
      one: relation('oneToOne', uidOf(0)),
    }),
    'parts.row': component('row', { ...shared(2), part: { type: 'component', component: 'parts.leaf' } }),
    'parts.box': component('box', {
      ...shared(3),
      part: { type: 'component', component: 'parts.row', repeatable: true },
    }),
  };
  return makeProject({ contentTypes, components });
}

const NAMES = ['cover', 'related', 'gallery', 'one', 'many', 'part', 'zone', 'related', 'cover'];
const UIDS = ['parts.box', 'parts.row', 'parts.leaf', uidOf(0), uidOf(1), 'plugin::upload.file'];

/** A filter through a few relations. */
function randomFilter(random: Random): string {
  const steps = Array.from({ length: random.below(4) }, () => `[${random.pick(['one', 'many', 'part', 'cover'])}]`);
  const group = random.chance(0.3) ? `[${random.pick(['$and', '$or'])}][${random.below(3)}]` : '';
  return `${group}${steps.join('')}${random.pick(['[name][$containsi]=a', '[id][$null]=true', '[name]=x', '[size][$gt]=3'])}`;
}

function randomSort(random: Random): string {
  const steps = Array.from({ length: random.below(5) }, () => random.pick(['one', 'many', 'part', 'cover', 'gallery']));
  return [...steps, random.pick(['name', 'size', 'id'])].join('.');
}

/** Parameters of a populate, each with the name of its place in front. */
function randomPopulate(random: Random, place: string, depth: number): string[] {
  const kind = random.below(depth > 0 ? 4 : 2);
  if (kind === 0) return [`${place}=*`];
  if (kind === 1) {
    const dotted = () => Array.from({ length: 1 + random.below(15) }, () => random.pick(NAMES)).join('.');
    return [`${place}=${Array.from({ length: 1 + random.below(6) }, dotted).join(',')}`];
  }
  return random.some([...new Set(NAMES)], 4).flatMap((name) => randomEntry(random, `${place}[${name}]`, name, depth));
}

function randomEntry(random: Random, place: string, name: string, depth: number): string[] {
  const several = name === 'zone' || name === 'related';
  if (random.chance(0.15)) return [`${place}=true`];
  if (several) {
    if (random.chance(0.3)) return [`${place}[populate]=*`];
    return random.some(UIDS, 3).flatMap((uid) => randomPopulate(random, `${place}[on][${uid}][populate]`, depth - 1));
  }
  const parts = randomPopulate(random, `${place}[populate]`, depth - 1);
  if (random.chance(0.4)) parts.push(`${place}[filters]${randomFilter(random)}`);
  if (random.chance(0.4)) parts.push(`${place}[sort]=${randomSort(random)}`);
  if (random.chance(0.1)) parts.push(`${place}[count]=true`);
  return parts;
}

function randomQuery(random: Random): string {
  const parts = randomPopulate(random, 'populate', 4);
  for (let i = random.below(4); i > 0; i--) parts.push(`filters[$and][${i}]${randomFilter(random)}`);
  if (random.chance(0.4)) parts.push(`sort=${randomSort(random)}`);
  return parts.join('&').slice(0, 15_000);
}

/** Relations and kinds in a tree, each as often as it stands there, and the objects that the tree is made of. */
function measure(tree: Selection): { relations: number; made: number } {
  const sizes = new Map<object, number>();
  const ofSelection = (selection: Selection): number => {
    let size = sizes.get(selection);
    if (size === undefined) {
      size = selection.populated.reduce((sum, populated) => sum + ofPopulated(populated), 0);
      sizes.set(selection, size);
    }
    return size;
  };
  const ofPopulated = (populated: Populated): number => {
    const size =
      populated.kind === 'related'
        ? 1 + ofSelection(populated.selection)
        : populated.parts.reduce((sum, part) => sum + 1 + ofSelection(part.selection), 1);
    sizes.set(populated, size);
    return size;
  };
  const relations = ofSelection(tree);
  return { relations, made: sizes.size };
}

/** Lists of members in a plan. */
function listsOf(members: readonly Member[], found = new Set<readonly Member[]>()): Set<readonly Member[]> {
  if (found.has(members)) return found;
  found.add(members);
  for (const member of members) {
    if (member.kind === 'related') listsOf(member.members, found);
    else if (member.kind === 'parts') for (const part of member.parts) listsOf(part.members, found);
  }
  return found;
}

/** The form of an answer. */
const FORM = { bytes: false, longest: 1 << 24 };

for (const engine of engines) {
  describe(`populate on types that share names on ${engine.name}`, () => {
    let server: SeededServer;

    before(async () => {
      const find = Array.from({ length: PUBLIC }, (_, index) => `${uidOf(index)}.find`);
      server = await serveSeeded(engine, await project(), {
        tokens: [{ name: 'full', type: 'full-access' }],
        roles: { public: [...find, 'api::wide.wide.find'] },
      });
      const { seeder } = server;
      const ids: string[] = [];
      for (let index = 0; index < TYPES; index++)
        ids.push(await seeder.create(uidOf(index), { name: `n${index}`, size: index }));
      for (let index = 0; index < TYPES; index++) {
        const about = { __type: uidOf(index + 2), documentId: ids[(index + 2) % TYPES] };
        await seeder.update(uidOf(index), ids[index]!, {
          one: ids[(index + 1) % TYPES],
          many: [ids[(index + 5) % TYPES]],
          related: index % 2 === 0 ? [about] : about,
        });
      }
    });
    after(() => server?.stop());

    /** Works a query out without running it. */
    function workOut(query: string, grants = FULL_ACCESS, rules = {}) {
      const { catalog, lookUps } = countedCatalog(server.app.catalog);
      const budget = new Budget();
      try {
        const parsed = parseQuery(parseParams(query)).query;
        const permitted = permitQuery(
          new Views(catalog, () => rules).of(grants),
          catalog.contentTypes.get(uidOf(0))!,
          parsed,
          budget,
        );
        const page = { limit: 1e6, offset: 1e6 + 1, count: true, size: 'small' } as const;
        const slots = { locales: undefined, documentId: undefined, page };
        const { plan } = planRead(catalog, server.app.layout, permitted, slots);
        const { chunks } = compileRead(server.app.database.dialect, plan, FORM, budget);
        const text = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
        return { ...measure(permitted.selection), lists: listsOf(plan.members).size, text, lookUps: lookUps() };
      } catch (error) {
        ok(error instanceof ContentError && error.status === 400, String(error));
        return { relations: 0, made: 0, lists: 0, text: 0, lookUps: lookUps(), message: error.message };
      }
    }

    it('a path through every type is refused before it is followed', async () => {
      for (const names of [['cover', 'related'], ['zone', 'one'], ['related', 'part', 'cover'], ['related']]) {
        const path = Array.from({ length: 15 }, (_, index) => names[index % names.length]).join('.');
        const { status, body } = await server.get(`/api/kind0s?populate=${path}`);
        strictEqual(status, 400, path);
        const { lookUps } = workOut(`populate=${path}`);
        ok(lookUps < 10_000, `${path}: ${lookUps}`);
        if (names[0] === 'cover') strictEqual(body.error.message, 'A request can populate at most 1000 relations');
      }
    });

    it('a part of a tree that several types share is planned once and charged for each occurrence', () => {
      const { relations, made, lists, message } = workOut('populate=related.related.one');
      strictEqual(message, undefined);
      // 1 + 12 types, each with another relation to 12 types, each of which has `one`
      const types = server.app.catalog.contentTypes.size;
      ok(relations > TYPES * TYPES && relations <= readLimits.populated, `${relations} ${types}`);
      ok(made < 10 * types, `${made} of ${relations}`);
      ok(lists < relations, `${lists} of ${relations}`);
    });

    it('random requests are answered or refused, and bounded either way', async () => {
      const seed = 20_260;
      const random = new Random(seed);
      let [answered, refused] = [0, 0];
      for (let round = 0; round < 300; round++) {
        const query = randomQuery(random);
        const shown = `seed ${seed} round ${round}: ${query.slice(0, 500)}`;
        const { relations, made, lists, text, lookUps, message } = workOut(query);
        ok(relations <= readLimits.populated, shown);
        ok(made <= 2 * readLimits.populated && lists <= 2 * readLimits.populated, shown);
        ok(lookUps <= 50_000, `${lookUps} look-ups, ${shown}`);
        ok(text <= 300 * readLimits.members, `${text} characters, ${shown}`);
        if (round % 3 > 0) continue;
        for (const token of [server.secrets['full'], undefined]) {
          const { status, body } = await server.get(`/api/kind0s?${query}`, token);
          ok(status === 200 || status === 400, `${status} ${JSON.stringify(body)} ${shown}`);
          if (token !== undefined)
            strictEqual(status === 200, message === undefined, `${JSON.stringify(body)} ${message} ${shown}`);
          if (status === 200) answered++;
          else refused++;
        }
      }
      ok(answered > 20 && refused > 20, `${answered} answered, ${refused} refused`);
    });

    it('comparisons have a limit', async () => {
      const fields = ['name', 'size', 'id', 'documentId', 'createdAt'];
      const conditions = (each: number) =>
        fields.flatMap((field) => Array.from({ length: each }, (_, i) => `filters[${field}]=${i}`)).join('&');
      const read = (query: string) => server.get(`/api/kind0s?${query}`, server.secrets['full']);
      strictEqual((await read(conditions(80))).status, 200);
      const { status, body } = await read(conditions(81));
      deepStrictEqual([status, body.error.message], [400, 'A request can filter with at most 400 comparisons']);
    });

    it('comparisons that decide which rows there are have a limit', () => {
      const names = Array.from({ length: 100 }, (_, index) => `name ${index}`);
      const rules = Object.fromEntries(
        Array.from({ length: TYPES }, (_, index) => [uidOf(index), { name: { $in: names } }]),
      );
      strictEqual(workOut('populate=one.one', FULL_ACCESS, rules).message, undefined);
      strictEqual(
        workOut('populate=related.related', FULL_ACCESS, rules).message,
        'A request can make at most 4000 comparisons to decide which rows its caller may see',
      );
    });

    it('keys of objects have a limit', async () => {
      const paths = (depth: number): string[] =>
        depth === 0 ? [''] : paths(depth - 1).flatMap((path) => [`${path}.a`, `${path}.b`]);
      const populate = (depth: number) => `populate=${paths(depth).map((path) => path.slice(1))}`;
      strictEqual((await server.get(`/api/wides?${populate(4)}`)).status, 200);
      const { status, body } = await server.get(`/api/wides?${populate(7)}`);
      const message = 'A request can read at most 10000 fields, those of populated relations included';
      deepStrictEqual([status, body.error.message], [400, message]);
    });

    it('relations that the caller may not find are charged as well, and omitted', async () => {
      const path = Array.from({ length: 15 }, (_, index) => (index % 2 === 0 ? 'many' : 'related')).join('.');
      const { lookUps } = workOut(`populate=${path}`, grantsOf([`${uidOf(0)}.find`]));
      ok(lookUps < 10_000, `${lookUps}`);
      const { status, body } = await server.get('/api/kind0s?populate=one,many');
      deepStrictEqual([status, 'one' in body.data[0], 'many' in body.data[0]], [200, true, false]);
    });
  });
}
