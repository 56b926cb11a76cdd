/** The rows of the bench's database in the words of Payload's collections. */
import { writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';

export interface PayloadRows {
  readonly authors: readonly { readonly id: number }[];
  readonly tags: readonly { readonly id: number }[];
  readonly articles: readonly {
    readonly title: string;
    /** Ids of authors and tags above. */
    readonly author: number | null;
    readonly tags: readonly number[];
    readonly links: readonly object[];
    readonly zone: readonly object[];
  }[];
}

const time = (column: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;
const times = `'createdAt', ${time('a.created_at')}, 'updatedAt', ${time('a.updated_at')}`;
const component = (members: string, table: string, field: string): string =>
  `(select json_group_array(json_object(${members}) order by p."order") from articles_cmps p
    join components_${table} c on c.id = p.cmp_id where p.entity_id = a.id and p.field = '${field}'`;

const SQL = `
  select json_object('title', title, 'slug', slug, 'body', body, 'blocks', json(blocks), 'views', views,
    'big', cast(big as text), 'rating', rating, 'price', price,
    'featured', json(case featured when 1 then 'true' else 'false' end), 'kind', kind, 'day', day,
    'at', ${time('at')}, 'hour', hour, 'contact', contact, 'meta', json(meta), ${times},
    'author', (select author_id from articles_author_lnk l where l.article_id = a.id),
    'tags', json((select json_group_array(l.tag_id order by l.tag_ord) from articles_tags_lnk l
      join tags t on t.id = l.tag_id where l.article_id = a.id and t.published_at is not null)),
    'seo', json(${component("'metaTitle', c.meta_title, 'metaDescription', c.meta_description", 'shared_seos', 'seo')}) -> '$[0]'),
    'links', json(${component("'label', c.label, 'url', c.url", 'shared_links', 'links')})),
    'zone', json(${component("'blockType', 'quote', 'text', c.text", 'blocks_quotes', 'zone')} and p.component_type = 'blocks.quote')))
  from articles a where published_at is not null and locale = 'en' order by id`;

/** Writes the published English articles of the grown database, with what they are linked to, to a file. */
export function writeRows(database: string, file: string): void {
  const db = new Database(database, { readonly: true });
  const all = (sql: string): unknown[] => db.prepare(sql).all();
  const articles = db.prepare(SQL).pluck().all() as string[];
  const rows = {
    authors: all('select id, name, email, bio, age from authors order by id'),
    tags: all('select id, name, weight from tags where published_at is not null order by id'),
    articles: articles.map((text) => JSON.parse(text) as unknown),
  };
  db.close();
  writeFileSync(file, JSON.stringify(rows));
}
