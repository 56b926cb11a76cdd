/** Whole reads, planned: the content and order of the answer, and the conditions on populated rows. */
import { describe } from 'node:test';
import { type Asked, planText, printMembers, printOrder, printTests } from '../../support/queries/planned.ts';
import { table } from '../../support/tables.ts';

const members = (text: string): string => {
  const { plan, values } = planText(text);
  return printMembers(plan.members, values);
};
/** `populate` left out of each row, and the type before it, unless it is not `article`: `=author`, `[author]=true`. */
const populated = (text: string): string => {
  const [, type = 'article', rest = ''] = /^(?:(\w+)\?)?(.*)$/.exec(text)!;
  const query = rest.split('&').map((part) => (/^[[=]/.test(part) ? `populate${part}` : part));
  return members(`${type}?${query.join('&')}&fields=id`);
};
const order = (text: string): string => {
  const { plan, values } = planText(text);
  return printOrder(plan.list!.order, values);
};

const MARKS = { token: 'mark:', providers: ['private-store'], bases: ['https://files.example/'] };
const KINDS: Readonly<Record<string, Asked>> = {
  list: {},
  uncounted: { count: false },
  medium: { size: 'medium' },
  document: { documentId: 'x', locales: ['en'] },
  row: { rowId: 3 },
  flagged: { flags: { isOwn: true, title: false } },
  marked: { marks: MARKS },
};
/** What kind of read, then its query. */
const read = (text: string): string => {
  const [kind = '', query = ''] = text.split(' ');
  const { plan, values } = planText(query, KINDS[kind]!);
  const { table, tests, members, version, list } = plan;
  const page = list && { ...list, limit: values[list.limit], offset: values[list.offset], order: undefined };
  const parts = [`${table}[${printTests(tests, values)}]`, printMembers(members, values)];
  if (version) parts.push(`version ${JSON.stringify(version)}`);
  if (page) parts.push(JSON.stringify(page));
  return parts.join('; ');
};

describe('planned reads', () => {
  table('fields', members, [
    [
      'article',
      'id documentId=document_id title body views big price featured day meta createdAt=created_at updatedAt=updated_at publishedAt=published_at locale',
    ],
    ['author', 'id documentId=document_id name age createdAt=created_at updatedAt=updated_at publishedAt=published_at'],
    ['tag', 'id documentId=document_id name weight createdAt=created_at updatedAt=updated_at publishedAt=published_at'],
    ['place?fields=code', 'id documentId=document_id code'],
    ['article?fields=views,title', 'id documentId=document_id views title'],
    ['article?fields=title&fields=title', 'id documentId=document_id title'],
    ['article?fields=documentId,id,title', 'id documentId=document_id title'],
    [
      'article?fields=*',
      'id documentId=document_id title body views big price featured day meta createdAt=created_at updatedAt=updated_at publishedAt=published_at locale',
    ],
    [
      'article?fields=title,*',
      'id documentId=document_id title body views big price featured day meta createdAt=created_at updatedAt=updated_at publishedAt=published_at locale',
    ],
    ['article?fields=locale,publishedAt', 'id documentId=document_id locale publishedAt=published_at'],
    [
      'article?fields=nope',
      'ValidationError: Invalid key nope {"key":"nope","path":null,"source":"query","param":"fields"}',
    ],
    [
      'article?fields=hidden',
      'ValidationError: Invalid key hidden {"key":"hidden","path":"hidden","source":"query","param":"fields"}',
    ],
    ['article?fields=', 'ValidationError: Invalid key  {"key":"","path":null,"source":"query","param":"fields"}'],
    [
      'article?fields=author',
      'ValidationError: Invalid key author {"key":"author","path":"author","source":"query","param":"fields"}',
    ],
    [
      'article?fields=author.name',
      'ValidationError: Invalid key author.name {"key":"author.name","path":null,"source":"query","param":"fields"}',
    ],
    [
      'author?fields=locale',
      'ValidationError: Invalid key locale {"key":"locale","path":"locale","source":"query","param":"fields"}',
    ],
    [
      'article?fields=constructor',
      'ValidationError: Invalid key constructor {"key":"constructor","path":null,"source":"query","param":"fields"}',
    ],
  ]);

  table('relations, components and files by name', populated, [
    [
      '=author',
      'id documentId=document_id author: one authors by link articles_author_lnk article_id author_id {id documentId=document_id name age createdAt=created_at updatedAt=updated_at publishedAt=published_at}',
    ],
    [
      '=tags',
      'id documentId=document_id tags: many tags[published] by link articles_tags_lnk article_id tag_id tag_ord {id documentId=document_id name weight createdAt=created_at updatedAt=updated_at publishedAt=published_at}',
    ],
    [
      '[tags][fields]=name&[author][fields]=name',
      'id documentId=document_id author: one authors by link articles_author_lnk article_id author_id {id documentId=document_id name} tags: many tags[published] by link articles_tags_lnk article_id tag_id tag_ord {id documentId=document_id name}',
    ],
    [
      '[cover][fields]=name',
      'id documentId=document_id cover: one files by media files_related_mph api::article.article cover {id documentId=document_id name}',
    ],
    [
      '=seo',
      'id documentId=document_id seo: one cmp_seos by component articles_cmps seo shared.seo {id metaTitle=meta_title}',
    ],
    [
      '=links',
      'id documentId=document_id links: many cmp_links by component articles_cmps links shared.link {id label}',
    ],
    [
      '=localizations',
      'id documentId=document_id localizations: many articles[published] by localizations {id documentId=document_id title body views big price featured day meta createdAt=created_at updatedAt=updated_at publishedAt=published_at locale}',
    ],
    [
      '=author.home',
      'id documentId=document_id author: one authors by link articles_author_lnk article_id author_id {id documentId=document_id name age createdAt=created_at updatedAt=updated_at publishedAt=published_at home: one places by link authors_home_lnk author_id place_id {id documentId=document_id code createdAt=created_at updatedAt=updated_at publishedAt=published_at}}',
    ],
    [
      '[]=author&[]=author.home',
      'id documentId=document_id author: one authors by link articles_author_lnk article_id author_id {id documentId=document_id name age createdAt=created_at updatedAt=updated_at publishedAt=published_at home: one places by link authors_home_lnk author_id place_id {id documentId=document_id code createdAt=created_at updatedAt=updated_at publishedAt=published_at}}',
    ],
    [
      '=author.home,author',
      'id documentId=document_id author: one authors by link articles_author_lnk article_id author_id {id documentId=document_id name age createdAt=created_at updatedAt=updated_at publishedAt=published_at home: one places by link authors_home_lnk author_id place_id {id documentId=document_id code createdAt=created_at updatedAt=updated_at publishedAt=published_at}}',
    ],
    [
      'author?=articles',
      'id documentId=document_id articles: many articles[published] by link articles_author_lnk author_id article_id article_ord {id documentId=document_id title body views big price featured day meta createdAt=created_at updatedAt=updated_at publishedAt=published_at locale}',
    ],
    [
      'author?=home',
      'id documentId=document_id home: one places by link authors_home_lnk author_id place_id {id documentId=document_id code createdAt=created_at updatedAt=updated_at publishedAt=published_at}',
    ],
    [
      'place?=notes',
      'id documentId=document_id notes: many notes by morphColumns target_id target_type api::place.place {id documentId=document_id text createdAt=created_at updatedAt=updated_at publishedAt=published_at}',
    ],
    ['=nope', 'ValidationError: Invalid key nope {"key":"nope","path":"nope","source":"query","param":"populate"}'],
    [
      '=author.nope',
      'ValidationError: Invalid key nope at author.nope {"key":"nope","path":"author.nope","source":"query","param":"populate"}',
    ],
    [
      '=hidden',
      'ValidationError: Invalid key hidden {"key":"hidden","path":"hidden","source":"query","param":"populate"}',
    ],
    ['=title', 'ValidationError: Invalid key title {"key":"title","path":"title","source":"query","param":"populate"}'],
    [
      '=author.*',
      'ValidationError: Invalid key * at author.* {"key":"*","path":"author.*","source":"query","param":"populate"}',
    ],
    [
      '=createdBy',
      'ValidationError: Invalid key createdBy {"key":"createdBy","path":"createdBy","source":"query","param":"populate"}',
    ],
    ['=', 'id documentId=document_id'],
    [
      'author?=localizations',
      'ValidationError: Invalid key localizations {"key":"localizations","path":"localizations","source":"query","param":"populate"}',
    ],
    [
      '=constructor',
      'ValidationError: Invalid key constructor {"key":"constructor","path":"constructor","source":"query","param":"populate"}',
    ],
  ]);

  table('everything at once', populated, [
    [
      'author?=*',
      'id documentId=document_id articles: many articles[published] by link articles_author_lnk author_id article_id article_ord {id documentId=document_id title body views big price featured day meta createdAt=created_at updatedAt=updated_at publishedAt=published_at locale} home: one places by link authors_home_lnk author_id place_id {id documentId=document_id code createdAt=created_at updatedAt=updated_at publishedAt=published_at}',
    ],
    [
      'tag?=*',
      'id documentId=document_id articles: many articles[published] by link articles_tags_lnk tag_id article_id article_ord {id documentId=document_id title body views big price featured day meta createdAt=created_at updatedAt=updated_at publishedAt=published_at locale}',
    ],
    [
      'place?=*',
      'id documentId=document_id notes: many notes by morphColumns target_id target_type api::place.place {id documentId=document_id text createdAt=created_at updatedAt=updated_at publishedAt=published_at}',
    ],
    [
      'home?=*',
      'id documentId=document_id localizations: many homes by localizations {id documentId=document_id title createdAt=created_at updatedAt=updated_at publishedAt=published_at locale}',
    ],
  ]);

  table('options of populated rows', populated, [
    [
      '[author]=true',
      'id documentId=document_id author: one authors by link articles_author_lnk article_id author_id {id documentId=document_id name age createdAt=created_at updatedAt=updated_at publishedAt=published_at}',
    ],
    ['[author]=false', 'id documentId=document_id'],
    [
      '[author][fields]=name',
      'id documentId=document_id author: one authors by link articles_author_lnk article_id author_id {id documentId=document_id name}',
    ],
    [
      '[tags][fields]=name&[tags][filters][weight][$gt]=1',
      'id documentId=document_id tags: many tags[published] by link articles_tags_lnk article_id tag_id tag_ord where weight $gt "1" {id documentId=document_id name}',
    ],
    [
      '[tags][fields]=name&[tags][sort]=weight:desc',
      'id documentId=document_id tags: many tags[published] by link articles_tags_lnk article_id tag_id tag_ord sorted by weight integer desc {id documentId=document_id name}',
    ],
    [
      '[tags][fields]=name&[tags][sort][0]=articles.title',
      'id documentId=document_id tags: many tags[published] by link articles_tags_lnk article_id tag_id tag_ord sorted by title string of articles[published] by link articles_tags_lnk tag_id article_id article_ord (first of many) {id documentId=document_id name}',
    ],
    [
      '[tags][count]=true',
      'id documentId=document_id tags: count tags[published] by link articles_tags_lnk article_id tag_id tag_ord',
    ],
    [
      '[author][count]=true',
      'id documentId=document_id author: count authors by link articles_author_lnk article_id author_id',
    ],
    [
      '[tags][count]=true&[tags][filters][name]=a',
      'id documentId=document_id tags: count tags[published] by link articles_tags_lnk article_id tag_id tag_ord where name $eq "a"',
    ],
    [
      '[tags][fields]=name&[tags][populate][articles][fields]=title',
      'id documentId=document_id tags: many tags[published] by link articles_tags_lnk article_id tag_id tag_ord {id documentId=document_id name articles: many articles[published] by link articles_tags_lnk tag_id article_id article_ord {id documentId=document_id title}}',
    ],
    [
      '[author][fields]=name&[author][populate]=home',
      'id documentId=document_id author: one authors by link articles_author_lnk article_id author_id {id documentId=document_id name home: one places by link authors_home_lnk author_id place_id {id documentId=document_id code createdAt=created_at updatedAt=updated_at publishedAt=published_at}}',
    ],
    [
      '[author][fields]=name&[author][populate]=*',
      'id documentId=document_id author: one authors by link articles_author_lnk article_id author_id {id documentId=document_id name articles: many articles[published] by link articles_author_lnk author_id article_id article_ord {id documentId=document_id title body views big price featured day meta createdAt=created_at updatedAt=updated_at publishedAt=published_at locale} home: one places by link authors_home_lnk author_id place_id {id documentId=document_id code createdAt=created_at updatedAt=updated_at publishedAt=published_at}}',
    ],
    [
      '[tags][fields]=name&[tags][filters][$not][articles][title]=a',
      'id documentId=document_id tags: many tags[published] by link articles_tags_lnk article_id tag_id tag_ord where no articles[published] by link articles_tags_lnk tag_id article_id article_ord {title $eq "a" is not false} {id documentId=document_id name}',
    ],
    [
      '[localizations][fields]=title',
      'id documentId=document_id localizations: many articles[published] by localizations {id documentId=document_id title}',
    ],
    [
      '[links][populate][target][fields]=title',
      'id documentId=document_id links: many cmp_links by component articles_cmps links shared.link {id label target: one articles[published] by link cmp_links_target_lnk link_id article_id {id documentId=document_id title}}',
    ],
    [
      '[author][limit]=3',
      'ValidationError: Invalid key limit at author {"key":"limit","path":"author","source":"query","param":"populate"}',
    ],
    [
      '[author][filters][nope]=a',
      'ValidationError: Invalid key nope {"key":"nope","path":null,"source":"query","param":"populate"}',
    ],
    [
      '[author][sort]=nope',
      'ValidationError: Invalid key nope {"key":"nope","path":null,"source":"query","param":"populate"}',
    ],
    [
      '[author][fields]=nope',
      'ValidationError: Invalid key nope {"key":"nope","path":null,"source":"query","param":"populate"}',
    ],
    [
      '[author][populate][nope]=true',
      'ValidationError: Invalid key nope at author {"key":"nope","path":"author","source":"query","param":"populate"}',
    ],
    [
      '[author][on][x]=true',
      'ValidationError: Invalid key on at author {"key":"on","path":"author","source":"query","param":"populate"}',
    ],
    [
      '[author]=yes',
      'ValidationError: Invalid key yes at author {"key":"yes","path":"author","source":"query","param":"populate"}',
    ],
    ['[nope]=true', 'ValidationError: Invalid key nope {"key":"nope","path":null,"source":"query","param":"populate"}'],
    [
      '[tags][count]=maybe',
      'ValidationError: Invalid key count at tags {"key":"count","path":"tags","source":"query","param":"populate"}',
    ],
    ['[tags][sort]=name:up', 'ValidationError: Invalid order. order can only be one of asc|desc|ASC|DESC'],
  ]);

  table('status, cohort and locale of populated rows', populated, [
    [
      '=tags&status=draft',
      'id documentId=document_id tags: many tags[draft] by link articles_tags_lnk article_id tag_id tag_ord {id documentId=document_id name weight createdAt=created_at updatedAt=updated_at publishedAt=published_at}',
    ],
    [
      '=localizations&status=draft',
      'id documentId=document_id localizations: many articles[draft] by localizations {id documentId=document_id title body views big price featured day meta createdAt=created_at updatedAt=updated_at publishedAt=published_at locale}',
    ],
    [
      '=tags&status=draft&publicationFilter=modified',
      'id documentId=document_id tags: many tags[draft, has published row of tags in any locale that differs] by link articles_tags_lnk article_id tag_id tag_ord {id documentId=document_id name weight createdAt=created_at updatedAt=updated_at publishedAt=published_at}',
    ],
    [
      '=author&status=draft',
      'id documentId=document_id author: one authors by link articles_author_lnk article_id author_id {id documentId=document_id name age createdAt=created_at updatedAt=updated_at publishedAt=published_at}',
    ],
    [
      'author?=articles&status=draft',
      'id documentId=document_id articles: many articles[draft] by link articles_author_lnk author_id article_id article_ord {id documentId=document_id title body views big price featured day meta createdAt=created_at updatedAt=updated_at publishedAt=published_at locale}',
    ],
    [
      'tag?=articles&publicationFilter=unmodified&status=draft',
      'id documentId=document_id articles: many articles[draft, has published row of articles in its locale that is the same] by link articles_tags_lnk tag_id article_id article_ord {id documentId=document_id title body views big price featured day meta createdAt=created_at updatedAt=updated_at publishedAt=published_at locale}',
    ],
    [
      '[tags][fields]=name&[tags][filters][articles][title]=a&status=draft&publicationFilter=modified',
      'id documentId=document_id tags: many tags[draft, has published row of tags in any locale that differs] by link articles_tags_lnk article_id tag_id tag_ord where some articles[draft] by link articles_tags_lnk tag_id article_id article_ord {title $eq "a"} {id documentId=document_id name}',
    ],
    [
      '[tags][fields]=name&[tags][sort]=articles.title&status=draft&publicationFilter=modified',
      'id documentId=document_id tags: many tags[draft, has published row of tags in any locale that differs] by link articles_tags_lnk article_id tag_id tag_ord sorted by title string of articles[draft] by link articles_tags_lnk tag_id article_id article_ord (first of many) {id documentId=document_id name}',
    ],
  ]);

  table('zones and relations to any type', populated, [
    [
      '=zone',
      "id documentId=document_id zone: many by zone articles_cmps zone (cmp_seos {id metaTitle=meta_title __component='shared.seo'} | cmp_links {id label __component='shared.link'})",
    ],
    [
      '[zone]=true',
      "id documentId=document_id zone: many by zone articles_cmps zone (cmp_seos {id metaTitle=meta_title __component='shared.seo'} | cmp_links {id label __component='shared.link'})",
    ],
    [
      '[zone][populate]=*',
      "id documentId=document_id zone: many by zone articles_cmps zone (cmp_seos {id metaTitle=meta_title __component='shared.seo'} | cmp_links {id label target: one articles[published] by link cmp_links_target_lnk link_id article_id {id documentId=document_id title body views big price featured day meta createdAt=created_at updatedAt=updated_at publishedAt=published_at locale} __component='shared.link'})",
    ],
    [
      '[zone][on][shared.seo]=true',
      "id documentId=document_id zone: many by zone articles_cmps zone (cmp_seos {id metaTitle=meta_title __component='shared.seo'})",
    ],
    [
      '[zone][on][shared.link][fields]=label&[zone][on][shared.link][populate][target][fields]=title',
      "id documentId=document_id zone: many by zone articles_cmps zone (cmp_links {id label target: one articles[published] by link cmp_links_target_lnk link_id article_id {id documentId=document_id title} __component='shared.link'})",
    ],
    [
      '[zone][on][shared.seo][filters][metaTitle]=a',
      'id documentId=document_id zone: many by zone articles_cmps zone (cmp_seos where meta_title $eq "a" {id metaTitle=meta_title __component=\'shared.seo\'})',
    ],
    ['[zone][on][shared.seo]=false', 'id documentId=document_id zone: many by zone articles_cmps zone ()'],
    [
      '[zone][on][shared.seo]=true&[zone][on][shared.link]=true',
      "id documentId=document_id zone: many by zone articles_cmps zone (cmp_seos {id metaTitle=meta_title __component='shared.seo'} | cmp_links {id label __component='shared.link'})",
    ],
    [
      '=zone.target',
      "id documentId=document_id zone: many by zone articles_cmps zone (cmp_seos {id metaTitle=meta_title __component='shared.seo'} | cmp_links {id label target: one articles[published] by link cmp_links_target_lnk link_id article_id {id documentId=document_id title body views big price featured day meta createdAt=created_at updatedAt=updated_at publishedAt=published_at locale} __component='shared.link'})",
    ],
    [
      '[zone][count]=true',
      "id documentId=document_id zone: count by zone articles_cmps zone (cmp_seos {id metaTitle=meta_title __component='shared.seo'} | cmp_links {id label __component='shared.link'})",
    ],
    [
      '[zone][on][shared.nope]=true',
      'ValidationError: Invalid key shared.nope at zone.on.shared.nope {"key":"shared.nope","path":"zone.on.shared.nope","source":"query","param":"populate"}',
    ],
    [
      '[zone][on]=shared.seo',
      'ValidationError: Invalid key on at zone.on {"key":"on","path":"zone.on","source":"query","param":"populate"}',
    ],
    [
      '[zone][fields]=label',
      'ValidationError: Invalid nested populate for zone. Expected a fragment ("on") or "count" but found fields',
    ],
    [
      '[zone][populate]=target',
      'ValidationError: Invalid key populate at zone {"key":"populate","path":"zone","source":"query","param":"populate"}',
    ],
    [
      '[zone][filters][id]=1',
      'ValidationError: Invalid nested populate for zone. Expected a fragment ("on") or "count" but found filters',
    ],
    [
      'note?[about][on][api::place.place][fields]=code',
      "id documentId=document_id about: one by morphColumns target_id target_type (places {id documentId=document_id code __type='api::place.place'})",
    ],
    [
      'note?[subjects][on][api::article.article][fields]=title&[subjects][on][api::place.place][fields]=code',
      "id documentId=document_id subjects: many by morphTable notes_subjects_mph note_id subjects_id subjects_type field order (articles[published] {id documentId=document_id title __type='api::article.article'} | places {id documentId=document_id code __type='api::place.place'})",
    ],
    [
      'note?[about][on][api::article.article][fields]=title&status=draft',
      "id documentId=document_id about: one by morphColumns target_id target_type (articles[draft] {id documentId=document_id title __type='api::article.article'})",
    ],
  ]);

  table('orders', order, [
    ['article', ''],
    ['article?sort=title', 'title string'],
    ['article?sort=title:desc,views', 'title string desc; views integer'],
    ['article?sort=id:desc', 'id id desc'],
    ['article?sort=author.name', 'name string of authors by link articles_author_lnk article_id author_id'],
    [
      'article?sort=author.home.code:desc',
      'code string of authors by link articles_author_lnk article_id author_id of places by link authors_home_lnk author_id place_id desc',
    ],
    [
      'article?sort=tags.name',
      'name string of tags[published] by link articles_tags_lnk article_id tag_id tag_ord (first of many)',
    ],
    [
      'article?sort=tags.articles.author.name:desc',
      'name string of tags[published] by link articles_tags_lnk article_id tag_id tag_ord of articles[published] by link articles_tags_lnk tag_id article_id article_ord of authors by link articles_author_lnk article_id author_id (first of many) desc',
    ],
    [
      'article?sort=links.label',
      'label string of cmp_links by component articles_cmps links shared.link (first of many)',
    ],
    ['article?sort=seo.metaTitle', 'meta_title string of cmp_seos by component articles_cmps seo shared.seo'],
    ['article?sort=cover.name', 'name string of files by media files_related_mph api::article.article cover'],
    ['article?sort=localizations.title', 'title string of articles[published] by versions (first of many)'],
    [
      'article?sort=tags.name&status=draft&publicationFilter=modified',
      'name string of tags[draft] by link articles_tags_lnk article_id tag_id tag_ord (first of many)',
    ],
    [
      'author?sort=articles.title&status=draft',
      'title string of articles[draft] by link articles_author_lnk author_id article_id article_ord (first of many)',
    ],
    [
      'place?sort=notes.text',
      'text text of notes by morphColumns target_id target_type api::place.place (first of many)',
    ],
    ['article?sort=meta', 'meta json'],
    [
      'article?sort=hidden',
      'ValidationError: Invalid key hidden {"key":"hidden","path":"hidden","source":"query","param":"sort"}',
    ],
    [
      'article?sort=nope',
      'ValidationError: Invalid key nope {"key":"nope","path":null,"source":"query","param":"sort"}',
    ],
    [
      'article?sort=author',
      'ValidationError: Invalid key author {"key":"author","path":"author","source":"query","param":"sort"}',
    ],
    [
      'article?sort=tags:desc',
      'ValidationError: Invalid key desc at tags {"key":"desc","path":"tags","source":"query","param":"sort"}',
    ],
    [
      'article?sort=title.x',
      'ValidationError: Invalid key x at title {"key":"x","path":"title","source":"query","param":"sort"}',
    ],
    ['article?sort=title:up', 'ValidationError: Invalid order. order can only be one of asc|desc|ASC|DESC'],
    [
      'article?sort=nope:up',
      'ValidationError: Invalid key nope {"key":"nope","path":null,"source":"query","param":"sort"}',
    ],
    [
      'article?sort=zone.id',
      'ValidationError: Invalid key zone {"key":"zone","path":"zone","source":"query","param":"sort"}',
    ],
    [
      'note?sort=about.id',
      'ValidationError: Invalid key about {"key":"about","path":"about","source":"query","param":"sort"}',
    ],
    [
      'article?sort=author..name',
      'ValidationError: Invalid key  at author {"key":"","path":"author","source":"query","param":"sort"}',
    ],
    [
      'article?sort=author.name.x',
      'ValidationError: Invalid key x at author.name {"key":"x","path":"author.name","source":"query","param":"sort"}',
    ],
    ['article?sort=title,title:desc', 'title string; title string desc'],
  ]);

  table('kinds of reads', read, [
    [
      'list place',
      'places[]; id documentId=document_id code createdAt=created_at updatedAt=updated_at publishedAt=published_at; {"limit":25,"offset":0,"size":"small","deep":false,"total":"counted","isKept":false,"snapshot":false}',
    ],
    [
      'uncounted place',
      'places[]; id documentId=document_id code createdAt=created_at updatedAt=updated_at publishedAt=published_at; {"limit":25,"offset":0,"size":"small","deep":false,"isKept":false,"snapshot":false}',
    ],
    [
      'medium place',
      'places[]; id documentId=document_id code createdAt=created_at updatedAt=updated_at publishedAt=published_at; {"limit":25,"offset":0,"size":"medium","deep":false,"total":"counted","isKept":false,"snapshot":false}',
    ],
    [
      'document place',
      'places[documentId "x"]; id documentId=document_id code createdAt=created_at updatedAt=updated_at publishedAt=published_at; version {"sameLocale":false}',
    ],
    [
      'document article?fields=title',
      'articles[documentId "x", published, locale "en"]; id documentId=document_id title; version {"sameLocale":true}',
    ],
    [
      'row place',
      'places[rowId 3]; id documentId=document_id code createdAt=created_at updatedAt=updated_at publishedAt=published_at',
    ],
    [
      'flagged place?fields=code',
      'places[]; id documentId=document_id code isOwn=true title=false; {"limit":25,"offset":0,"size":"small","deep":false,"total":"counted","isKept":false,"snapshot":false}',
    ],
    [
      'flagged article?fields=title',
      'articles[published]; id documentId=document_id title isOwn=true; {"limit":25,"offset":0,"size":"small","deep":false,"total":"counted","isKept":false,"snapshot":false}',
    ],
    [
      'marked file?fields=name,url',
      'files[]; id documentId=document_id name url=signed(url) isUrlSigned=signed?; {"limit":25,"offset":0,"size":"small","deep":false,"total":"counted","isKept":false,"snapshot":false}',
    ],
    [
      'marked file?fields=name',
      'files[]; id documentId=document_id name isUrlSigned=signed?; {"limit":25,"offset":0,"size":"small","deep":false,"total":"counted","isKept":false,"snapshot":false}',
    ],
    [
      'marked place?fields=code',
      'places[]; id documentId=document_id code; {"limit":25,"offset":0,"size":"small","deep":false,"total":"counted","isKept":false,"snapshot":false}',
    ],
    [
      'list file?fields=url',
      'files[]; id documentId=document_id url; {"limit":25,"offset":0,"size":"small","deep":false,"total":"counted","isKept":false,"snapshot":false}',
    ],
    [
      'document article?fields=title&status=draft',
      'articles[documentId "x", draft, locale "en"]; id documentId=document_id title; version {"sameLocale":true}',
    ],
    [
      'marked article?fields=id&populate[cover][fields]=url,formats',
      'articles[published]; id documentId=document_id cover: one files by media files_related_mph api::article.article cover {id documentId=document_id url=signed(url) formats=signed(formats) isUrlSigned=signed?}; {"limit":25,"offset":0,"size":"small","deep":false,"total":"counted","isKept":false,"snapshot":false}',
    ],
  ]);
});
