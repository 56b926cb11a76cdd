/** Bodies of writes. */
import { describe } from 'node:test';
import { parseBody } from '../../../src/query/body.ts';
import { table } from '../../support/tables.ts';

const body = (text: string): string => JSON.stringify(parseBody(text === '' ? undefined : JSON.parse(text)));

describe('the body of a write', () => {
  table('the data of a body', body, [
    ['{"data":{}}', '{}'],
    ['{"data":{"a":1}}', '{"a":1}'],
    ['{"data":{"a":null,"b":[1],"c":{"d":"e"}},"meta":{}}', '{"a":null,"b":[1],"c":{"d":"e"}}'],
    ['{"data":{"data":{"a":1}}}', '{"data":{"a":1}}'],
    ['{"data":{"__proto__":1,"constructor":2}}', '{"__proto__":1,"constructor":2}'],
  ]);

  table('bodies without data', body, [
    ['', 'ValidationError: Missing "data" payload in the request body'],
    ['null', 'ValidationError: Missing "data" payload in the request body'],
    ['{}', 'ValidationError: Missing "data" payload in the request body'],
    ['[]', 'ValidationError: Missing "data" payload in the request body'],
    ['"data"', 'ValidationError: Missing "data" payload in the request body'],
    ['3', 'ValidationError: Missing "data" payload in the request body'],
    ['{"data":null}', 'ValidationError: Missing "data" payload in the request body'],
    ['{"data":"a"}', 'ValidationError: Missing "data" payload in the request body'],
    ['{"data":1}', 'ValidationError: Missing "data" payload in the request body'],
    ['{"data":false}', 'ValidationError: Missing "data" payload in the request body'],
    [
      '{"data":[]}',
      'ValidationError: data must be an object {"errors":[{"path":[],"message":"data must be an object","name":"ValidationError","value":[]}]}',
    ],
    [
      '{"data":[{"a":1}]}',
      'ValidationError: data must be an object {"errors":[{"path":[],"message":"data must be an object","name":"ValidationError","value":[{"a":1}]}]}',
    ],
    ['{"Data":{}}', 'ValidationError: Missing "data" payload in the request body'],
    ['{"a":1}', 'ValidationError: Missing "data" payload in the request body'],
    ['[{"data":{}}]', 'ValidationError: Missing "data" payload in the request body'],
    ['{"__proto__":{"data":{}}}', 'ValidationError: Missing "data" payload in the request body'],
  ]);
});
