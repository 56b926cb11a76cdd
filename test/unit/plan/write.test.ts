/** What writing rows of a model takes: the columns that are copied, and the queries for stored rows. */
import { strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LinkQuery } from '../../../src/plan/link-plan.ts';
import type { RowQuery, Selected } from '../../../src/plan/row-query.ts';
import { type WritePlan, WritePlans } from '../../../src/plan/write.ts';
import { catalog, layout, typeOf } from '../../support/queries/planned.ts';
import { table } from '../../support/tables.ts';

const plans = new WritePlans(catalog, layout);
/** `article`, or the uid of a component. */
const planOf = (name: string): WritePlan => plans.of(name.includes('.') ? name : typeOf(name).uid);

const printTables = (tables: readonly string[]): string => (tables.length > 3 ? 'any table' : tables.join('|'));
const printColumn = (column: Selected): string => {
  if (typeof column === 'string') return column;
  return 'wide' in column ? `${column.wide}!` : String(column.constant || '-');
};
const printRows = ({ table, columns, by, order, foreignKey }: RowQuery): string => {
  const selected = columns.map(printColumn);
  const ordered = order.length > 0 ? ` by ${order}` : '';
  const there = foreignKey && ('table' in foreignKey ? foreignKey.table : printTables([...foreignKey.tables.values()]));
  return `${table}[${by}]: ${selected}${ordered}${there ? `, ${foreignKey.column} in ${there}` : ''}`;
};
const printLinks = (links: LinkQuery | undefined): string =>
  links ? `${printRows(links.query)}${links.fixed.length > 0 ? ` = ${links.fixed}` : ''}` : 'at the other side';

/** Model and list: `article content`. */
const columns = (text: string): string => {
  const [name, list] = text.split(' ') as [string, 'content' | 'shared' | 'followed' | 'copied' | 'cloned'];
  return planOf(name)[list].names.join(' ');
};
const question = (text: string): string => {
  const [name, asked] = text.split(' ') as [string, 'contentQuery' | 'versionQuery' | 'targetQuery'];
  return printRows(planOf(name)[asked]);
};
const bySource = (text: string): string => {
  const [name, attribute] = text.split(' ') as [string, string];
  return printLinks(planOf(name).links.get(attribute)!.bySource);
};
const incoming = (name: string): string =>
  planOf(name)
    .incoming.map(({ attribute, byTarget }) => `${attribute.name}: ${printLinks(byTarget)}`)
    .join('; ');
const ties = (name: string): string => {
  const { ties } = planOf(name);
  return ties ? `${printRows(ties.byOwner)}; ${printRows(ties.byField)}` : 'none';
};

