/** Sort keys in their many forms. */
import { describe } from 'node:test';
import { parseParams } from '../../../src/query/params.ts';
import { isOrder, parseSort } from '../../../src/query/sort.ts';
import { printSort } from '../../support/queries/printed-query.ts';
import { table } from '../../support/tables.ts';

const sort = (text: string): string => printSort(parseSort(parseParams(text)['sort']));
const order = (text: string): string => String(isOrder(text));

describe('sort', () => {
  table('texts', sort, [
    ['', 'none'],
    ['sort', 'none'],
    ['sort=', 'none'],
    ['sort=a', 'a asc'],
    ['sort=a:asc', 'a asc "asc"'],
    ['sort=a:desc', 'a desc "desc"'],
    ['sort=a:DESC', 'a desc "DESC"'],
    ['sort=a:Desc', 'a desc "Desc"'],
    ['sort=a,b:desc', 'a asc, b desc "desc"'],
    ['sort= a : desc , b ', 'a desc "desc", b asc'],
    ['sort=,', 'none'],
    ['sort=,a,,b,', 'a asc, b asc'],
    ['sort=:desc', 'none'],
    ['sort=a:', 'a asc ""'],
    ['sort=a:up', 'a asc "up"'],
    ['sort=a:desc:asc', 'a desc "desc"'],
    ['sort=-a', '"-a" asc'],
    ['sort=a desc', '"a desc" asc'],
    ['sort=a%3Adesc%2Cb', 'a desc "desc", b asc'],
    ['sort=a:desc,a:asc', 'a desc "desc", a asc "asc"'],
  ]);

  table('dotted names', sort, [
    ['sort=author.name', 'author.name asc'],
    ['sort=author.name:desc', 'author.name desc "desc"'],
    ['sort=author.country.code:asc', 'author.country.code asc "asc"'],
    ['sort=a..b', 'a."".b asc'],
    ['sort=.a', '"".a asc'],
    ['sort=a.', 'a."" asc'],
    ['sort=a . b', '"a "." b" asc'],
    ['sort=.', '""."" asc'],
  ]);

  table('lists', sort, [
    ['sort[]=a&sort[]=b:desc', 'a asc, b desc "desc"'],
    ['sort[0]=b&sort[1]=a', 'b asc, a asc'],
    ['sort=a&sort=b', 'a asc, b asc'],
    ['sort[0]=a,b:desc&sort[1]=c', 'a asc, b desc "desc", c asc'],
    ['sort[]', 'none'],
    ['sort[]=', 'none'],
    ['sort[0][a]=desc&sort[1][b]=asc', 'a desc "desc", b asc "asc"'],
    ['sort[0]=a&sort[1][b]=desc', 'a asc, b desc "desc"'],
    ['sort[0][0]=a', 'a asc'],
    ['sort[][author][name]=desc', 'author.name desc "desc"'],
  ]);

  table('objects', sort, [
    ['sort[a]=desc', 'a desc "desc"'],
    ['sort[a]=asc&sort[b]=desc', 'a asc "asc", b desc "desc"'],
    ['sort[a]', 'none'],
    ['sort[a]=', 'none'],
    ['sort[a]= ', 'none'],
    ['sort[a]= desc ', 'a desc "desc"'],
    ['sort[a]=up', 'a asc "up"'],
    ['sort[author][name]=asc', 'author.name asc "asc"'],
    ['sort[author][name]=asc&sort[author][age]=desc', 'author.name asc "asc", author.age desc "desc"'],
    ['sort[author][country][code]=desc', 'author.country.code desc "desc"'],
    ['sort[author.name]=desc', '"author.name" desc "desc"'],
    ['sort[a][]=asc', 'a asc "asc"'],
    ['sort[a][]=asc&sort[a][]=desc', 'ValidationError: The sort parameter takes one order for a'],
    ['sort[a]=asc&sort[a]=desc', 'ValidationError: The sort parameter takes one order for a'],
    ['sort[constructor]=asc', 'constructor asc "asc"'],
    ['sort[__proto__]=asc', 'ValidationError: Invalid key __proto__ in the query string'],
    ['sort[a][desc]=', 'none'],
    ['sort[a,b]=asc', '"a,b" asc "asc"'],
  ]);

  table('words of order, in any letter case', order, [
    ['asc', 'true'],
    ['ASC', 'true'],
    ['Desc', 'true'],
    ['desc', 'true'],
    ['', 'false'],
    ['up', 'false'],
    ['ascending', 'false'],
    [' asc', 'false'],
    ['desc\n', 'false'],
  ]);
});
