/** Fields and populate in their many forms. */
import { describe } from 'node:test';
import { parseParams } from '../../../src/query/params.ts';
import { parseFields, parsePopulate } from '../../../src/query/populate.ts';
import { printPopulate } from '../../support/queries/printed-query.ts';
import { table } from '../../support/tables.ts';

/** `populate` left out of rows that begin with a bracket or a sign of equality. */
function populate(text: string): string {
  const values: unknown[] = [];
  const query = text.split('&').map((part) => `populate${part}`);
  return printPopulate(parsePopulate(parseParams(query.join('&'))['populate'], values), values);
}
const fields = (text: string): string => JSON.stringify(parseFields(parseParams(text)['fields'])) ?? 'all';

describe('populate and fields', () => {
  table('names', populate, [
    ['', 'none'],
    ['=', 'none'],
    ['=*', '*'],
    ['=author', '"author"'],
    ['=author,tags', '"author" "tags"'],
    ['= author , tags ', '"author" "tags"'],
    ['=author,,author,', '"author"'],
    ['=,', 'none'],
    ['=author.country', '"author.country"'],
    ['=author.*', '"author.*"'],
    ['=*,author', '"*" "author"'],
    ['[]=author&[]=tags', '"author" "tags"'],
    ['[]=author,tags&[]=cover', '"author" "tags" "cover"'],
    ['=author&=tags', '"author" "tags"'],
    ['[]=*', '"*"'],
    ['[]', 'none'],
    ['[]=', 'none'],
    ['[0]=a&[5]=b', '"a" "b"'],
    ['=a..b', '"a..b"'],
    ['=.a', '".a"'],
    ['=__proto__', '"__proto__"'],
    ['=constructor', '"constructor"'],
    ['=a.b.c.d.e.f.g.h.i.j.k.l.m.n.o', '"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o"'],
    ['=a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p', 'ValidationError: populate can follow at most 15 relations in a row'],
  ]);

  table('flags', populate, [
    ['[author]=true', '{author: yes}'],
    ['[author]=t', '{author: yes}'],
    ['[author]=1', '{author: yes}'],
    ['[author]=*', '{author: yes}'],
    ['[author]=false', '{author: no}'],
    ['[author]=f', '{author: no}'],
    ['[author]=0', '{author: no}'],
    ['[author]=yes', '{author: "yes"}'],
    ['[author]=TRUE', '{author: "TRUE"}'],
    ['[author]=', '{author: ""}'],
    ['[author]', 'ValidationError: Invalid nested populate. Expected \'*\' or an object {"hint":"at author"}'],
    ['[author]=constructor', '{author: "constructor"}'],
    [
      '[author]=true&[author]=false',
      'ValidationError: Invalid nested populate. Expected \'*\' or an object {"hint":"at author"}',
    ],
    ['[author][]=name', 'ValidationError: Invalid nested populate. Expected \'*\' or an object {"hint":"at author"}'],
    ['[a.b]=true', '{a.b: yes}'],
    ['[author]=true&[tags]=false', '{author: yes, tags: no}'],
    ['[*]=true', '{*: yes}'],
    ['[constructor]=true', '{constructor: yes}'],
    ['[__proto__]=true', 'ValidationError: Invalid key __proto__ in the query string'],
  ]);

  table('options', populate, [
    ['[a][fields]=b', '{a: <fields>{fields "b"}}'],
    ['[a][fields]=b,c', '{a: <fields>{fields "b" "c"}}'],
    ['[a][fields][]=b&[a][fields][]=c', '{a: <fields>{fields "b" "c"}}'],
    ['[a][fields]=*', '{a: <fields>{}}'],
    ['[a][fields]', '{a: <fields>{}}'],
    ['[a][fields][x]=1', 'ValidationError: Invalid fields parameter. Expected a string or an array of strings'],
    ['[a][filters][b]=1', '{a: <filters>{filters b = $eq "1"}}'],
    ['[a][filters][b][$gt]=1&[a][filters][c]=2', '{a: <filters>{filters (b $gt "1" & c = $eq "2")}}'],
    ['[a][filters]=b', 'ValidationError: The filters parameter must be an object or an array'],
    ['[a][filters]', '{a: <filters>{}}'],
    ['[a][sort]=b:desc', '{a: <sort>{sort b desc "desc"}}'],
    ['[a][sort][b]=desc', '{a: <sort>{sort b desc "desc"}}'],
    ['[a][populate]=*', '{a: <populate>{populate *}}'],
    ['[a][populate]=b,c', '{a: <populate>{populate "b" "c"}}'],
    ['[a][populate][b]=true', '{a: <populate>{populate {b: yes}}}'],
    [
      '[a][populate][b][populate][c][fields]=d',
      '{a: <populate>{populate {b: <populate>{populate {c: <fields>{fields "d"}}}}}}',
    ],
    ['[a][populate]=', '{a: <populate>{}}'],
    ['[a][count]=true', '{a: <count>{count true}}'],
    ['[a][count]=false', '{a: <count>{}}'],
    ['[a][count]=*', '{a: <count>{count invalid}}'],
    ['[a][count]=maybe', '{a: <count>{count invalid}}'],
    ['[a][count]', '{a: <count>{count invalid}}'],
    ['[a][count][]=true', '{a: <count>{count invalid}}'],
    ['[a][limit]=3', '{a: <limit>{}}'],
    ['[a][status]=draft&[a][fields]=b', '{a: <status fields>{fields "b"}}'],
    ['[a]=true&[a][fields]=b', 'ValidationError: Invalid nested populate. Expected \'*\' or an object {"hint":"at a"}'],
    ['[a][fields]=b&[a]=true', 'ValidationError: Invalid nested populate. Expected \'*\' or an object {"hint":"at a"}'],
    ['[a][filters][b]=1&[c][filters][d]=2', '{a: <filters>{filters b = $eq "1"}, c: <filters>{filters d = $eq "2"}}'],
    ['[a][b]=c', '{a: <b>{}}'],
    ['[a][0]=b', 'ValidationError: Invalid nested populate. Expected \'*\' or an object {"hint":"at a"}'],
    ['[a][0][fields]=b', 'ValidationError: Invalid nested populate. Expected \'*\' or an object {"hint":"at a"}'],
    ['[a][constructor]=1', '{a: <constructor>{}}'],
  ]);

  table('fragments of zones', populate, [
    ['[zone][on][blocks.quote]=true', '{zone: <on>{on {blocks.quote: yes}}}'],
    ['[zone][on][blocks.quote]=*', '{zone: <on>{on {blocks.quote: yes}}}'],
    ['[zone][on][blocks.quote][fields]=text', '{zone: <on>{on {blocks.quote: <fields>{fields "text"}}}}'],
    [
      '[zone][on][blocks.quote][populate][by]=true&[zone][on][shared.seo]=true',
      '{zone: <on>{on {blocks.quote: <populate>{populate {by: yes}}, shared.seo: yes}}}',
    ],
    ['[zone][on][blocks.quote][filters][text]=a', '{zone: <on>{on {blocks.quote: <filters>{filters text = $eq "a"}}}}'],
    ['[zone][on][blocks.quote]=false', '{zone: <on>{on {blocks.quote: no}}}'],
    ['[zone][on][blocks.quote]=yes', '{zone: <on>{on {blocks.quote: "yes"}}}'],
    [
      '[zone][on][blocks.quote]',
      'ValidationError: Invalid nested populate. Expected \'*\' or an object {"hint":"at blocks.quote"}',
    ],
    ['[zone][on]=blocks.quote', '{zone: <on>{on invalid}}'],
    ['[zone][on]=*', '{zone: <on>{on invalid}}'],
    ['[zone][on]', '{zone: <on>{on invalid}}'],
    ['[zone][on]=', '{zone: <on>{on invalid}}'],
    ['[zone][on][]=blocks.quote', '{zone: <on>{on invalid}}'],
    ['[zone][on][0][blocks.quote]=true', '{zone: <on>{on invalid}}'],
    [
      '[zone][on][blocks.quote][]=text',
      'ValidationError: Invalid nested populate. Expected \'*\' or an object {"hint":"at blocks.quote"}',
    ],
    ['[zone][on][a.b][on][c.d]=true', '{zone: <on>{on {a.b: <on>{on {c.d: yes}}}}}'],
    ['[zone][on][__proto__]=true', 'ValidationError: Invalid key __proto__ in the query string'],
  ]);

  table('fields', fields, [
    ['', 'all'],
    ['fields', 'all'],
    ['fields=', '[""]'],
    ['fields=a', '["a"]'],
    ['fields=a,b', '["a","b"]'],
    ['fields= a , b ', '["a","b"]'],
    ['fields=a,', '["a",""]'],
    ['fields=*', 'all'],
    ['fields=a,*', 'all'],
    ['fields[]=a&fields[]=b', '["a","b"]'],
    ['fields[]=*', 'all'],
    ['fields[]= a ', '["a"]'],
    ['fields[]=a,b', 'ValidationError: Invalid fields parameter. Expected a string or an array of strings'],
    ['fields[]', '[]'],
    ['fields[]=', '[]'],
    ['fields[a]=b', 'ValidationError: Invalid fields parameter. Expected a string or an array of strings'],
    ['fields[0][a]=b', 'ValidationError: Invalid fields parameter. Expected a string or an array of strings'],
    ['fields=a&fields=b', '["a","b"]'],
    ['fields=a,a', '["a","a"]'],
    ['fields=a.b', '["a.b"]'],
    ['fields=__proto__', '["__proto__"]'],
    ['fields=**', '["**"]'],
  ]);
});
