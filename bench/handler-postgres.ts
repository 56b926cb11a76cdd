/**
 * The yardstick on PostgreSQL: the same requests by hand, on Fastify and pg, with prepared statements that build the
 * JSON.
 *
 *     node handler-postgres.ts URL PORT
 *
 * Where its environment asks for it, answers also have the headers and the entity tag of this API's (answer-headers.ts).
 */
import Fastify from 'fastify';
import pg from 'pg';
import { senderOf } from './answer-headers.ts';
import { addWrites } from './handler-postgres-writes.ts';

const [url = '', port = ''] = process.argv.slice(2);
/** As many connections as Galley's pool has. */
const pool = new pg.Pool({ connectionString: url, max: 10, options: '-c timezone=UTC -c jit=off' });

const time = (column: string): string => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const times = (t: string): string =>
  ['created', 'updated', 'published'].map((verb) => `'${verb}At', ${time(`${t}.${verb}_at`)}`).join(', ');
const many = (members: string, from: string, order: string): string =>
  `(select coalesce(json_agg(json_build_object(${members}) order by ${order}), '[]'::json) from ${from})`;
const one = (members: string, from: string): string => `(select json_build_object(${members}) from ${from} limit 1)`;

const article = (t: string): string => `'id', ${t}.id, 'documentId', ${t}.document_id, 'title', ${t}.title,
  'slug', ${t}.slug, 'body', ${t}.body, 'blocks', ${t}.blocks, 'views', ${t}.views, 'big', ${t}.big::text,
  'rating', ${t}.rating, 'price', ${t}.price, 'featured', ${t}.featured, 'kind', ${t}.kind, 'day', ${t}.day,
  'at', ${time(`${t}.at`)}, 'hour', ${t}.hour, 'contact', ${t}.contact, 'meta', ${t}.meta, ${times(t)},
  'locale', ${t}.locale`;
const author = `'id', u.id, 'documentId', u.document_id, 'name', u.name, 'email', u.email, 'bio', u.bio, 'age', u.age,
  ${times('u')}`;
const tag = `'id', t.id, 'documentId', t.document_id, 'name', t.name, 'weight', t.weight, ${times('t')}`;
const file = `'id', f.id, 'documentId', f.document_id, 'name', f.name, 'alternativeText', f.alternative_text,
  'caption', f.caption, 'focalPoint', f.focal_point, 'width', f.width, 'height', f.height, 'formats', f.formats,
  'hash', f.hash, 'ext', f.ext, 'mime', f.mime, 'size', f.size, 'url', f.url, 'previewUrl', f.preview_url,
  'provider', f.provider, 'provider_metadata', f.provider_metadata, ${times('f')}`;
const seo = "'id', c.id, 'metaTitle', c.meta_title, 'metaDescription', c.meta_description";
const link = "'id', c.id, 'label', c.label, 'url', c.url";

const authorWith = (more: string): string =>
  `'author', ${one(
    `${author}${more}`,
    'articles_author_lnk l join authors u on u.id = l.author_id where l.article_id = a.id',
  )}`;
const withAuthor = authorWith('');
const tagsOf = (t: string): string =>
  `'tags', ${many(
    tag,
    `articles_tags_lnk l join tags t on t.id = l.tag_id
    where l.article_id = ${t}.id and t.published_at is not null`,
    'l.tag_ord',
  )}`;
const withTags = tagsOf('a');
const filesOf = (field: string): string => `files_related_mph m join files f on f.id = m.file_id
  where m.related_id = a.id and m.related_type = 'api::article.article' and m.field = '${field}'`;
const componentsOf = (field: string, table: string): string => `articles_cmps p
  join components_shared_${table} c on c.id = p.cmp_id where p.entity_id = a.id and p.field = '${field}'`;
const zoneEntry = `case p.component_type
  when 'shared.seo' then (select json_build_object(${seo}, '__component', 'shared.seo')
    from components_shared_seos c where c.id = p.cmp_id)
  when 'shared.link' then (select json_build_object(${link}, '__component', 'shared.link')
    from components_shared_links c where c.id = p.cmp_id)
  when 'blocks.quote' then (select json_build_object('id', c.id, 'text', c.text, '__component', 'blocks.quote')
    from components_blocks_quotes c where c.id = p.cmp_id)
  when 'blocks.hero' then (select json_build_object('id', c.id, 'title', c.title, '__component', 'blocks.hero')
    from components_blocks_heroes c where c.id = p.cmp_id)
  end`;
