/** Filters as users write them, planned: columns, steps to other rows, and negations that have moved down to the tests. */
import { describe } from 'node:test';
import { planText, printCondition } from '../../support/queries/planned.ts';
import { table } from '../../support/tables.ts';

/** `filters` left out of each row, and the type before it, unless it is not `article`: `[title]=a`. */
const asked = (text: string): string => {
  const [, type = 'article', filters = ''] = /^(?:(\w+)\?)?(.*)$/.exec(text)!;
  return `${type}?${filters
    .split('&')
    .map((part) => (part.startsWith('[') ? `filters${part}` : part))
    .join('&')}`;
};
const where = (text: string): string => {
  const { plan, values } = planText(asked(text));
  return printCondition(plan.where, values);
};
/** What the operands become before they are bound. */
const kinds = (text: string): string => {
  const { kinds, values } = planText(asked(text));
  const printed = [...kinds].map(([slot, kind]) => {
    const field = kind.kind === 'value' ? `${kind.type} of ${kind.field}` : kind.kind;
    return `${JSON.stringify(values[slot])} ${field}`;
  });
  return printed.filter((line) => !line.endsWith(' count')).join(', ');
};

describe('planned filters', () => {
  table('tests of columns', where, [
    ['', 'everything'],
    ['[title]=a', 'title $eq "a"'],
    ['[documentId]=x', 'document_id $eq "x"'],
    ['[id]=3', 'id $eq "3"'],
    ['[createdAt][$gt]=2026-01-01', 'created_at $gt "2026-01-01"'],
    ['[locale][$ne]=fr', 'locale $ne "fr"'],
    ['[locale]=fr&[title]=a', 'title $eq "a"'],
    ['[views][$in][]=1&[views][$in][]=2', 'views $in "1", "2"'],
    ['[views][$between][]=1&[views][$between][]=9', 'views $between "1", "9"'],
    ['[title][$contains]=a', 'title $contains "a"'],
    ['[title][$null]=true', 'title isNull'],
    ['[meta][$null]=true', 'meta isNull'],
    ['[title]', 'title isNull'],
    ['[title]=a&[title]=b', '(title $eq "a" | title $eq "b")'],
    ['[title]=a&[views][$gte]=3', '(title $eq "a" & views $gte "3")'],
  ]);

  table('groups', where, [
    ['[$or][0][title]=a&[$or][1][views]=3', '(title $eq "a" | views $eq "3")'],
    [
      '[$and][0][title]=a&[$and][1][$or][0][views]=1&[$and][1][$or][1][views]=2',
      '(title $eq "a" & (views $eq "1" | views $eq "2"))',
    ],
    ['[$or][0][title]=a', '(title $eq "a")'],
    ['[views][$or][0][$lt]=1&[views][$or][1][$gt]=9', '(views $lt "1" | views $gt "9")'],
  ]);

  table('negation moves to the tests', where, [
    ['[$not][title]=a', 'title $eq "a" is false'],
    ['[title][$not]=a', 'title $eq "a" is false'],
    ['[title][$not][$contains]=a', 'title $contains "a" is false'],
    ['[$not][$not][title]=a', 'title $eq "a"'],
    ['[$not][title]=a&[$not][views]=3', '(title $eq "a" is false | views $eq "3" is false)'],
    ['[$not][$or][0][title]=a&[$not][$or][1][views]=3', '(title $eq "a" is false & views $eq "3" is false)'],
    ['[$not][$and][0][title]=a&[$not][$and][1][views]=3', '(title $eq "a" is false | views $eq "3" is false)'],
    ['[title][$not][$null]=true', 'title isNull is false'],
    ['[views][$not][$gt]=1&[views][$not][$lt]=9', '(views $gt "1" is false | views $lt "9" is false)'],
    ['[$or][0][$not][title]=a&[$or][1][title]=b', '(title $eq "a" is false | title $eq "b")'],
  ]);

  table('steps to one row', where, [
    ['[author][name]=Ann', 'some authors by link articles_author_lnk article_id author_id {name $eq "Ann"}'],
    [
      '[author][name]=Ann&[author][age][$gt]=3',
      'some authors by link articles_author_lnk article_id author_id {(name $eq "Ann" & age $gt "3")}',
    ],
    [
      '[author][home][code]=FR',
      'some authors by link articles_author_lnk article_id author_id {some places by link authors_home_lnk author_id place_id {code $eq "FR"}}',
    ],
    ['[cover][name]=a', 'some files by media files_related_mph api::article.article cover {name $eq "a"}'],
    ['[seo][metaTitle]=a', 'some cmp_seos by component articles_cmps seo shared.seo {meta_title $eq "a"}'],
    ['author?[home][code]=FR', 'some places by link authors_home_lnk author_id place_id {code $eq "FR"}'],
    ['[author]=3', 'some authors by link articles_author_lnk article_id author_id {id $eq "3"}'],
    [
      '[author][$in][]=3&[author][$in][]=4',
      'some authors by link articles_author_lnk article_id author_id {id $in "3", "4"}',
    ],
    ['[author][$null]=true', 'no authors by link articles_author_lnk article_id author_id'],
    ['[author][$notNull]=true', 'some authors by link articles_author_lnk article_id author_id {id notNull}'],
    ['[author][name][$null]=true', 'some or no authors by link articles_author_lnk article_id author_id {name isNull}'],
    ['[author][name][$notNull]=true', 'some authors by link articles_author_lnk article_id author_id {name notNull}'],
    ['[author][id][$null]=true', 'no authors by link articles_author_lnk article_id author_id'],
  ]);

  table('steps to lists', where, [
    ['[tags][name]=red', 'some tags[published] by link articles_tags_lnk article_id tag_id tag_ord {name $eq "red"}'],
    [
      '[tags][name]=red&[tags][weight]=3',
      'some tags[published] by link articles_tags_lnk article_id tag_id tag_ord {(name $eq "red" & weight $eq "3")}',
    ],
    [
      '[$and][0][tags][name]=red&[$and][1][tags][name]=blue',
      '(some tags[published] by link articles_tags_lnk article_id tag_id tag_ord {name $eq "red"} & some tags[published] by link articles_tags_lnk article_id tag_id tag_ord {name $eq "blue"})',
    ],
    ['[links][label]=a', 'some cmp_links by component articles_cmps links shared.link {label $eq "a"}'],
    [
      '[links][target][title]=a',
      'some cmp_links by component articles_cmps links shared.link {some articles[published] by link cmp_links_target_lnk link_id article_id {title $eq "a"}}',
    ],
    ['[gallery][name]=a', 'some files by media files_related_mph api::article.article gallery {name $eq "a"}'],
    ['[localizations][title]=a', 'some articles[published] by versions {title $eq "a"}'],
    [
      'author?[articles][title]=a',
      'some articles[published] by link articles_author_lnk author_id article_id article_ord {title $eq "a"}',
    ],
    [
      'tag?[articles][author][name]=Ann',
      'some articles[published] by link articles_tags_lnk tag_id article_id article_ord {some authors by link articles_author_lnk article_id author_id {name $eq "Ann"}}',
    ],
    ['[tags]=3', 'some tags[published] by link articles_tags_lnk article_id tag_id tag_ord {id $eq "3"}'],
    ['[tags][$null]=true', 'no tags[published] by link articles_tags_lnk article_id tag_id tag_ord'],
    ['[tags][$notNull]=true', 'some tags[published] by link articles_tags_lnk article_id tag_id tag_ord {id notNull}'],
    [
      '[tags][name][$null]=true',
      'some or no tags[published] by link articles_tags_lnk article_id tag_id tag_ord {name isNull}',
    ],
    [
      '[tags][name][$notNull]=true',
      'some tags[published] by link articles_tags_lnk article_id tag_id tag_ord {name notNull}',
    ],
  ]);

  table('negated steps to one row reach the test within', where, [
    [
      '[$not][author][name]=Ann',
      'some authors by link articles_author_lnk article_id author_id {name $eq "Ann" is false}',
    ],
    [
      '[author][$not][name]=Ann',
      'some authors by link articles_author_lnk article_id author_id {name $eq "Ann" is false}',
    ],
    [
      '[author][name][$not]=Ann',
      'some authors by link articles_author_lnk article_id author_id {name $eq "Ann" is false}',
    ],
    [
      '[$not][author][$not][name]=Ann',
      'some authors by link articles_author_lnk article_id author_id {name $eq "Ann"}',
    ],
    [
      '[$not][author][name][$null]=true',
      'some authors by link articles_author_lnk article_id author_id {name isNull is false}',
    ],
    ['[$not][author][$null]=true', 'some authors by link articles_author_lnk article_id author_id {id notNull}'],
    [
      '[$not][author][name]=Ann&[$not][author][age]=3',
      'some authors by link articles_author_lnk article_id author_id {(name $eq "Ann" is false | age $eq "3" is false)}',
    ],
    [
      '[$not][author][home][code]=FR',
      'some authors by link articles_author_lnk article_id author_id {some places by link authors_home_lnk author_id place_id {code $eq "FR" is false}}',
    ],
    [
      '[$not][seo][metaTitle]=a',
      'some cmp_seos by component articles_cmps seo shared.seo {meta_title $eq "a" is false}',
    ],
    [
      '[$not][author][$or][0][name]=a&[$not][author][$or][1][name][$null]=true',
      'some authors by link articles_author_lnk article_id author_id {(name $eq "a" is false & name isNull is false)}',
    ],
  ]);

  table('negated steps to lists say that no row meets them', where, [
    [
      '[$not][tags][name]=red',
      'no tags[published] by link articles_tags_lnk article_id tag_id tag_ord {name $eq "red" is not false}',
    ],
    [
      '[tags][$not][name]=red',
      'some tags[published] by link articles_tags_lnk article_id tag_id tag_ord {name $eq "red" is false}',
    ],
    [
      '[tags][name][$ne]=red',
      'some tags[published] by link articles_tags_lnk article_id tag_id tag_ord {name $ne "red"}',
    ],
    [
      '[tags][name][$not]=red',
      'some tags[published] by link articles_tags_lnk article_id tag_id tag_ord {name $eq "red" is false}',
    ],
    [
      '[$not][tags][$not][name]=red',
      'no tags[published] by link articles_tags_lnk article_id tag_id tag_ord {name $eq "red" is not true}',
    ],
    [
      '[$not][tags][name][$null]=true',
      '(some tags[published] by link articles_tags_lnk article_id tag_id tag_ord {id notNull} & no tags[published] by link articles_tags_lnk article_id tag_id tag_ord {name isNull is not false})',
    ],
    [
      '[tags][$not][name][$null]=true',
      'some tags[published] by link articles_tags_lnk article_id tag_id tag_ord {name isNull is false}',
    ],
    [
      '[$not][tags][$null]=true',
      'some tags[published] by link articles_tags_lnk article_id tag_id tag_ord {id notNull}',
    ],
    ['[$not][tags][$notNull]=true', 'no tags[published] by link articles_tags_lnk article_id tag_id tag_ord'],
    [
      '[$not][tags][articles][title]=a',
      'no tags[published] by link articles_tags_lnk article_id tag_id tag_ord {some articles[published] by link articles_tags_lnk tag_id article_id article_ord {title $eq "a" is not false}}',
    ],
    [
      '[$not][tags][$not][articles][$not][title]=a',
      'no tags[published] by link articles_tags_lnk article_id tag_id tag_ord {no articles[published] by link articles_tags_lnk tag_id article_id article_ord {title $eq "a" is false}}',
    ],
    [
      '[$not][tags][name]=red&[$not][tags][weight]=3',
      'no tags[published] by link articles_tags_lnk article_id tag_id tag_ord {(name $eq "red" is not false & weight $eq "3" is not false)}',
    ],
    [
      '[$not][author][articles][title]=a',
      'some authors by link articles_author_lnk article_id author_id {no articles[published] by link articles_author_lnk author_id article_id article_ord {title $eq "a" is not false}}',
    ],
    [
      '[$not][tags][$or][0][name]=a&[$not][tags][$or][1][name][$null]=true',
      '(some tags[published] by link articles_tags_lnk article_id tag_id tag_ord {id notNull} & no tags[published] by link articles_tags_lnk article_id tag_id tag_ord {(name $eq "a" is not false | name isNull is not false)})',
    ],
    [
      '[tags][articles][name]=a',
      'ValidationError: Invalid key name at tags.articles {"key":"name","path":"tags.articles","source":"query","param":"filters"}',
    ],
  ]);

  table('rows of other types have the status asked for, whatever the cohort', where, [
    [
      '[tags][name]=red&status=draft',
      'some tags[draft] by link articles_tags_lnk article_id tag_id tag_ord {name $eq "red"}',
    ],
    [
      '[tags][name]=red&status=draft&publicationFilter=modified',
      'some tags[draft] by link articles_tags_lnk article_id tag_id tag_ord {name $eq "red"}',
    ],
    ['[author][name]=a&status=draft', 'some authors by link articles_author_lnk article_id author_id {name $eq "a"}'],
    [
      'author?[articles][title]=a&status=draft',
      'some articles[draft] by link articles_author_lnk author_id article_id article_ord {title $eq "a"}',
    ],
    [
      'author?[articles][title]=a',
      'some articles[published] by link articles_author_lnk author_id article_id article_ord {title $eq "a"}',
    ],
    [
      'author?[articles][tags][name]=a&publicationFilter=modified',
      'some articles[published] by link articles_author_lnk author_id article_id article_ord {some tags[published] by link articles_tags_lnk article_id tag_id tag_ord {name $eq "a"}}',
    ],
    ['[localizations][title]=a&status=draft', 'some articles[draft] by versions {title $eq "a"}'],
    [
      '[links][target][title]=a&status=draft',
      'some cmp_links by component articles_cmps links shared.link {some articles[draft] by link cmp_links_target_lnk link_id article_id {title $eq "a"}}',
    ],
    [
      '[cover][related][id]=1',
      'ValidationError: Invalid key related at cover.related {"key":"related","path":"cover.related","source":"query","param":"filters"}',
    ],
    ['[tags][$null]=true&status=draft', 'no tags[draft] by link articles_tags_lnk article_id tag_id tag_ord'],
  ]);

  table('rows that lead anywhere', where, [
    ['place?[notes][text]=a', 'some notes by morphColumns target_id target_type api::place.place {text $eq "a"}'],
    [
      'place?[$not][notes][text]=a',
      'no notes by morphColumns target_id target_type api::place.place {text $eq "a" is not false}',
    ],
    [
      'note?[about][id]=1',
      'ValidationError: Invalid key about {"key":"about","path":"about","source":"query","param":"filters"}',
    ],
    [
      'note?[subjects][id]=1',
      'ValidationError: Invalid key subjects {"key":"subjects","path":"subjects","source":"query","param":"filters"}',
    ],
    [
      '[zone][id]=1',
      'ValidationError: Invalid key zone {"key":"zone","path":"zone","source":"query","param":"filters"}',
    ],
    ['file?[name]=a', 'name $eq "a"'],
  ]);

  table('names that are refused', where, [
    [
      '[hidden]=a',
      'ValidationError: Invalid key hidden {"key":"hidden","path":"hidden","source":"query","param":"filters"}',
    ],
    [
      '[titel]=a',
      'ValidationError: Invalid key titel {"key":"titel","path":null,"source":"query","param":"filters","hint":"did you mean title?"}',
    ],
    [
      '[title][$foo]=a',
      'ValidationError: Invalid key $foo at title {"key":"$foo","path":"title","source":"query","param":"filters"}',
    ],
    [
      '[title][name]=a',
      'ValidationError: Invalid key name at title {"key":"name","path":"title","source":"query","param":"filters"}',
    ],
    [
      '[author][nope]=a',
      'ValidationError: Invalid key nope at author {"key":"nope","path":"author","source":"query","param":"filters"}',
    ],
    [
      '[author][$contains]=a',
      'ValidationError: Invalid key $contains at author {"key":"$contains","path":"author","source":"query","param":"filters","hint":"compare an attribute of it: filters[author][name][$contains]=…"}',
    ],
    [
      '[meta][a]=1',
      'ValidationError: Invalid key a at meta {"key":"a","path":"meta","source":"query","param":"filters"}',
    ],
    [
      '[meta][$contains]=a',
      'ValidationError: Invalid key $contains at meta {"key":"$contains","path":"meta","source":"query","param":"filters"}',
    ],
    ['[$eq]=a', 'ValidationError: Invalid key $eq {"key":"$eq","path":null,"source":"query","param":"filters"}'],
    [
      '[createdBy][id]=1',
      'ValidationError: Invalid key createdBy {"key":"createdBy","path":"createdBy","source":"query","param":"filters"}',
    ],
    ['[tags]=3&[tags][name]=a', 'ValidationError: The operator $eq takes a value or a list of values'],
    [
      '[author][$eq]=3&[author][name]=a',
      'ValidationError: A relation takes one operator, or filters on its fields, not both',
    ],
    [
      'author?[locale]=fr',
      'ValidationError: Invalid key locale {"key":"locale","path":"locale","source":"query","param":"filters"}',
    ],
    [
      'author?[localizations][id]=1',
      'ValidationError: Invalid key localizations {"key":"localizations","path":"localizations","source":"query","param":"filters"}',
    ],
    [
      'note?[constructor]=a',
      'ValidationError: Invalid key constructor {"key":"constructor","path":null,"source":"query","param":"filters"}',
    ],
    [
      '[toString]=a',
      'ValidationError: Invalid key toString {"key":"toString","path":null,"source":"query","param":"filters"}',
    ],
    [
      '[author.name]=a',
      'ValidationError: Invalid key author.name {"key":"author.name","path":null,"source":"query","param":"filters"}',
    ],
  ]);

  table('what operands become', kinds, [
    ['[title]=a', '"a" string of title'],
    ['[title][$eqi]=A', '"A" folded'],
    ['[title][$nei]=A', '"A" folded'],
    ['[views][$eqi]=3', '"3" integer of views'],
    ['[title][$contains]=a', '"a" text'],
    ['[title][$notContains]=a', '"a" text'],
    ['[title][$startsWith]=a', '"a" text'],
    ['[title][$endsWith]=a', '"a" text'],
    ['[title][$containsi]=a', '"a" folded'],
    ['[title][$notContainsi]=a', '"a" folded'],
    ['[title][$startsWithi]=a', '"a" folded'],
    ['[title][$endsWithi]=a', '"a" folded'],
    ['[views][$gt]=3', '"3" integer of views'],
    ['[views][$contains]=3', '"3" text'],
    ['[featured]=true', '"true" boolean of featured'],
    ['[day][$between][]=2026-01-01&[day][$between][]=2026-02-01', '"2026-01-01" date of day, "2026-02-01" date of day'],
    ['[big][$in][]=1&[big][$in][]=2', '"1" biginteger of big, "2" biginteger of big'],
    ['[id]=3', '"3" id of id'],
    ['[author]=3', '"3" id of id'],
    ['[author][age]=3', '"3" integer of age'],
    ['[documentId]=x', '"x" string of documentId'],
    ['[createdAt][$lt]=2026-01-01', '"2026-01-01" datetime of createdAt'],
    ['[title][$null]=true', ''],
    ['[body][$eqi]=a', '"a" folded'],
    ['[documentId][$eqi]=a', '"a" folded'],
    ['[locale][$eqi]=EN', '"EN" folded'],
    ['[$not][views]=3', '"3" integer of views'],
  ]);
});
