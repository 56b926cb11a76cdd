/** Bodies of batches. */
import { describe } from 'node:test';
import { parseBatch } from '../../../src/query/batch.ts';
import { table } from '../../support/tables.ts';

/** At most three operations; a row that is a list stands for a body of these operations. */
function batch(text: string): string {
  const json = JSON.parse(text) as unknown;
  const operations = parseBatch(Array.isArray(json) ? { operations: json } : json, 3);
  return operations
    .map(({ action, documentId, ...rest }) => `${action} ${documentId} ${JSON.stringify(rest)}`)
    .join('; ');
}

describe('the body of a batch', () => {
  table('operations', batch, [
    ['[]', ''],
    ['[{"action":"create","data":{"a":1}}]', 'create undefined {"data":{"a":1}}'],
    [
      '[{"action":"update","documentId":"x","data":{}},{"action":"delete","documentId":"y"}]',
      'update x {"data":{}}; delete y {"data":{}}',
    ],
    [
      '[{"action":"publish","documentId":"x","locale":"fr"},{"action":"unpublish","documentId":"x"},{"action":"discardDraft","documentId":"x","locale":["fr","de"]}]',
      'publish x {"locale":"fr","data":{}}; unpublish x {"data":{}}; discardDraft x {"locale":["fr","de"],"data":{}}',
    ],
    [
      '[{"action":"create","data":{},"status":"draft","locale":"fr"}]',
      'create undefined {"locale":"fr","status":"draft","data":{}}',
    ],
  ]);

  table('what is no operation', batch, [
    ['{}', 'ValidationError: Missing "operations" payload in the request body'],
    ['null', 'ValidationError: Missing "operations" payload in the request body'],
    ['"a"', 'ValidationError: Missing "operations" payload in the request body'],
    ['{"operations":{}}', 'ValidationError: Missing "operations" payload in the request body'],
    ['{"operations":null}', 'ValidationError: Missing "operations" payload in the request body'],
    ['[null]', 'ValidationError: An operation must be an object {"path":"operations.0"}'],
    ['["create"]', 'ValidationError: An operation must be an object {"path":"operations.0"}'],
    ['[[]]', 'ValidationError: An operation must be an object {"path":"operations.0"}'],
    [
      '[{}]',
      'ValidationError: action must be one of the following values: create, update, delete, publish, unpublish, discardDraft {"path":"operations.0"}',
    ],
    [
      '[{"action":"clone","documentId":"x"}]',
      'ValidationError: action must be one of the following values: create, update, delete, publish, unpublish, discardDraft {"path":"operations.0"}',
    ],
    [
      '[{"action":"Create","data":{}}]',
      'ValidationError: action must be one of the following values: create, update, delete, publish, unpublish, discardDraft {"path":"operations.0"}',
    ],
    [
      '[{"action":"constructor","documentId":"x"}]',
      'ValidationError: action must be one of the following values: create, update, delete, publish, unpublish, discardDraft {"path":"operations.0"}',
    ],
    ['[{"action":"create"}]', 'ValidationError: Missing "data" payload in the request body {"path":"operations.0"}'],
    [
      '[{"action":"create","data":null}]',
      'ValidationError: Missing "data" payload in the request body {"path":"operations.0"}',
    ],
    [
      '[{"action":"create","data":[]}]',
      'ValidationError: data must be an object {"errors":[{"path":["operations","0"],"message":"data must be an object","name":"ValidationError","value":[]}]}',
    ],
    [
      '[{"action":"create","documentId":"x","data":{}}]',
      'ValidationError: create takes no documentId {"path":"operations.0"}',
    ],
    [
      '[{"action":"create","documentId":null,"data":{}}]',
      'ValidationError: create takes no documentId {"path":"operations.0"}',
    ],
    ['[{"action":"update","data":{}}]', 'ValidationError: update needs a documentId {"path":"operations.0"}'],
    [
      '[{"action":"update","documentId":5,"data":{}}]',
      'ValidationError: update needs a documentId {"path":"operations.0"}',
    ],
    [
      '[{"action":"update","documentId":"\\ud800","data":{}}]',
      'ValidationError: documentId is not well-formed {"path":"operations.0"}',
    ],
    ['[{"action":"update","documentId":"","data":{}}]', 'update  {"data":{}}'],
    [
      '[{"action":"delete","documentId":"x","data":{}}]',
      'ValidationError: delete takes no data {"path":"operations.0"}',
    ],
    [
      '[{"action":"publish","documentId":"x","data":null}]',
      'ValidationError: publish takes no data {"path":"operations.0"}',
    ],
    ['[{"action":"create","data":{},"populate":"*"}]', 'ValidationError: Invalid key populate {"path":"operations.0"}'],
    [
      '[{"action":"create","data":{}},{"action":"create"}]',
      'ValidationError: Missing "data" payload in the request body {"path":"operations.1"}',
    ],
    [
      '[{"action":"create","data":{}},{"action":"create","data":{}},{"action":"create","data":{}},{"action":"create","data":{}}]',
      'ValidationError: A batch can have at most 3 operations',
    ],
    ['[{"action":"create","data":{},"__proto__":1}]', 'ValidationError: Invalid key __proto__ {"path":"operations.0"}'],
  ]);
});
