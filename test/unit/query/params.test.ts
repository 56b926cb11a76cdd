/** Query strings become plain values: texts, lists and objects, without their meaning. */
import { describe } from 'node:test';
import { parseParams } from '../../../src/query/params.ts';
import { table } from '../../support/tables.ts';

const params = (text: string): string => JSON.stringify(parseParams(text));

describe('parameters of a query string', () => {
  table('names and values', params, [
    ['', '{}'],
    ['a=1', '{"a":"1"}'],
    ['a=1&b=2', '{"a":"1","b":"2"}'],
    ['a', '{"a":null}'],
    ['a=', '{"a":""}'],
    ['=1', '{}'],
    ['a==b', '{"a":"=b"}'],
    ['a=1=2', '{"a":"1=2"}'],
    ['&&a=1&&', '{"a":"1"}'],
    ['a=1;b=2', '{"a":"1;b=2"}'],
    ['[a]=1', '{"a":"1"}'],
    ['a%3D=1', '{"a=":"1"}'],
  ]);

  table('encodings', params, [
    ['a=x+y', '{"a":"x y"}'],
    ['a=x%20y', '{"a":"x y"}'],
    ['a=%2B', '{"a":"+"}'],
    ['a%5Bb%5D=1', '{"a":{"b":"1"}}'],
    ['a=%C3%A9', '{"a":"é"}'],
    ['a=é', '{"a":"é"}'],
    ['a=%F0%9F%98%80', '{"a":"😀"}'],
    ['a=%', 'ValidationError: The query string is not percent-encoded UTF-8'],
    ['a=%zz', 'ValidationError: The query string is not percent-encoded UTF-8'],
    ['a=%C3', 'ValidationError: The query string is not percent-encoded UTF-8'],
    ['a=%ED%A0%80', 'ValidationError: The query string is not percent-encoded UTF-8'],
    ['a=%00', 'ValidationError: The query string cannot contain U+0000'],
    ['a%00=1', 'ValidationError: The query string cannot contain U+0000'],
    ['a=%2500', '{"a":"%00"}'],
    ['a=%25', '{"a":"%"}'],
  ]);

  table('brackets are levels', params, [
    ['a[b]=1', '{"a":{"b":"1"}}'],
    ['a[b][c]=1', '{"a":{"b":{"c":"1"}}}'],
    ['a[b][c]=1&a[b][d]=2', '{"a":{"b":{"c":"1","d":"2"}}}'],
    ['a[b]=1&a[c]=2', '{"a":{"b":"1","c":"2"}}'],
    ['a.b=1', '{"a.b":"1"}'],
    ['a[b.c]=1', '{"a":{"b.c":"1"}}'],
    ['a[]=1', '{"a":["1"]}'],
    ['a[ b ]=1', '{"a":{" b ":"1"}}'],
    ['a[b][]=1', '{"a":{"b":["1"]}}'],
  ]);

  table('lists, however they are written', params, [
    ['a=1&a=2', '{"a":["1","2"]}'],
    ['a[]=1&a[]=2', '{"a":["1","2"]}'],
    ['a[0]=1&a[1]=2', '{"a":["1","2"]}'],
    ['a[1]=2&a[0]=1', '{"a":["1","2"]}'],
    ['a[5]=1', '{"a":["1"]}'],
    ['a[0]=1&a[7]=2', '{"a":["1","2"]}'],
    ['a[0][b]=1&a[1][b]=2', '{"a":[{"b":"1"},{"b":"2"}]}'],
    ['a[][b]=1&a[][c]=2', '{"a":[{"b":"1","c":"2"}]}'],
    ['a[0]=1&a=2', '{"a":["1","2"]}'],
    ['a=1&a[]=2', '{"a":["1","2"]}'],
    ['a[00]=1', '{"a":{"00":"1"}}'],
    ['a[-1]=1', '{"a":{"-1":"1"}}'],
    ['a[1.5]=1', '{"a":{"1.5":"1"}}'],
    ['a[]', '{"a":[null]}'],
    ['a[]=', '{"a":[""]}'],
    ['a[0]', '{"a":[null]}'],
    ['a[99]=1', '{"a":["1"]}'],
    ['a[100]=1', 'ValidationError: A list in the query string can have at most 100 entries'],
    ['a[101]=1', 'ValidationError: A list in the query string can have at most 100 entries'],
  ]);

  table('lists beside objects', params, [
    ['a[0]=1&a[b]=2', '{"a":{"0":"1","b":"2"}}'],
    ['a=1&a[b]=2', '{"a":["1",{"b":"2"}]}'],
    ['a[b]=2&a=1', '{"a":[{"b":"2"},"1"]}'],
    ['a[b]=1&a[]=2', '{"a":{"0":"2","b":"1"}}'],
    ['a[b]=1&a[b]=2', '{"a":{"b":["1","2"]}}'],
    ['a[b]=1&a[b][c]=2', '{"a":{"b":["1",{"c":"2"}]}}'],
  ]);

  table('brackets that do not stand one behind the other', params, [
    ['a[b=1', 'ValidationError: Misplaced brackets in the parameter a[b'],
    ['a]b=1', 'ValidationError: Misplaced brackets in the parameter a]b'],
    ['a[b]]=1', 'ValidationError: Misplaced brackets in the parameter a[b]]'],
    ['a[[b]]=1', 'ValidationError: Misplaced brackets in the parameter a[[b]]'],
    ['[]=1', '{"0":"1"}'],
    ['[=1', 'ValidationError: Misplaced brackets in the parameter ['],
    [']=1', 'ValidationError: Misplaced brackets in the parameter ]'],
    ['a[b][c=1', 'ValidationError: Misplaced brackets in the parameter a[b][c'],
    ['a[[]=1', 'ValidationError: Misplaced brackets in the parameter a[[]'],
    ['a[%5B]=1', 'ValidationError: Misplaced brackets in the parameter a[[]'],
    ['a[b]c=1', 'ValidationError: Misplaced brackets in the parameter a[b]c'],
    ['a[b]c[d]=1', 'ValidationError: Misplaced brackets in the parameter a[b]c[d]'],
    ['a[b] =1', 'ValidationError: Misplaced brackets in the parameter a[b] '],
    ['a[b]c', 'ValidationError: Misplaced brackets in the parameter a[b]c'],
    ['a=b]c', '{"a":"b]c"}'],
    ['a[b]=[c', '{"a":{"b":"[c"}}'],
    ['filters[title]$ne=x', 'ValidationError: Misplaced brackets in the parameter filters[title]$ne'],
  ]);

  table('names of the language are names', params, [
    ['constructor=1', '{"constructor":"1"}'],
    ['a[constructor]=1', '{"a":{"constructor":"1"}}'],
    ['toString=1', '{"toString":"1"}'],
    ['a[hasOwnProperty]=1', '{"a":{"hasOwnProperty":"1"}}'],
    ['a[prototype][b]=1', '{"a":{"prototype":{"b":"1"}}}'],
    ['a[constructor][prototype][b]=1', '{"a":{"constructor":{"prototype":{"b":"1"}}}}'],
    ['__proto__=1', 'ValidationError: Invalid key __proto__ in the query string'],
    ['a[__proto__]=1', 'ValidationError: Invalid key __proto__ in the query string'],
    ['a[__proto__][b]=1', 'ValidationError: Invalid key __proto__ in the query string'],
    ['__proto__[a]=1', 'ValidationError: Invalid key __proto__ in the query string'],
    ['a[b][__proto__]=1', 'ValidationError: Invalid key __proto__ in the query string'],
    ['%5F_proto__=1', 'ValidationError: Invalid key __proto__ in the query string'],
    ['a%5B__proto__%5D=1', 'ValidationError: Invalid key __proto__ in the query string'],
    ['a[%255F_proto__]=1', '{"a":{"%5F_proto__":"1"}}'],
    ['a=__proto__', '{"a":"__proto__"}'],
    ['a[x__proto__]=1', '{"a":{"x__proto__":"1"}}'],
    ['a[__proto__x]=1', '{"a":{"__proto__x":"1"}}'],
    ['a[__proto__=1', 'ValidationError: Invalid key __proto__ in the query string'],
    ['a[0][__proto__]=1', 'ValidationError: Invalid key __proto__ in the query string'],
    ['a[]=__proto__', '{"a":["__proto__"]}'],
    ['__proto__', 'ValidationError: Invalid key __proto__ in the query string'],
  ]);
});
