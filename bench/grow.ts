/** Grows a copy of the fixture's database, so that lists have something to choose from. */
import { copyFileSync } from 'node:fs';
import Database from 'better-sqlite3';

/** Row ids of a clone are those of the original plus a multiple of this; above every id of the fixture. */
const STRIDE = 10_000;
/** So many sets of authors and tags; the articles of clone `c` take the set `c % AUTHOR_SETS`. */
const AUTHOR_SETS = 25;
const TAG_SETS = 10;

/** What a column of a clone holds, as SQL over the original's row; every other column is copied. */
type Rules = Readonly<Record<string, string>>;

/**
 * Copies `source` to `target` and clones its articles, with components, media and relations, until `published` of
 * them are published in English. Gives the document id of one of them. The result depends on nothing but the
 * arguments.
 */
export function growDatabase(source: string, target: string, published: number): string {
  copyFileSync(source, target);
  const db = new Database(target);
  db.pragma('foreign_keys = off');
  const isPublished = "published_at is not null and locale = 'en'";
  const count = db.prepare(`select count(*) from articles where ${isPublished}`).pluck();
  const originals = count.get() as number;
  const clones = Math.ceil(published / originals);

  const clone = (table: string, offset: number, rules: Rules, where = '1'): void => {
    const columns = db.prepare('select name from pragma_table_info(?)').pluck().all(table) as string[];
    const values = columns.map((column) => rules[column] ?? (column === 'id' ? `id + ${offset}` : `"${column}"`));
    const names = columns.map((column) => `"${column}"`).join(', ');
    // Originals alone: a clone is not cloned again.
    db.exec(`insert into ${table} (${names}) select ${values} from ${table} where id < ${STRIDE} and ${where}`);
  };

  const grow = db.transaction(() => {
    for (let c = 1; c < clones; c++) {
      const own = c * STRIDE;
      const author = `+ ${(c % AUTHOR_SETS) * STRIDE}`;
      const tag = `+ ${(c % TAG_SETS) * STRIDE}`;
      const documentId = `substr(document_id, 1, 21) || '${String(c).padStart(3, '0')}'`;
      const named: Rules = { document_id: documentId, name: `name || ' ${c}'` };
      if (c < AUTHOR_SETS) {
        clone('authors', own, named);
        clone('authors_country_lnk', own, { author_id: `author_id + ${own}` });
        clone('files_related_mph', own + STRIDE / 2, { related_id: `related_id + ${own}` }, "field = 'avatar'");
      }
      if (c < TAG_SETS) clone('tags', own, named);

      clone('articles', own, {
        document_id: documentId,
        title: `title || ' ${c}'`,
        slug: `slug || '-${c}'`,
        views: `(views * 31 + ${c * 977}) % 100000`,
      });
      const article = `article_id + ${own}`;
      const later = (sets: number): string => `article_ord + ${Math.floor(c / sets) * 1000}`;
      clone('articles_author_lnk', own, {
        article_id: article,
        author_id: `author_id ${author}`,
        article_ord: later(AUTHOR_SETS),
      });
      clone('articles_tags_lnk', own, { article_id: article, tag_id: `tag_id ${tag}`, article_ord: later(TAG_SETS) });
      clone('articles_related_lnk', own, { article_id: article, inv_article_id: `inv_article_id + ${own}` });

      for (const name of ['seos', 'links']) clone(`components_shared_${name}`, own, {});
      for (const name of ['quotes', 'heroes']) clone(`components_blocks_${name}`, own, {});
      const owner = { entity_id: `entity_id + ${own}`, cmp_id: `cmp_id + ${own}` };
      clone('articles_cmps', own, owner);
      clone('components_blocks_heroes_cmps', own, owner);
      clone('components_shared_links_target_lnk', own, {
        link_id: `link_id + ${own}`,
        article_id: `article_id + ${own}`,
      });
      clone('components_blocks_quotes_by_lnk', own, {
        quote_id: `quote_id + ${own}`,
        author_id: `author_id ${author}`,
      });
      clone(
        'files_related_mph',
        own,
        { related_id: `related_id + ${own}` },
        "related_type in ('api::article.article', 'shared.seo', 'blocks.hero')",
      );
    }
  });
  grow();
  // One with components and media, so that a single get with everything has something to show.
  const rich = db.prepare(`
    select document_id from articles a where ${isPublished}
    order by (select count(*) from articles_cmps where entity_id = a.id)
      + (select count(*) from files_related_mph where related_id = a.id and related_type = 'api::article.article') desc,
      id
  `);
  const documentId = rich.pluck().get() as string;
  db.exec('vacuum');
  db.close();
  return documentId;
}