describe('planned writes', () => {
  table('columns that are copied together', columns, [
    ['article content', 'title body views big price featured day meta hidden'],
    ['article shared', 'views big price featured day meta hidden'],
    ['article followed', 'title body views big price featured day meta hidden updated_at updated_by_id'],
    [
      'article copied',
      'document_id title body views big price featured day meta hidden created_at created_by_id locale updated_at updated_by_id',
    ],
    ['article cloned', 'title body views big price featured day meta hidden locale created_by_id updated_by_id'],
    ['tag shared', ''],
    ['note content', 'text'],
    ['shared.link content', 'label'],
  ]);
  table('queries for rows', question, [
    ['article contentQuery', 'articles[id]: id,title,body,views,big!,price,featured,day,meta,hidden'],
    ['article versionQuery', 'articles[document_id]: id,locale,published_at,created_at,updated_at by id'],
    ['article targetQuery', 'articles[document_id]: id,document_id,locale,published_at,-'],
    ['file targetQuery', 'files[document_id]: id,document_id,locale,published_at,mime'],
    ['shared.link contentQuery', 'cmp_links[id]: id,label'],
  ]);
  table('links by the rows that hold them', bySource, [
    [
      'article author',
      'articles_author_lnk[article_id]: id,article_id,author_id,-,article_ord,-,- by id, author_id in authors',
    ],
    [
      'article tags',
      'articles_tags_lnk[article_id]: id,article_id,tag_id,tag_ord,article_ord,-,- by tag_ord,id, tag_id in tags',
    ],
    [
      'article cover',
      'files_related_mph[related_id,related_type,field]: id,related_id,file_id,order,-,-,- by order,id, file_id in files = api::article.article,cover',
    ],
    [
      'author articles',
      'articles_author_lnk[author_id]: id,author_id,article_id,article_ord,-,-,- by article_ord,id, article_id in articles',
    ],
    ['author home', 'authors_home_lnk[author_id]: id,author_id,place_id,-,-,-,- by id, place_id in places'],
    [
      'tag articles',
      'articles_tags_lnk[tag_id]: id,tag_id,article_id,article_ord,tag_ord,-,- by article_ord,id, article_id in articles',
    ],
    ['place notes', 'at the other side'],
    ['note about', 'notes[id]: id,id,target_id,-,-,target_type,- by id, target_id in any table'],
    [
      'note subjects',
      'notes_subjects_mph[note_id]: id,note_id,subjects_id,order,-,subjects_type,field by order,id, subjects_id in any table',
    ],
    [
      'shared.link target',
      'cmp_links_target_lnk[link_id]: id,link_id,article_id,-,-,-,- by id, article_id in articles',
    ],
  ]);
  table('links by the row that they lead to', incoming, [
    [
      'article',
      'related: files_related_mph[related_id,related_type]: id,file_id,related_id,order,-,related_type,field by order,id, file_id in files = api::article.article; about: notes[target_id,target_type]: id,id,target_id,-,-,target_type,- by id = api::article.article; subjects: notes_subjects_mph[subjects_id,subjects_type]: id,note_id,subjects_id,order,-,subjects_type,field by order,id, note_id in notes = api::article.article; target: cmp_links_target_lnk[article_id]: id,link_id,article_id,-,-,-,- by id, link_id in cmp_links',
    ],
    [
      'author',
      'related: files_related_mph[related_id,related_type]: id,file_id,related_id,order,-,related_type,field by order,id, file_id in files = api::author.author; author: articles_author_lnk[author_id]: id,article_id,author_id,-,article_ord,-,- by id, article_id in articles; about: notes[target_id,target_type]: id,id,target_id,-,-,target_type,- by id = api::author.author; subjects: notes_subjects_mph[subjects_id,subjects_type]: id,note_id,subjects_id,order,-,subjects_type,field by order,id, note_id in notes = api::author.author',
    ],
    [
      'tag',
      'related: files_related_mph[related_id,related_type]: id,file_id,related_id,order,-,related_type,field by order,id, file_id in files = api::tag.tag; tags: articles_tags_lnk[tag_id]: id,article_id,tag_id,tag_ord,article_ord,-,- by tag_ord,id, article_id in articles; about: notes[target_id,target_type]: id,id,target_id,-,-,target_type,- by id = api::tag.tag; subjects: notes_subjects_mph[subjects_id,subjects_type]: id,note_id,subjects_id,order,-,subjects_type,field by order,id, note_id in notes = api::tag.tag',
    ],
    [
      'place',
      'related: files_related_mph[related_id,related_type]: id,file_id,related_id,order,-,related_type,field by order,id, file_id in files = api::place.place; home: authors_home_lnk[place_id]: id,author_id,place_id,-,-,-,- by id, author_id in authors; about: notes[target_id,target_type]: id,id,target_id,-,-,target_type,- by id = api::place.place; subjects: notes_subjects_mph[subjects_id,subjects_type]: id,note_id,subjects_id,order,-,subjects_type,field by order,id, note_id in notes = api::place.place',
    ],
    [
      'note',
      'related: files_related_mph[related_id,related_type]: id,file_id,related_id,order,-,related_type,field by order,id, file_id in files = api::note.note; about: notes[target_id,target_type]: id,id,target_id,-,-,target_type,- by id = api::note.note; subjects: notes_subjects_mph[subjects_id,subjects_type]: id,note_id,subjects_id,order,-,subjects_type,field by order,id, note_id in notes = api::note.note',
    ],
    ['shared.seo', ''],
  ]);
  table('ties of components', ties, [
    [
      'article',
      'articles_cmps[entity_id]: id,entity_id,field,component_type,cmp_id,order by order,id, cmp_id in cmp_links|cmp_seos; articles_cmps[entity_id,field]: id,entity_id,field,component_type,cmp_id,order by order,id, cmp_id in cmp_links|cmp_seos',
    ],
    ['author', 'none'],
    ['shared.link', 'none'],
  ]);

  it('give each query of a project a key of its own', () => {
    const models = [...catalog.contentTypes.keys(), ...catalog.components.keys()].map((uid) => plans.of(uid));
    const asked = models.flatMap(({ contentQuery, versionQuery, targetQuery, links, incoming, ties }) => [
      ...[contentQuery, versionQuery, targetQuery],
      ...[...links.values()].flatMap(({ bySource }) => (bySource ? [bySource.query] : [])),
      ...incoming.map(({ byTarget }) => byTarget.query),
      ...(ties ? [ties.byOwner, ties.byField] : []),
    ]);
    strictEqual(new Set(asked.map(({ key }) => key)).size, asked.length);
  });
});
