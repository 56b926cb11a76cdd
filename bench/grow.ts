/** Grows a copy of the fixture's database, so that lists have something to choose from. */
import { copyFileSync } from 'node:fs';
import Database from 'better-sqlite3';

/** Row ids of a clone are those of the original plus a multiple of this; above every id of the fixture. */
const STRIDE = 10_000;
/** So many sets of authors and tags; the articles of clone `c` take the set `c % AUTHOR_SETS`. */
const AUTHOR_SETS = 25;
const TAG_SETS = 10;
/** Clones that are made in one statement. */
const BATCH = 1000;

/** Milliseconds over which the articles were written, and within which one was published once it was. */
const AGE = 10 * 365 * 86_400_000;
const UNPUBLISHED = 30 * 86_400_000;

/** A word that so many published English titles contain, or all of them where there are fewer, and one of many titles. */
export const RARE_WORD = 'zephyr';
export const RARE_TITLES = 300;
export const COMMON_WORD = 'paper';
/** A locale to which so many documents are translated that would be French, whatever the size. */
export const SMALL_LOCALE = 'de';
const SMALL_LOCALE_ROWS = 40;

/** What a column of a clone holds, as SQL over the original's row `o`; every other column is copied. */
type Rules = Readonly<Record<string, string>>;

/** Told how many of the clones there are. */
export type Grown = (done: number, of: number) => void;

/**
 * Copies `source` to `target` and clones its articles, with components, media and relations, until `published` of
 * them are published in English. Gives the document id of one of them. The result depends on nothing but the
 * arguments.
 */
export function growDatabase(source: string, target: string, published: number, grown?: Grown): string {
  copyFileSync(source, target);
  const db = new Database(target);
  db.pragma('foreign_keys = off');
  // if it does not get finished it is not used
  db.pragma('journal_mode = memory');
  db.pragma('synchronous = off');
  db.pragma('cache_size = -262144');
  const isPublished = "published_at is not null and locale = 'en'";
  const originals = db.prepare(`select count(*) from articles where ${isPublished}`).pluck().get() as number;
  const clones = Math.ceil(published / originals);
  const indexes = db.prepare("select name, sql from sqlite_master where type = 'index' and sql is not null").all() as {
    name: string;
    sql: string;
  }[];
  // to make them at the end takes a fraction of the time
  for (const { name } of indexes) db.exec(`drop index "${name}"`);

  const cloning = cloner(db);
  const author = `+ (c % ${AUTHOR_SETS}) * ${STRIDE}`;
  const tag = `+ (c % ${TAG_SETS}) * ${STRIDE}`;
  const own = `+ c * ${STRIDE}`;
  const documentId = "substr(o.document_id, 1, 19) || printf('%05d', c)";
  const named: Rules = { document_id: documentId, name: "o.name || ' ' || c" };
  const sets = [
    cloning('authors', named, { before: AUTHOR_SETS }),
    cloning('authors_country_lnk', { author_id: `o.author_id ${own}` }, { before: AUTHOR_SETS }),
    cloning(
      'files_related_mph',
      { id: `o.id ${own} + ${STRIDE / 2}`, related_id: `o.related_id ${own}` },
      { before: AUTHOR_SETS, where: "field = 'avatar'" },
    ),
    cloning('tags', named, { before: TAG_SETS }),
  ];
  const articleId = `o.article_id ${own}`;
  const later = (count: number): string => `o.article_ord + (c / ${count}) * 1000`;
  const components = ['shared_seos', 'shared_links', 'blocks_quotes', 'blocks_heroes'];
  const owner: Rules = { entity_id: `o.entity_id ${own}`, cmp_id: `o.cmp_id ${own}` };
  const each = [
    cloning('articles', {
      document_id: documentId,
      title: "o.title || ' ' || c",
      slug: "o.slug || '-' || c",
      views: '(o.views * 31 + c * 977) % 100000',
      ...timesOf(db, clones),
    }),
    cloning('articles_author_lnk', {
      article_id: articleId,
      author_id: `o.author_id ${author}`,
      article_ord: later(AUTHOR_SETS),
    }),
    cloning('articles_tags_lnk', { article_id: articleId, tag_id: `o.tag_id ${tag}`, article_ord: later(TAG_SETS) }),
    cloning('articles_related_lnk', { article_id: articleId, inv_article_id: `o.inv_article_id ${own}` }),
    ...components.map((name) => cloning(`components_${name}`, {})),
    cloning('articles_cmps', owner),
    cloning('components_blocks_heroes_cmps', owner),
    cloning('components_shared_links_target_lnk', { link_id: `o.link_id ${own}`, article_id: articleId }),
    cloning('components_blocks_quotes_by_lnk', { quote_id: `o.quote_id ${own}`, author_id: `o.author_id ${author}` }),
    cloning(
      'files_related_mph',
      { related_id: `o.related_id ${own}` },
      { where: "related_type in ('api::article.article', 'shared.seo', 'blocks.hero')" },
    ),
  ];
  for (const make of sets) make(1, clones);
  for (let c = 1; c < clones; c += BATCH) {
    const end = Math.min(c + BATCH, clones);
    for (const make of each) make(c, end);
    grown?.(end, clones);
  }
  placeWords(db, isPublished);
  for (const { sql } of indexes) db.exec(sql);

  // One with components and media, so that a single get with everything has something to show.
  const rich = db.prepare(`
    select document_id from articles a where ${isPublished} and id < ${STRIDE}
    order by (select count(*) from articles_cmps where entity_id = a.id)
      + (select count(*) from files_related_mph where related_id = a.id and related_type = 'api::article.article') desc,
      id
  `);
  const richest = rich.pluck().get() as string;
  db.close();
  return richest;
}

