/** What bodies say of relations and media, in every form that they may have. */
import { describe } from 'node:test';
import { type Position, parseMedia, parseRelation, type RelationEntry } from '../../../src/query/relation-payload.ts';
import { table } from '../../support/tables.ts';

/** `a`, `#3` for a row id, then whatever else an entry says. */
function printEntry({ documentId, id, locale, status, position, type }: RelationEntry): string {
  const name = documentId ?? `#${id}`;
  const place = printPosition(position);
  const said = [type && `of ${type}`, locale && `in ${locale}`, status, place].filter(Boolean);
  return [name, ...said].join(' ');
}

function printPosition(position: Position): string {
  if (position.kind === 'end') return '';
  if (position.kind === 'start') return 'at the start';
  return [
    position.kind,
    position.documentId ?? `#${position.id}`,
    ...(position.type ? ['of', position.type] : []),
  ].join(' ');
}

const list = (entries: readonly RelationEntry[]): string => `[${entries.map(printEntry).join(', ')}]`;

function relation(text: string): string {
  const edit = parseRelation(JSON.parse(text), 'tags');
  if (edit.kind === 'set') return `set ${list(edit.entries)}`;
  return `connect ${list(edit.connect)} disconnect ${list(edit.disconnect)}`;
}

const FILE_KEYS: ReadonlySet<string> = new Set(['id', 'documentId', 'name']);
const media = (text: string): string => list(parseMedia(JSON.parse(text), 'cover', FILE_KEYS));

