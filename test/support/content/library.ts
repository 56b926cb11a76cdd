/** A small library of articles, authors and tags, the same in every test that reads it. */
import type { Engine } from '../databases/databases.ts';
import { type SeededServer, serveScenarioProject } from '../servers/seeded.ts';

export interface Library extends SeededServer {
  /** documentId by name: `Ann`, `red`, `Alpha`, `FR`. */
  readonly ids: Readonly<Record<string, string>>;
  /** Titles of the articles that a query lists, for a full-access caller. */
  titles(query: string): Promise<string[]>;
}

/**
 * | article | views | author | tags |
 * |---|---|---|---|
 * | Alpha | 10 | Ann (33, from France, `@ann`) | red 3, green 1 |
 * | Beta | 2 | Bob (20, from Germany) | green 1, blue 2 |
 * | Gamma | 30 | Ann | red, green, blue |
 * | Delta | null | none | none |
 *
 * Cleo has written nothing and has no age.
 */
export async function serveLibrary(engine: Engine): Promise<Library> {
  const server = await serveScenarioProject(engine);
  const { seeder, secrets } = server;
  const ids: Record<string, string> = {};
  const make = async (name: string, uid: string, data: Record<string, unknown>): Promise<void> => {
    ids[name] = await seeder.create(uid, data);
  };
  await make('FR', 'api::country.country', { name: 'France', code: 'FR' });
  await make('DE', 'api::country.country', { name: 'Germany', code: 'DE' });
  await make('@ann', 'api::profile.profile', { handle: '@ann' });
  const bio = '100% pure_gold\\';
  await make('Ann', 'api::author.author', { name: 'Ann', age: 33, bio, country: ids['FR'], profile: ids['@ann'] });
  await make('Bob', 'api::author.author', { name: 'Bob', age: 20, bio: '1000 pureXgold', country: ids['DE'] });
  await make('Cleo', 'api::author.author', { name: 'Cleo', bio: 'Élan ΣΊΣΥΦΟΣ' });
  await make('red', 'api::tag.tag', { name: 'red', weight: 3 });
  await make('green', 'api::tag.tag', { name: 'green', weight: 1 });
  await make('blue', 'api::tag.tag', { name: 'blue', weight: 2 });
  const [ann, bob, red, green, blue] = ['Ann', 'Bob', 'red', 'green', 'blue'].map((name) => ids[name]);
  const article = (title: string, data: Record<string, unknown>) =>
    make(title, 'api::article.article', { title, ...data });
  await article('Alpha', { views: 10, author: ann, tags: [red, green], hidden: 'treasure', kind: 'news' });
  await article('Beta', { views: 2, author: bob, tags: [green, blue], kind: 'review' });
  await article('Gamma', { views: 30, author: ann, tags: [red, green, blue] });
  await article('Delta', { views: null });
  return {
    ...server,
    ids,
    async titles(query) {
      const answer = await server.get(`/api/articles?fields=title&${query}`, secrets['full']);
      if (answer.status !== 200) throw new Error(`${query}: ${answer.status} ${answer.text}`);
      return (answer.body.data as { title: string }[]).map(({ title }) => title);
    },
  };
}
