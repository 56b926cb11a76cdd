/** Filters as users write them, and the trees that come of them. */
import { describe } from 'node:test';
import { parseFilters } from '../../../src/query/filters.ts';
import { parseParams } from '../../../src/query/params.ts';
import { printFilter } from '../../support/queries/printed-query.ts';
import { table } from '../../support/tables.ts';

/** `filters` left out of each row: `[title]=a` is `filters[title]=a`. */
function filters(text: string): string {
  const values: unknown[] = [];
  const query = text.split('&').map((part) => `filters${part}`);
  return printFilter(parseFilters(parseParams(query.join('&'))['filters'], values), values);
}

/** The refusal of a group that is no list. */
const NO_LIST = (key: string) =>
  `ValidationError: The operator ${key} takes a list of filters {"hint":"number the filters, such as filters[${key}][0][title]…"}`;

describe('filters', () => {
  table('nothing to filter by', filters, [
    ['', 'none'],
    ['[title][]', 'title = isNull as $eq'],
    ['[$and][0]=', 'none'],
    ['[]=', 'none'],
    ['[$or][]=', 'none'],
    ['[title][$in][]=', 'title $in null'],
    ['=', 'ValidationError: The filters parameter must be an object or an array'],
    ['=a', 'ValidationError: The filters parameter must be an object or an array'],
    ['[]=a', 'ValidationError: The filters parameter must be an object or an array'],
    ['[0]=a', 'ValidationError: The filters parameter must be an object or an array'],
    ['[0][title]=a', 'ValidationError: The filters parameter must be an object of names'],
    ['[0][title]=a&[1][title]=b', 'ValidationError: The filters parameter must be an object of names'],
    ['[][title]=a', 'ValidationError: The filters parameter must be an object of names'],
  ]);

  table('a bare value is $eq', filters, [
    ['[title]=a', 'title = $eq "a"'],
    ['[title]=', 'title = $eq ""'],
    ['[title]', 'title = isNull as $eq'],
    ['[title]=a&[title]=b', 'title = ($eq "a" | $eq "b")'],
    ['[title][]=a', 'title = $eq "a"'],
    ['[title][0]=a&[title][1]=b', 'title = ($eq "a" | $eq "b")'],
    ['[title]=a&[views]=1', '(title = $eq "a" & views = $eq "1")'],
    ['[author][name]=Ann', 'author name = $eq "Ann"'],
    ['[author][country][code]=FR', 'author country code = $eq "FR"'],
    ['[a.b]=1', 'a.b = $eq "1"'],
  ]);

  table('operators of one value', filters, [
    ['[t][$eq]=a', 't $eq "a"'],
    ['[t][$eqi]=a', 't $eqi "a"'],
    ['[t][$ne]=a', 't $ne "a"'],
    ['[t][$nei]=a', 't $nei "a"'],
    ['[t][$lt]=1', 't $lt "1"'],
    ['[t][$lte]=1', 't $lte "1"'],
    ['[t][$gt]=1', 't $gt "1"'],
    ['[t][$gte]=1', 't $gte "1"'],
    ['[t][$contains]=a', 't $contains "a"'],
    ['[t][$notContains]=a', 't $notContains "a"'],
    ['[t][$containsi]=a', 't $containsi "a"'],
    ['[t][$notContainsi]=a', 't $notContainsi "a"'],
    ['[t][$startsWith]=a', 't $startsWith "a"'],
    ['[t][$startsWithi]=a', 't $startsWithi "a"'],
    ['[t][$endsWith]=a', 't $endsWith "a"'],
    ['[t][$endsWithi]=a', 't $endsWithi "a"'],
    ['[t][$eq]=', 't $eq ""'],
    ['[t][$contains]=', 't $contains ""'],
  ]);

  table('a list under an operator of one value means any', filters, [
    ['[t][$ne]=a&[t][$ne]=b', 't ($ne "a" | $ne "b")'],
    ['[t][$ne][]=a', 't $ne "a"'],
    ['[t][$gt][0]=1&[t][$gt][1]=2', 't ($gt "1" | $gt "2")'],
    ['[t][$contains][]=a&[t][$contains][]=b', 't ($contains "a" | $contains "b")'],
    ['[t][$eq][]=a&[t][$eq][]', 't ($eq "a" | isNull as $eq)'],
  ]);

  table('missing operands', filters, [
    ['[t]', 't = isNull as $eq'],
    ['[t][$eq]', 't isNull as $eq'],
    ['[t][$eqi]', 't isNull as $eqi'],
    ['[t][$ne]', 't notNull as $ne'],
    ['[t][$nei]', 't notNull as $nei'],
    ['[t][$lt]', 't $lt null'],
    ['[t][$contains]', 't $contains null'],
    ['[t][$in]', 't $in null'],
    ['[t][$in][]', 't $in null'],
    ['[t][$notIn]', 't $notIn null'],
    ['[t][$in]=', 't $in ""'],
    ['[t][$between]', 'ValidationError: The operator $between takes exactly two values'],
  ]);

  table('lists of values', filters, [
    ['[t][$in]=a', 't $in "a"'],
    ['[t][$in]=a,b', 't $in "a,b"'],
    ['[t][$in][]=a', 't $in "a"'],
    ['[t][$in][0]=a&[t][$in][1]=b', 't $in "a", "b"'],
    ['[t][$in]=a&[t][$in]=b', 't $in "a", "b"'],
    ['[t][$in][3]=a', 't $in "a"'],
    ['[t][$notIn][]=a&[t][$notIn][]=b', 't $notIn "a", "b"'],
    ['[t][$in][]=a&[t][$in][]', 't $in "a", null'],
    ['[t][$in][a]=x', 'ValidationError: The operator $in takes a value or a list of values'],
    ['[t][$in][0][a]=x', 'ValidationError: The operator $in takes a value or a list of values'],
    ['[t][$notIn][0][0]=x', 'ValidationError: The operator $notIn takes a value or a list of values'],
  ]);

  table('two bounds', filters, [
    ['[t][$between][]=1&[t][$between][]=2', 't $between "1", "2"'],
    ['[t][$between][0]=2&[t][$between][1]=1', 't $between "2", "1"'],
    ['[t][$between]=1&[t][$between]=2', 't $between "1", "2"'],
    ['[t][$between]=1', 'ValidationError: The operator $between takes exactly two values'],
    ['[t][$between]=1,2', 'ValidationError: The operator $between takes exactly two values'],
    [
      '[t][$between][]=1&[t][$between][]=2&[t][$between][]=3',
      'ValidationError: The operator $between takes exactly two values',
    ],
    [
      '[t][$between][from]=1&[t][$between][to]=2',
      'ValidationError: The operator $between takes a value or a list of values',
    ],
  ]);

  table('presence', filters, [
    ['[t][$null]=true', 't isNull as $null'],
    ['[t][$null]=t', 't isNull as $null'],
    ['[t][$null]=1', 't isNull as $null'],
    ['[t][$null]=yes', 't isNull as $null'],
    ['[t][$null]=TRUE', 't isNull as $null'],
    ['[t][$null]=false', 't notNull as $null'],
    ['[t][$null]=f', 't notNull as $null'],
    ['[t][$null]=0', 't notNull as $null'],
    ['[t][$null]=', 't notNull as $null'],
    ['[t][$null]', 't notNull as $null'],
    ['[t][$notNull]=true', 't notNull as $notNull'],
    ['[t][$notNull]=false', 't isNull as $notNull'],
    ['[t][$notNull]', 't isNull as $notNull'],
    ['[t][$notNull]=FALSE', 't notNull as $notNull'],
    ['[t][$null]=true&[t][$null]=false', 'ValidationError: The operator $null takes one value'],
    ['[t][$null][]=true', 't isNull as $null'],
    ['[t][$null][a]=true', 'ValidationError: The operator $null takes one value'],
  ]);

  table('what stands side by side must all hold', filters, [
    ['[t][$gt]=1&[t][$lt]=9', 't ($gt "1" & $lt "9")'],
    ['[t][$gt]=1&[u]=2&[v][$null]=true', '(t $gt "1" & u = $eq "2" & v isNull as $null)'],
    ['[author][name]=a&[author][age][$gt]=3', 'author (name = $eq "a" & age $gt "3")'],
    ['[author][name]=a&[t]=1&[author][age]=3', '(author (name = $eq "a" & age = $eq "3") & t = $eq "1")'],
  ]);

  table('groups', filters, [
    ['[$and][0][t]=1&[$and][1][u]=2', '$and(t = $eq "1", u = $eq "2")'],
    ['[$or][0][t]=1&[$or][1][u]=2', '$or(t = $eq "1", u = $eq "2")'],
    ['[$or][0][t]=1', '$or(t = $eq "1")'],
    ['[$or][][t]=1', '$or(t = $eq "1")'],
    ['[$or][0][t]=1&[$or][0][u]=2', '$or((t = $eq "1" & u = $eq "2"))'],
    ['[$or][0][$and][0][t]=1&[$or][0][$and][1][u]=2&[$or][1][v]=3', '$or($and(t = $eq "1", u = $eq "2"), v = $eq "3")'],
    ['[$and][3][t]=1&[$and][9][u]=2', '$and(t = $eq "1", u = $eq "2")'],
    ['[$or][0][t]=1&[u]=2', '($or(t = $eq "1") & u = $eq "2")'],
    ['[author][$or][0][name]=a&[author][$or][1][age]=3', 'author $or(name = $eq "a", age = $eq "3")'],
    ['[t][$or][0][$eq]=1&[t][$or][1][$gt]=9', 't $or($eq "1", $gt "9")'],
    ['[t][$and][0][$not][$eq]=1', 't $and(!$eq "1")'],
    ['[$or]=a', NO_LIST('$or')],
    ['[$or]', NO_LIST('$or')],
    ['[$or]=', NO_LIST('$or')],
    ['[$or][t]=1', NO_LIST('$or')],
    ['[$or][0]=a', NO_LIST('$or')],
    ['[$or][0][t]=1&[$or][1]=a', NO_LIST('$or')],
    ['[$and][0][0][t]=1', NO_LIST('$and')],
    ['[$and][0]', 'none'],
  ]);

  table('negation', filters, [
    ['[$not][t]=1', '!t = $eq "1"'],
    ['[$not][$not][t]=1', '!!t = $eq "1"'],
    ['[$not][t]=1&[$not][u]=2', '!(t = $eq "1" & u = $eq "2")'],
    ['[$not][$or][0][t]=1&[$not][$or][1][u]=2', '!$or(t = $eq "1", u = $eq "2")'],
    ['[t][$not][$eq]=1', 't !$eq "1"'],
    ['[t][$not]=1', 't !$eq as $not "1"'],
    ['[t][$not]', 't !isNull as $not'],
    ['[t][$not]=', 't !$eq as $not ""'],
    ['[t][$not][]=1&[t][$not][]=2', 't !($eq as $not "1" | $eq as $not "2")'],
    ['[t][$not][$in][]=1', 't !$in "1"'],
    ['[t][$not][$null]=true', 't !isNull as $null'],
    ['[author][$not][name]=a', 'author !name = $eq "a"'],
    ['[$not][author][name]=a', '!author name = $eq "a"'],
    [
      '[$not][0][t]=1',
      'ValidationError: The operator $not takes one filter, not a list {"hint":"put the list into a group, such as filters[$not][$or][0][title]…"}',
    ],
    ['[$not]=t', '!$eq as $not "t"'],
    ['[$not]', '!isNull as $not'],
    ['[t][$not][$gt]=1&[t][$not][$lt]=9', 't !($gt "1" & $lt "9")'],
    ['[tags][$not][articles][$not][title]=a', 'tags !articles !title = $eq "a"'],
  ]);

  table('words that are no operators stay names', filters, [
    ['[t][$foo]=1', 't $foo = $eq "1"'],
    ['[t][eq]=1', 't eq = $eq "1"'],
    ['[t][$EQ]=1', 't $EQ = $eq "1"'],
    ['[$eq]=1', '$eq "1"'],
    ['[$in][]=1', '$in "1"'],
    ['[$null]=true', 'isNull as $null'],
    ['[$foo][t]=1', '$foo t = $eq "1"'],
    ['[t][$eq][x]=1', 'ValidationError: The operator $eq takes a value or a list of values'],
    ['[t][$gt][$lt]=1', 'ValidationError: The operator $gt takes a value or a list of values'],
    ['[t][constructor]=1', 't constructor = $eq "1"'],
    ['[constructor][name]=1', 'constructor name = $eq "1"'],
    ['[t][__proto__]=1', 'ValidationError: Invalid key __proto__ in the query string'],
    ['[t][$eq]=__proto__', 't $eq "__proto__"'],
    ['[toString]=1', 'toString = $eq "1"'],
  ]);
});