const related = `articles_related_lnk l join articles r on r.id = l.inv_article_id
  where l.article_id = a.id and r.published_at is not null`;
const others = 'articles v where v.document_id = a.document_id and v.published_at is not null and v.locale <> a.locale';
const everything = `'cover', ${one(file, filesOf('cover'))}, 'gallery', ${many(file, filesOf('gallery'), 'm."order"')},
  ${withAuthor}, ${withTags}, 'related', ${many(article('r'), related, 'l.article_ord')},
  'seo', ${one(seo, componentsOf('seo', 'seos'))},
  'links', ${many(link, componentsOf('links', 'links'), 'p."order"')},
  'localizations', ${many(article('v'), others, 'v.id')},
  'zone', (select coalesce(json_agg(${zoneEntry} order by p."order"), '[]'::json)
    from articles_cmps p where p.entity_id = a.id and p.field = 'zone')`;

const published = "published_at is not null and locale = 'en'";
const throughAuthor = `${published} and views >= 1000 and id in (select l.article_id from authors u
  join articles_author_lnk l on l.author_id = u.id where strpos(u.name, '5') > 0)`;
const articlesOfAuthor = many(
  `${article('b')}, ${tagsOf('b')}`,
  'articles_author_lnk k join articles b on b.id = k.article_id where k.author_id = u.id and b.published_at is not null',
  'k.article_ord',
);

interface List {
  readonly name: string;
  readonly members: string;
  readonly where?: string;
  readonly order?: string;
  readonly size: number;
}

const lists: readonly List[] = [
  { name: 'list', members: article('a'), size: 25 },
  { name: 'two-relations', members: `${article('a')}, ${withAuthor}, ${withTags}`, size: 25 },
  { name: 'populate-all', members: `${article('a')}, ${everything}`, size: 25 },
  { name: 'three-levels', members: `${article('a')}, ${authorWith(`, 'articles', ${articlesOfAuthor}`)}`, size: 10 },
  { name: 'filter-sort', members: article('a'), where: throughAuthor, order: 'views desc, id', size: 10 },
];

const server = Fastify();
const { tags, admits, send } = senderOf();

for (const { name, members, where = published, order = 'id', size } of lists) {
  const inOrder = order.replace('views', 'a.views').replace('id', 'a.id');
  const text = `select (select json_agg(json_build_object(${members}) order by ${inOrder})::text
    from (select * from articles where ${where} order by ${order} limit ${size}) a),
    (select count(*)::int from articles where ${where})`;
  server.get(`/${name}`, async (request, reply) => {
    if (!admits(request)) return reply.code(401).send();
    const { rows } = await pool.query<[string, number]>({ name, text, rowMode: 'array' } as pg.QueryArrayConfig);
    const [data, total] = rows[0]!;
    const pagination = `{"page":1,"pageSize":${size},"pageCount":${Math.ceil(total / size)},"total":${total}}`;
    return send(reply, `{"data":${data},"meta":{"pagination":${pagination}}}`);
  });
}

const newest =
  '(select extract(epoch from max(v.updated_at)) * 1000 from articles v where v.document_id = a.document_id)';
const single = `select json_build_object(${article('a')}, ${everything})::text${tags ? `, ${newest}` : ''} from articles a
  where document_id = $1 and ${published}`;
server.get('/single/:documentId', async (request, reply) => {
  if (!admits(request)) return reply.code(401).send();
  const { documentId } = request.params as { documentId: string };
  const query = { name: 'single', text: single, values: [documentId], rowMode: 'array' } as pg.QueryArrayConfig;
  const { rows } = await pool.query<[string, string?]>(query);
  const [data, version] = rows[0]!;
  return send(reply, `{"data":${data},"meta":{}}`, version === undefined ? undefined : Number(version));
});

addWrites(server, pool);

await server.listen({ port: Number(port), host: '127.0.0.1' });
