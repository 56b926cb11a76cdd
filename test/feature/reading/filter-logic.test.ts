/**
 * Random filters against a second statement of what filters mean: three-valued logic over documents in memory. A failure
 * prints the seed that repeats it.
 */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Random } from '../../model/random.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const FILTERS = 400;
const WORDS = ['a', 'b', 'c'];

interface Row {
  readonly name: string;
  readonly word: string | null;
  /** Related rows by relation; a to-one has one or none. */
  readonly related: Record<string, Row[]>;
}

type Truth = boolean | null;
type Filter = Readonly<Record<string, unknown>>;

/** Where the relations of a type lead, and which are to-one. */
const TYPES: Readonly<Record<string, Readonly<Record<string, { to: string; one: boolean }>>>> = {
  doc: { tags: { to: 'tag', one: false }, owner: { to: 'person', one: true }, parts: { to: 'part', one: false } },
  tag: { docs: { to: 'doc', one: false } },
  person: { docs: { to: 'doc', one: false }, home: { to: 'tag', one: true } },
  part: { tag: { to: 'tag', one: true } },
};

const not = (value: Truth): Truth => (value === null ? null : !value);
const and = (values: Truth[]): Truth => (values.includes(false) ? false : values.includes(null) ? null : true);
const or = (values: Truth[]): Truth => not(and(values.map(not)));

/** What a filter says of a row; `undefined` is the row that stands for a missing one. */
function truth(type: string, filter: Filter, row: Row | undefined): Truth {
  return and(
    Object.entries(filter).map(([key, value]): Truth => {
      if (key === '$not') return not(truth(type, value as Filter, row));
      if (key === '$and') return and((value as Filter[]).map((item) => truth(type, item, row)));
      if (key === '$or') return or((value as Filter[]).map((item) => truth(type, item, row)));
      const relation = TYPES[type]![key];
      if (!relation) return word(value as Filter, row?.word ?? null);
      const item = value as Filter;
      const missing = truth(relation.to, item, undefined);
      const related = row?.related[key];
      if (!related || (relation.one && related.length === 0)) return missing;
      if (related.length === 0) return missing === true;
      return or(related.map((next) => truth(relation.to, item, next)));
    }),
  );
}

function word(tests: Filter, value: string | null): Truth {
  return and(
    Object.entries(tests).map(([operator, operand]): Truth => {
      if (operator === '$null') return value === null;
      if (operator === '$notNull') return value !== null;
      if (operator === '$not') return not(word(operand as Filter, value));
      if (operator === '$or') return or((operand as Filter[]).map((item) => word(item, value)));
      if (value === null) return null;
      if (operator === '$eq') return value === operand;
      if (operator === '$ne') return value !== operand;
      return (operand as string[]).includes(value);
    }),
  );
}

function randomFilter(random: Random, type: string, levels: number): Filter {
  const relations = Object.keys(TYPES[type]!);
  const next = () => randomFilter(random, type, levels - 1);
  const kind = levels === 0 ? 0 : random.below(8);
  if (kind === 0) return { word: randomTests(random, 2) };
  if (kind === 1) return { $and: [next(), next()] };
  if (kind === 2) return { $or: [next(), next()] };
  if (kind === 3 || kind === 4) return { $not: next() };
  const name = random.pick(relations);
  return { [name]: randomFilter(random, TYPES[type]![name]!.to, levels - 1) };
}

function randomTests(random: Random, levels: number): Filter {
  const kind = random.below(levels === 0 ? 5 : 7);
  if (kind === 0) return { $null: true };
  if (kind === 1) return { $notNull: true };
  if (kind === 2) return { $eq: random.pick(WORDS) };
  if (kind === 3) return { $ne: random.pick(WORDS) };
  if (kind === 4) return { $in: [random.pick(WORDS), random.pick(WORDS)] };
  if (kind === 5) return { $not: randomTests(random, levels - 1) };
  return { $or: [randomTests(random, levels - 1), randomTests(random, levels - 1)] };
}

function queryOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [`${path}=${value}`];
  return Object.entries(value).flatMap(([key, item]) => queryOf(item, `${path}[${key}]`));
}

const relation = (kind: string, name: string, side: Readonly<Record<string, string>> = {}) => ({
  type: 'relation',
  relation: kind,
  target: `api::${name}.${name}`,
  ...side,
});

for (const engine of engines) {
  describe(`the logic of filters on ${engine.name}`, () => {
    let server: SeededServer;
    const docs: Row[] = [];

    before(async () => {
      const word = { type: 'string' };
      server = await serveSeeded(
        engine,
        await makeProject({
          contentTypes: {
            doc: contentType('doc', {
              name: { type: 'string' },
              word,
              tags: relation('manyToMany', 'tag', { inversedBy: 'docs' }),
              owner: relation('manyToOne', 'person', { inversedBy: 'docs' }),
              parts: { type: 'component', component: 'base.part', repeatable: true },
            }),
            tag: contentType('tag', { word, docs: relation('manyToMany', 'doc', { mappedBy: 'tags' }) }),
            person: contentType('person', {
              word,
              docs: relation('oneToMany', 'doc', { mappedBy: 'owner' }),
              home: relation('oneToOne', 'tag'),
            }),
          },
          components: {
            'base.part': { collectionName: 'parts', attributes: { word, tag: relation('oneToOne', 'tag') } },
          },
        }),
      );
      const random = new Random(7);
      const some = () => (random.chance(0.25) ? null : random.pick(WORDS));
      const make = async (type: string, row: Row, data: object = {}) =>
        [row, await server.seeder.create(`api::${type}.${type}`, { ...data, word: row.word })] as const;
      const tags: (readonly [Row, string])[] = [];
      for (let i = 0; i < 5; i++) tags.push(await make('tag', { name: `t${i}`, word: some(), related: { docs: [] } }));
      const people: (readonly [Row, string])[] = [];
      for (let i = 0; i < 4; i++) {
        const home = random.some(tags, 1);
        const related = { docs: [], home: home.map(([tag]) => tag) };
        people.push(await make('person', { name: `p${i}`, word: some(), related }, { home: home[0]?.[1] ?? null }));
      }
      for (let i = 0; i < 24; i++) {
        const [mine, owner] = [random.some(tags, 3), random.some(people, 1)];
        const parts = Array.from({ length: random.below(3) }, () => {
          const tag = random.some(tags, 1);
          return { data: { word: some(), tag: tag[0]?.[1] ?? null }, tag: tag.map(([row]) => row) };
        });
        const row: Row = {
          name: `d${i}`,
          word: some(),
          related: {
            tags: mine.map(([tag]) => tag),
            owner: owner.map(([person]) => person),
            parts: parts.map(({ data, tag }) => ({ name: '', word: data.word, related: { tag } })),
          },
        };
        await make('doc', row, {
          name: row.name,
          tags: mine.map(([, id]) => id),
          owner: owner[0]?.[1] ?? null,
          parts: parts.map(({ data }) => data),
        });
        for (const [tag] of mine) tag.related['docs']!.push(row);
        for (const [person] of owner) person.related['docs']!.push(row);
        docs.push(row);
      }
    });
    after(() => server?.stop());

    it(`is that of three values, in ${FILTERS} random filters`, async () => {
      for (let seed = 1; seed <= FILTERS; seed++) {
        const filter = randomFilter(new Random(seed), 'doc', 5);
        const query = queryOf(filter, 'filters').join('&');
        const { body } = await server.get(
          `/api/docs?fields=name&pagination[pageSize]=100&${query}`,
          server.secrets['full'],
        );
        deepStrictEqual(
          body.data?.map(({ name }: Row) => name) ?? body,
          docs.filter((row) => truth('doc', filter, row) === true).map(({ name }) => name),
          `seed ${seed}: ${JSON.stringify(filter)}`,
        );
      }
    });
  });
}
