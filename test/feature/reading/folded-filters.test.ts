/** Conditions that fold one column several times have the same result as each by itself. */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Library, serveLibrary } from '../../support/content/library.ts';
import { engines } from '../../support/databases/databases.ts';

/** Conditions of one text, as the rest of a parameter. */
const TEXTS: readonly string[] = [
  '[$containsi]=L',
  '[$containsi]=ΣΊσυφος',
  '[$notContainsi]=a',
  '[$startsWithi]=b',
  '[$endsWithi]=TA',
  '[$eqi]=gamma',
  '[$nei]=ALPHA',
  '[$null]=true',
  '[$contains]=l',
];
const not = (rest: string) => `[$not]${rest}`;

for (const engine of engines) {
  describe(`folded filters on ${engine.name}`, () => {
    let library: Library;

    before(async () => {
      library = await serveLibrary(engine);
    });
    after(() => library?.stop());

    async function ids(target: string): Promise<number[]> {
      const { status, body, text } = await library.get(`/api/${target}`, library.secrets['full']);
      deepStrictEqual(status, 200, `${target}: ${text}`);
      return (body.data as { id: number }[]).map(({ id }) => id);
    }

    for (const [type, field] of [
      ['articles', '[title]'],
      ['authors', '[bio]'],
      ['articles', '[author][bio]'],
      ['articles', '[author][country][name]'],
    ] as const) {
      it(`are all of them and any of them for ${type}${field}`, async () => {
        const conditions = [...TEXTS.map((rest) => `${field}${rest}`), ...TEXTS.map((rest) => not(`${field}${rest}`))];
        const all = await ids(type);
        const each: Set<number>[] = [];
        for (const condition of conditions) each.push(new Set(await ids(`${type}?filters${condition}`)));
        for (const size of [2, 3, 5]) {
          for (let start = 0; start + size <= conditions.length; start += 2) {
            const chosen = conditions.slice(start, start + size);
            const sets = each.slice(start, start + size);
            const filters = (group: string) =>
              chosen.map((condition, i) => `filters[${group}][${i}]${condition}`).join('&');
            deepStrictEqual(
              await ids(`${type}?${filters('$or')}`),
              all.filter((id) => sets.some((set) => set.has(id))),
              `any of ${chosen}`,
            );
            deepStrictEqual(
              await ids(`${type}?${filters('$and')}`),
              all.filter((id) => sets.every((set) => set.has(id))),
              `all of ${chosen}`,
            );
          }
        }
        ok(each.some((set) => set.size > 0 && set.size < all.length));
      });
    }

    it('combine with a search, other columns and related rows', async () => {
      const titles = (query: string) => library.titles(query);
      deepStrictEqual(await titles('_q=A&filters[title][$containsi]=L&filters[title][$notContainsi]=p'), ['Delta']);
      deepStrictEqual(
        await titles('filters[$or][0][title][$eqi]=BETA&filters[$or][1][title][$eqi]=alpha&filters[views][$gt]=5'),
        ['Alpha'],
      );
      deepStrictEqual(
        await titles(
          'filters[$or][0][title][$eqi]=beta&filters[$or][1][title][$eqi]=x&filters[$or][2][tags][name][$eqi]=RED&filters[$or][3][tags][name][$startsWithi]=B&sort=tags.name',
        ),
        ['Beta', 'Gamma', 'Alpha'],
      );
      const { body } = await library.get(
        '/api/articles?fields=title&populate[tags][filters][name][$containsi]=E&populate[tags][filters][name][$notContainsi]=r',
        library.secrets['full'],
      );
      deepStrictEqual(
        (body.data as { tags: { name: string }[] }[]).map(({ tags }) => tags.map(({ name }) => name)),
        [[], ['blue'], ['blue'], []],
      );
    });
  });
}
