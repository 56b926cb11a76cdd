/** The yardstick's writes: a route and one statement each, without validation. */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';

const createDocumentId = (): string => randomBytes(12).toString('hex');

/** Columns that a published row takes from its draft. */
const COLUMNS = `document_id, title, slug, body, blocks, views, big, rating, price, featured, kind, day, at, hour, contact,
  secret, hidden, meta, created_at, updated_at, locale`;
const BOTH = '(values (null::timestamp), (localtimestamp(3))) v (published_at)';
const NEW_ROWS = `insert into articles (document_id, title, views, featured, created_at, updated_at, locale, published_at)
  select $1, $2, $3::int, false, localtimestamp(3), localtimestamp(3), 'en', v.published_at`;
const DRAFT = "select * from articles where document_id = $1 and locale = 'en' and published_at is null";
const next = (tag: string): string =>
  `(select coalesce(max(o.article_ord), 0) + 1 from articles_tags_lnk o where o.tag_id = ${tag})`;
const touch = (set: string): string => `update articles set ${set} updated_at = localtimestamp(3),
  published_at = case when published_at is not null then localtimestamp(3) end where document_id = $1 and locale = 'en'`;

/** A component table's new rows, numbered from 0, and their places in the zones of the draft and the published row. */
const components = (table: string, column: string, offset: number): string => `
  ${table} as (insert into components_blocks_${table} (${column})
    select e.value from generate_series(1, 2), json_array_elements_text($${offset + 4}) e returning id),
  ${table}_numbered as (select id, row_number() over (order by id) - 1 as n from ${table}),
  ${table}_placed as (insert into articles_cmps (entity_id, cmp_id, component_type, field, "order")
    select a.id, c.id, 'blocks.${table === 'quotes' ? 'quote' : 'hero'}', 'zone',
      (c.n % json_array_length($${offset + 4})) * 2 + ${offset + 1}
    from ${table}_numbered c join numbered a on a.n = c.n / json_array_length($${offset + 4}))`;

interface Data {
  readonly title?: string;
  readonly views?: number;
  readonly tags: readonly string[] & { connect: readonly [{ documentId: string; position: { before: string } }] };
  readonly zone: readonly { readonly text?: string; readonly title?: string }[];
}

interface Write {
  readonly text: string;
  readonly values: (documentId: string, data: Data) => unknown[];
}

const writes: Readonly<Record<string, Write>> = {
  'create-small': {
    text: `${NEW_ROWS} from ${BOTH} returning document_id`,
    values: (documentId, { title, views }) => [documentId, title, views],
  },
  'create-linked': {
    text: `with a as (${NEW_ROWS} from (values (null::timestamp)) v (published_at) returning id, document_id),
      l as (insert into articles_tags_lnk (article_id, tag_id, tag_ord, article_ord)
        select a.id, t.id, e.n, ${next('t.id')} from a, json_array_elements_text($4) with ordinality e (d, n)
        join tags t on t.document_id = e.d and t.published_at is null)
      select document_id from a`,
    values: (documentId, { title, tags }) => [documentId, title, 0, JSON.stringify(tags)],
  },
  'publish-first': {
    text: `with d as (${DRAFT}),
      p as (insert into articles (${COLUMNS}, published_at) select ${COLUMNS}, localtimestamp(3) from d
        returning id, document_id),
      l as (insert into articles_tags_lnk (article_id, tag_id, tag_ord, article_ord)
        select p.id, t.id, l.tag_ord, ${next('t.id')} from p, d join articles_tags_lnk l on l.article_id = d.id
        join tags u on u.id = l.tag_id join tags t on t.document_id = u.document_id and t.published_at is not null)
      select document_id from p`,
    values: (documentId) => [documentId],
  },
  retitle: {
    text: `${touch('title = $2,')} returning document_id`,
    values: (documentId, { title }) => [documentId, title],
  },
  'move-link': {
    text: `with d as (${DRAFT}),
      l as (select l.*, t.document_id from d join articles_tags_lnk l on l.article_id = d.id
        join tags t on t.id = l.tag_id),
      b as (select tag_ord from l where document_id = $3),
      m as (update articles_tags_lnk set tag_ord = (b.tag_ord
          + coalesce((select max(tag_ord) from l where tag_ord < (select tag_ord from b)), b.tag_ord - 1)) / 2
        from b where id = (select id from l where document_id = $2)),
      u as (update articles set updated_at = localtimestamp(3) where id = (select id from d))
      select document_id from d`,
    values: (documentId, { tags }) => [documentId, tags.connect[0].documentId, tags.connect[0].position.before],
  },
  'reverse-links': {
    text: `with a as (${touch('')} returning id, document_id),
      l as (update articles_tags_lnk l set tag_ord = e.n
        from a, json_array_elements_text($2) with ordinality e (d, n) join tags t on t.document_id = e.d
        where l.article_id = a.id and l.tag_id = t.id)
      select document_id from a`,
    values: (documentId, { tags }) => [documentId, JSON.stringify(tags)],
  },
  'create-zone': {
    text: `with a as (${NEW_ROWS} from ${BOTH} returning id, document_id),
      numbered as (select id, row_number() over (order by id) - 1 as n from a),
      ${components('quotes', 'text', 0)}, ${components('heroes', 'title', 1)}
      select document_id from a`,
    values: (documentId, { title, zone }) => {
      const texts = (key: 'text' | 'title') => JSON.stringify(zone.flatMap((entry) => entry[key] ?? []));
      return [documentId, title, 0, texts('text'), texts('title')];
    },
  },
};

/** Adds `POST /write/<workload>[/:documentId]`, which takes what the API takes. */
export function addWrites(server: FastifyInstance, pool: pg.Pool): void {
  for (const [name, { text, values }] of Object.entries(writes)) {
    const run = async (documentId: string, body: unknown): Promise<unknown> => {
      const { data } = body as { data: Data };
      const { rows } = await pool.query({ name: `write-${name}`, text, values: values(documentId, data) });
      return { data: { documentId: (rows[0] as { document_id: string }).document_id } };
    };
    server.post(`/write/${name}`, (request) => run(createDocumentId(), request.body));
    server.post(`/write/${name}/:documentId`, (request) =>
      run((request.params as { documentId: string }).documentId, request.body),
    );
  }
}
