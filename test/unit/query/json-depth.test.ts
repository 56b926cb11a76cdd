/** Whether a JSON text is deeper than allowed, without parsing it. */
import { describe } from 'node:test';
import { isDeeper } from '../../../src/plain-values.ts';
import { table } from '../../support/tables.ts';

/** How many levels a text has. */
function depth(text: string): string {
  let levels = 0;
  while (isDeeper(text, levels)) levels++;
  return String(levels);
}

describe('the depth of a JSON text', () => {
  table('levels of lists and objects', depth, [
    ['', '0'],
    ['1', '0'],
    ['"a"', '0'],
    ['[]', '1'],
    ['{}', '1'],
    ['[1,2]', '1'],
    ['[[]]', '2'],
    ['[{}]', '2'],
    ['{"a":[{"b":1}]}', '3'],
    ['[[],[]]', '2'],
    ['[[],[[]]]', '3'],
    ['{"a":{},"b":{"c":{}}}', '3'],
  ]);

  table('brackets in texts do not count', depth, [
    ['"[["', '0'],
    ['["[[["]', '1'],
    ['{"[":"{"}', '1'],
    ['["\\\\","["]', '1'],
    ['["\\"[["]', '1'],
    ['["\\\\\\"[["]', '1'],
    ['["\\u005b["]', '1'],
    ['["a\\\\"]', '1'],
  ]);

  table('texts that are no JSON', depth, [
    ['[[[', '3'],
    [']]]', '0'],
    [']]][[', '0'],
    ['"[', '0'],
    ['[}{]', '1'],
    ['"\\', '0'],
    ['[\\"[', '1'],
  ]);
});