/** Makes what clones the rows that a table has now: those of clone `from` up to the one before `end`. */
function cloner(db: Database.Database) {
  let kept = 0;
  return (table: string, rules: Rules, { before, where = '1' }: { before?: number; where?: string } = {}) => {
    const columns = db.prepare('select name from pragma_table_info(?)').pluck().all(table) as string[];
    const values = columns.map((name) => rules[name] ?? (name === 'id' ? `o.id + c * ${STRIDE}` : `o."${name}"`));
    const originals = `originals_${kept++}`;
    db.exec(`create temp table ${originals} as select * from ${table} where id < ${STRIDE} and ${where}`);
    const insert = db.prepare(`
      with recursive clones (c) as (
        select cast(:from as integer) union all select c + 1 from clones where c + 1 < :end)
      insert into ${table} (${columns.map((name) => `"${name}"`).join()})
      select ${values.join()} from clones cross join temp.${originals} o`);
    return (from: number, end: number): void => {
      const last = Math.min(end, before ?? end);
      if (from < last) insert.run({ from, end: last });
    };
  };
}

/**
 * Times of a clone: the clones are spread evenly over the years before the fixture, the articles of one over its share
 * of them, and each document was published some days after it was begun. What was earlier than what, within a document,
 * stays as it was.
 */
function timesOf(db: Database.Database, clones: number): Rules {
  db.exec(`create temp table documents as select document_id, min(created_at) as born, row_number() over () as n
    from articles group by document_id`);
  db.exec('create unique index temp.documents_of on documents (document_id)');
  const [first, last] = db.prepare('select min(born), max(born) from temp.documents').raw().get() as [number, number];
  const step = Math.floor(AGE / clones);
  const of = (column: string): string => `(select ${column} from temp.documents d where d.document_id = o.document_id)`;
  const shift = `(${of('born')} - ${first}) * ${step - (last - first)} / ${last - first}
    - (${clones} - c) * ${step} - ${UNPUBLISHED}`;
  const wait = `(${of('n')} * 7919 + c * 104729) % ${UNPUBLISHED / 1000} * 1000`;
  return {
    created_at: `o.created_at + ${shift}`,
    updated_at: `o.updated_at + ${shift} + ${wait}`,
    published_at: `o.published_at + ${shift} + ${wait}`,
  };
}

/** Gives the rare word, and the small locale, to as many documents as have them at every size. */
function placeWords(db: Database.Database, isPublished: string): void {
  const some = (where: string, count: number): string => `
    select document_id from (
      select document_id, row_number() over (order by id) as n, count(*) over () as total from articles where ${where})
    where n * ${count} / total <> (n - 1) * ${count} / total`;
  db.exec(`update articles set title = title || ' ${RARE_WORD}' where locale = 'en'
    and document_id in (${some(isPublished, RARE_TITLES)})`);
  db.exec(`update articles set locale = '${SMALL_LOCALE}' where locale = 'fr'
    and document_id in (${some("published_at is not null and locale = 'fr'", SMALL_LOCALE_ROWS)})`);
}
