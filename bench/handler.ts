/**
 * The yardstick: what one would write by hand for exactly these requests, on Fastify and better-sqlite3, with no
 * parsing of queries, no permissions and no schema. One route a workload, SQL that builds the JSON, text sent as is.
 *
 *     node handler.ts DATABASE PORT
 *
 * Where its environment asks for it, answers also have the headers and the entity tag of this API's (answer-headers.ts).
 */
import Database from 'better-sqlite3';
import Fastify from 'fastify';
import { senderOf } from './answer-headers.ts';

const [filename = '', port = ''] = process.argv.slice(2);
const db = new Database(filename, { readonly: true });

const time = (column: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;
const times = (t: string): string =>
  ['created', 'updated', 'published'].map((verb) => `'${verb}At', ${time(`${t}.${verb}_at`)}`).join(', ');
const bool = (column: string): string => `json(case ${column} when 1 then 'true' when 0 then 'false' else 'null' end)`;
// A subquery's value is text to SQLite, whatever made it; json() says that it is JSON.
const many = (members: string, from: string, order: string): string =>
  `json((select json_group_array(json_object(${members}) order by ${order}) from ${from}))`;
const one = (members: string, from: string): string => `json((select json_object(${members}) from ${from} limit 1))`;

const article = (t: string): string => `'id', ${t}.id, 'documentId', ${t}.document_id, 'title', ${t}.title,
  'slug', ${t}.slug, 'body', ${t}.body, 'blocks', json(${t}.blocks), 'views', ${t}.views,
  'big', cast(${t}.big as text), 'rating', ${t}.rating, 'price', ${t}.price, 'featured', ${bool(`${t}.featured`)},
  'kind', ${t}.kind, 'day', ${t}.day, 'at', ${time(`${t}.at`)}, 'hour', ${t}.hour, 'contact', ${t}.contact,
  'meta', json(${t}.meta), ${times(t)}, 'locale', ${t}.locale`;
const author = `'id', u.id, 'documentId', u.document_id, 'name', u.name, 'email', u.email, 'bio', u.bio, 'age', u.age,
  ${times('u')}`;
const tag = `'id', t.id, 'documentId', t.document_id, 'name', t.name, 'weight', t.weight, ${times('t')}`;
const file = `'id', f.id, 'documentId', f.document_id, 'name', f.name, 'alternativeText', f.alternative_text,
  'caption', f.caption, 'focalPoint', json(f.focal_point), 'width', f.width, 'height', f.height,
  'formats', json(f.formats), 'hash', f.hash, 'ext', f.ext, 'mime', f.mime, 'size', f.size, 'url', f.url,
  'previewUrl', f.preview_url, 'provider', f.provider, 'provider_metadata', json(f.provider_metadata), ${times('f')}`;
const seo = "'id', c.id, 'metaTitle', c.meta_title, 'metaDescription', c.meta_description";
const link = "'id', c.id, 'label', c.label, 'url', c.url";

const authorOf = (t: string, more = ''): string =>
  one(
    `${author}${more}`,
    `articles_author_lnk l join authors u on u.id = l.author_id
    where l.article_id = ${t}.id`,
  );
const tagsOf = (t: string): string =>
  many(
    tag,
    `articles_tags_lnk l join tags t on t.id = l.tag_id
    where l.article_id = ${t}.id and t.published_at is not null`,
    'l.tag_ord',
  );
const filesOf = (field: string): string => `files_related_mph m join files f on f.id = m.file_id
  where m.related_id = a.id and m.related_type = 'api::article.article' and m.field = '${field}'`;
const componentsOf = (field: string, table: string): string => `articles_cmps p
  join components_shared_${table} c on c.id = p.cmp_id where p.entity_id = a.id and p.field = '${field}'`;

const zoneEntry = `case p.component_type
  when 'shared.seo' then (select json_object(${seo}, '__component', 'shared.seo')
    from components_shared_seos c where c.id = p.cmp_id)
  when 'shared.link' then (select json_object(${link}, '__component', 'shared.link')
    from components_shared_links c where c.id = p.cmp_id)
  when 'blocks.quote' then (select json_object('id', c.id, 'text', c.text, '__component', 'blocks.quote')
    from components_blocks_quotes c where c.id = p.cmp_id)
  when 'blocks.hero' then (select json_object('id', c.id, 'title', c.title, '__component', 'blocks.hero')
    from components_blocks_heroes c where c.id = p.cmp_id)
  end`;
const everything = `
  'cover', ${one(file, filesOf('cover'))},
  'gallery', ${many(file, filesOf('gallery'), 'm."order"')},
  'author', ${authorOf('a')},
  'tags', ${tagsOf('a')},
  'related', ${many(
    article('r'),
    `articles_related_lnk l join articles r on r.id = l.inv_article_id
    where l.article_id = a.id and r.published_at is not null`,
    'l.article_ord',
  )},
  'seo', ${one(seo, componentsOf('seo', 'seos'))},
  'links', ${many(link, componentsOf('links', 'links'), 'p."order"')},
  'localizations', ${many(
    article('v'),
    'articles v where v.document_id = a.document_id and v.published_at is not null and v.locale <> a.locale',
    'v.id',
  )},
  'zone', json((select json_group_array(json(${zoneEntry}) order by p."order")
    from articles_cmps p where p.entity_id = a.id and p.field = 'zone'))`;

const published = "published_at is not null and locale = 'en'";
const throughAuthor = `${published} and views >= 1000 and id in (select l.article_id from authors u
  join articles_author_lnk l on l.author_id = u.id where instr(u.name, '5') > 0)`;
const articlesOfAuthor = many(
  `${article('b')}, 'tags', ${tagsOf('b')}`,
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
  { name: 'two-relations', members: `${article('a')}, 'author', ${authorOf('a')}, 'tags', ${tagsOf('a')}`, size: 25 },
  { name: 'populate-all', members: `${article('a')}, ${everything}`, size: 25 },
  {
    name: 'three-levels',
    members: `${article('a')}, 'author', ${authorOf('a', `, 'articles', ${articlesOfAuthor}`)}`,
    size: 10,
  },
  { name: 'filter-sort', members: article('a'), where: throughAuthor, order: 'views desc, id', size: 10 },
];

const server = Fastify();
const counter = db.prepare('pragma data_version').pluck();
const { tags, admits, send } = senderOf(() => counter.get());

for (const { name, members, where = published, order = 'id', size } of lists) {
  const data = db
    .prepare(
      `select json_group_array(json_object(${members}))
      from (select * from articles where ${where} order by ${order} limit ${size}) a`,
    )
    .pluck();
  const count = db.prepare(`select count(*) from articles where ${where}`).pluck();
  server.get(`/${name}`, (request, reply) => {
    if (!admits(request)) return reply.code(401).send();
    const total = count.get() as number;
    const pagination = `{"page":1,"pageSize":${size},"pageCount":${Math.ceil(total / size)},"total":${total}}`;
    return send(reply, `{"data":${data.get()},"meta":{"pagination":${pagination}}}`);
  });
}

const version = tags ? ', (select max(updated_at) from articles v where v.document_id = a.document_id)' : '';
const single = db
  .prepare<[string], [string, number?]>(
    `select json_object(${article('a')}, ${everything})${version} from articles a where document_id = ? and ${published}`,
  )
  .raw();
server.get('/single/:documentId', (request, reply) => {
  if (!admits(request)) return reply.code(401).send();
  const { documentId } = request.params as { documentId: string };
  const [data, newest] = single.get(documentId)!;
  return send(reply, `{"data":${data},"meta":{}}`, newest);
});

await server.listen({ port: Number(port), host: '127.0.0.1' });