describe('links in a body', () => {
  table('whole values replace', relation, [
    ['null', 'set []'],
    ['"a"', 'set [a]'],
    ['3', 'set [#3]'],
    ['[]', 'set []'],
    ['["a","b"]', 'set [a, b]'],
    ['["a",3]', 'set [a, #3]'],
    ['"3"', 'set [#3]'],
    ['"3a"', 'set [3a]'],
    ['["3",{"id":"4"},{"documentId":"5"}]', 'set [#3, #4, 5]'],
    ['"1234567890123456"', 'set [1234567890123456]'],
    ['["a","a"]', 'set [a, a]'],
    ['{"documentId":"a"}', 'set [a]'],
    ['{"id":3}', 'set [#3]'],
    ['[{"documentId":"a"},{"id":3}]', 'set [a, #3]'],
    ['{"documentId":"a","id":3}', 'set [a]'],
    ['{"documentId":null,"id":3}', 'set [#3]'],
    ['{"set":["a"]}', 'set [a]'],
    ['{"set":"a"}', 'set [a]'],
    ['{"set":[]}', 'set []'],
    ['{"set":null}', 'connect [] disconnect []'],
    ['{"set":{"documentId":"a"}}', 'set [a]'],
    ['{}', 'connect [] disconnect []'],
    ['{"options":{"strict":true}}', 'connect [] disconnect []'],
    [
      '[null]',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError","value":null}]}',
    ],
    [
      '[[]]',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError","value":[]}]}',
    ],
    [
      '[["a"]]',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError","value":["a"]}]}',
    ],
    [
      'true',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError","value":true}]}',
    ],
    [
      '""',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError","value":""}]}',
    ],
    [
      '"\\u0000"',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError","value":"\\u0000"}]}',
    ],
    [
      '"\\ud800"',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError","value":"\\ud800"}]}',
    ],
    [
      '1.5',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError","value":1.5}]}',
    ],
    [
      '1e300',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError","value":1e+300}]}',
    ],
    ['-1', 'set [#-1]'],
    [
      '[{}]',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError"}]}',
    ],
    [
      '[{"documentId":""}]',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError","value":""}]}',
    ],
    ['[{"documentId":5}]', 'set [#5]'],
    ['[{"id":"5"}]', 'set [#5]'],
    [
      '{"documentId":null}',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError"}]}',
    ],
  ]);

  table('edits', relation, [
    ['{"connect":["a"]}', 'connect [a] disconnect []'],
    ['{"connect":"a"}', 'connect [a] disconnect []'],
    ['{"connect":{"documentId":"a"}}', 'connect [a] disconnect []'],
    ['{"connect":[],"disconnect":[]}', 'connect [] disconnect []'],
    ['{"connect":null,"disconnect":null}', 'connect [] disconnect []'],
    ['{"disconnect":["a",3]}', 'connect [] disconnect [a, #3]'],
    ['{"connect":["a"],"disconnect":["b"]}', 'connect [a] disconnect [b]'],
    ['{"connect":["a"],"disconnect":["a"]}', 'connect [a] disconnect [a]'],
    ['{"connect":["a"],"set":null}', 'connect [a] disconnect []'],
    [
      '{"connect":["a"],"set":[]}',
      'ValidationError: tags cannot have set together with connect or disconnect {"hint":"at tags"}',
    ],
    [
      '{"disconnect":[],"set":["a"]}',
      'ValidationError: tags cannot have set together with connect or disconnect {"hint":"at tags"}',
    ],
    [
      '{"connect":null,"set":["a"]}',
      'ValidationError: tags cannot have set together with connect or disconnect {"hint":"at tags"}',
    ],
    [
      '{"connect":["a"],"create":["b"]}',
      'ValidationError: Invalid key create at tags {"key":"create","path":"tags","source":"body"}',
    ],
    [
      '{"Connect":["a"]}',
      'ValidationError: Invalid key Connect at tags {"key":"Connect","path":"tags","source":"body"}',
    ],
    [
      '{"connect":[true]}',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError","value":true}]}',
    ],
    [
      '{"connect":[""]}',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError","value":""}]}',
    ],
    [
      '{"__proto__":["a"]}',
      'ValidationError: Invalid key __proto__ at tags {"key":"__proto__","path":"tags","source":"body"}',
    ],
    [
      '{"constructor":["a"]}',
      'ValidationError: Invalid key constructor at tags {"key":"constructor","path":"tags","source":"body"}',
    ],
  ]);

  table('a document is connected once', relation, [
    ['{"connect":["a","a"]}', 'ValidationError: a is connected twice at tags {"hint":"at tags"}'],
    ['{"connect":["a",{"documentId":"a"}]}', 'ValidationError: a is connected twice at tags {"hint":"at tags"}'],
    [
      '{"connect":[{"documentId":"a","position":{"start":true}},{"documentId":"a","position":{"end":true}}]}',
      'ValidationError: a is connected twice at tags {"hint":"at tags"}',
    ],
    [
      '{"connect":[{"documentId":"a","locale":"fr"},{"documentId":"a","locale":"de"}]}',
      'connect [a in fr, a in de] disconnect []',
    ],
    [
      '{"connect":[{"documentId":"a","status":"draft"},{"documentId":"a","status":"published"}]}',
      'connect [a draft, a published] disconnect []',
    ],
    [
      '{"connect":[{"documentId":"a","__type":"x"},{"documentId":"a","__type":"y"}]}',
      'connect [a of x, a of y] disconnect []',
    ],
    ['{"connect":[3,{"id":3}]}', 'ValidationError: 3 is connected twice at tags {"hint":"at tags"}'],
    ['{"connect":["3",3]}', 'ValidationError: 3 is connected twice at tags {"hint":"at tags"}'],
    ['{"connect":[{"documentId":"3"},3]}', 'connect [3, #3] disconnect []'],
    ['{"disconnect":["a","a"]}', 'connect [] disconnect [a, a]'],
  ]);

  table('versions and types', relation, [
    ['{"connect":[{"documentId":"a","locale":"fr"}]}', 'connect [a in fr] disconnect []'],
    ['{"connect":[{"documentId":"a","locale":""}]}', 'connect [a] disconnect []'],
    ['{"connect":[{"documentId":"a","locale":null}]}', 'connect [a] disconnect []'],
    [
      '{"connect":[{"documentId":"a","locale":5}]}',
      'ValidationError: locale at tags must be the code of a locale {"hint":"at tags"}',
    ],
    [
      '{"connect":[{"documentId":"a","locale":"f\\u0000"}]}',
      'ValidationError: locale at tags must be the code of a locale {"hint":"at tags"}',
    ],
    ['{"connect":[{"documentId":"a","status":"draft"}]}', 'connect [a draft] disconnect []'],
    ['{"connect":[{"documentId":"a","status":null}]}', 'connect [a] disconnect []'],
    [
      '{"connect":[{"documentId":"a","status":"modified"}]}',
      'ValidationError: status at tags must be one of draft, published {"hint":"at tags"}',
    ],
    [
      '{"connect":[{"documentId":"a","status":""}]}',
      'ValidationError: status at tags must be one of draft, published {"hint":"at tags"}',
    ],
    ['[{"documentId":"a","locale":"fr","status":"published"}]', 'set [a in fr published]'],
    ['{"__type":"x","documentId":"a"}', 'set [a of x]'],
    ['{"__type":"x","id":3}', 'set [#3 of x]'],
    [
      '{"__type":"x"}',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError"}]}',
    ],
    ['{"__type":5,"id":3}', 'set [#3]'],
    [
      '{"connect":[{"documentId":"a","name":"b"}]}',
      'ValidationError: Invalid key name at tags {"key":"name","path":"tags","source":"body"}',
    ],
    [
      '[{"documentId":"a","__proto__":{}}]',
      'ValidationError: Invalid key __proto__ at tags {"key":"__proto__","path":"tags","source":"body"}',
    ],
  ]);

  table('positions', relation, [
    ['{"connect":[{"id":1,"position":{"before":"b"}}]}', 'connect [#1 before b] disconnect []'],
    ['{"connect":[{"id":1,"position":{"after":"b"}}]}', 'connect [#1 after b] disconnect []'],
    ['{"connect":[{"id":1,"position":{"start":true}}]}', 'connect [#1 at the start] disconnect []'],
    ['{"connect":[{"id":1,"position":{"end":true}}]}', 'connect [#1] disconnect []'],
    ['{"connect":[{"id":1,"position":{}}]}', 'connect [#1] disconnect []'],
    ['{"connect":[{"id":1,"position":null}]}', 'connect [#1] disconnect []'],
    ['{"connect":[{"id":1,"position":{"start":false}}]}', 'connect [#1] disconnect []'],
    ['{"connect":[{"id":1,"position":{"end":false,"before":"b"}}]}', 'connect [#1 before b] disconnect []'],
    ['{"connect":[{"id":1,"position":{"before":null,"end":true}}]}', 'connect [#1] disconnect []'],
    ['{"connect":[{"id":1,"position":{"before":"b","__type":"x"}}]}', 'connect [#1 before b of x] disconnect []'],
    [
      '{"connect":[{"id":1,"position":{"before":"b","after":"c"}}]}',
      'ValidationError: position at tags must have one of before, after, start, end {"hint":"at tags"}',
    ],
    [
      '{"connect":[{"id":1,"position":{"start":true,"end":true}}]}',
      'ValidationError: position at tags must have one of before, after, start, end {"hint":"at tags"}',
    ],
    ['{"connect":[{"id":1,"position":{"before":5}}]}', 'connect [#1 before #5] disconnect []'],
    ['{"connect":[{"id":1,"position":{"after":"5"}}]}', 'connect [#1 after #5] disconnect []'],
    [
      '{"connect":[{"id":1,"position":{"before":1.5}}]}',
      'ValidationError: position at tags must be one of before, after, start, end {"hint":"at tags"}',
    ],
    ['{"connect":[{"id":1,"position":{"before":""}}]}', 'connect [#1 before ] disconnect []'],
    [
      '{"connect":[{"id":1,"position":{"start":"yes"}}]}',
      'ValidationError: position at tags must be one of before, after, start, end {"hint":"at tags"}',
    ],
    [
      '{"connect":[{"id":1,"position":{"middle":true}}]}',
      'ValidationError: position at tags must be one of before, after, start, end {"hint":"at tags"}',
    ],
    ['{"connect":[{"id":1,"position":{"middle":false}}]}', 'connect [#1] disconnect []'],
    [
      '{"connect":[{"id":1,"position":"start"}]}',
      'ValidationError: position at tags must be one of before, after, start, end {"hint":"at tags"}',
    ],
    [
      '{"connect":[{"id":1,"position":[]}]}',
      'ValidationError: position at tags must be one of before, after, start, end {"hint":"at tags"}',
    ],
    ['{"set":[{"id":1,"position":{"start":true}}]}', 'set [#1 at the start]'],
    ['{"disconnect":[{"id":1,"position":{"start":true}}]}', 'connect [] disconnect [#1 at the start]'],
    [
      '{"connect":[{"id":1,"position":{"before":"\\ud800"}}]}',
      'ValidationError: position at tags must be one of before, after, start, end {"hint":"at tags"}',
    ],
  ]);

  table('media', media, [
    ['null', '[]'],
    ['3', '[#3]'],
    ['"3"', '[#3]'],
    ['"abc"', '[abc]'],
    ['"1234567890123456"', '[1234567890123456]'],
    ['"007"', '[#7]'],
    ['[3,"4","abc"]', '[#3, #4, abc]'],
    ['{"id":3}', '[#3]'],
    ['{"id":"3"}', '[#3]'],
    ['{"documentId":"abc"}', '[abc]'],
    ['{"id":3,"documentId":"abc"}', '[#3]'],
    ['{"id":3,"name":"a.png"}', '[#3]'],
    ['{"set":[3]}', '[#3]'],
    ['{"set":3}', '[#3]'],
    ['{"set":null}', '[]'],
    ['{"set":[],"options":{}}', '[]'],
    ['[]', '[]'],
    [
      '{"connect":[3]}',
      'ValidationError: cover must name files by id or documentId; connect and disconnect are not for media {"hint":"at cover"}',
    ],
    [
      '{"disconnect":[3]}',
      'ValidationError: cover must name files by id or documentId; connect and disconnect are not for media {"hint":"at cover"}',
    ],
    [
      '[{"connect":[3]}]',
      'ValidationError: cover must name files by id or documentId; connect and disconnect are not for media {"hint":"at cover"}',
    ],
    [
      '{"set":[3],"connect":[4]}',
      'ValidationError: cover must name files by id or documentId; connect and disconnect are not for media {"hint":"at cover"}',
    ],
    ['{"set":[3],"id":4}', 'ValidationError: Invalid key id at cover {"key":"id","path":"cover","source":"body"}'],
    [
      '{}',
      'ValidationError: cover must name files by id or documentId; connect and disconnect are not for media {"hint":"at cover"}',
    ],
    [
      '{"name":"a.png"}',
      'ValidationError: cover must name files by id or documentId; connect and disconnect are not for media {"hint":"at cover"}',
    ],
    ['{"id":3,"url":"x"}', 'ValidationError: Invalid key url at cover {"key":"url","path":"cover","source":"body"}'],
    [
      '[null]',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError","value":null}]}',
    ],
    [
      '[[3]]',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError","value":[3]}]}',
    ],
    [
      'true',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError","value":true}]}',
    ],
    [
      '""',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError","value":""}]}',
    ],
    ['-1', '[#-1]'],
    [
      '1.5',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError","value":1.5}]}',
    ],
    ['{"id":null,"documentId":"abc"}', '[abc]'],
    [
      '{"id":null,"documentId":null}',
      'ValidationError: Invalid relations {"errors":[{"path":[],"message":"Invalid relations","name":"ValidationError","value":null}]}',
    ],
  ]);
});
