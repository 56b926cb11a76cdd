/** JSON Logic as the reference's library evaluates it (https://jsonlogic.com/operations.html). */
import { deepStrictEqual, throws } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evaluate, holds, membersOf } from '../../../src/schema/json-logic.ts';

const data = {
  kind: 'external',
  count: 5,
  open: true,
  none: null,
  empty: '',
  tags: ['x', 'y'],
  list: [{ size: 1 }, { size: 2 }],
  at: { home: { street: 7 } },
};

describe('JSON Logic', () => {
  it('has the operators of the reference', () => {
    for (const [logic, result] of [
      [{ var: 'kind' }, 'external'],
      [{ var: ['gone', 'else'] }, 'else'],
      [{ var: 'at.home.street' }, 7],
      [{ var: 'list.1.size' }, 2],
      [{ var: 'gone.deeper' }, null],
      [{ '==': [{ var: 'count' }, '5'] }, true],
      [{ '===': [{ var: 'count' }, '5'] }, false],
      [{ '!=': [{ var: 'none' }, false] }, true],
      [{ '==': [{ var: 'gone' }, null] }, true],
      [{ '!==': [1, 2] }, true],
      [{ '<': [1, { var: 'count' }, 9] }, true],
      [{ '<=': [1, { var: 'count' }, 4] }, false],
      [{ '>': [{ var: 'count' }, 4] }, true],
      [{ '>=': ['2024-02-01', '2024-01-31'] }, true],
      [{ '!': [[]] }, true],
      [{ '!!': '0' }, true],
      [{ and: [1, 0, 2] }, 0],
      [{ or: [0, '', 3, 4] }, 3],
      [{ if: [false, 1, true, 2, 3] }, 2],
      [{ '?:': [false, 1] }, null],
      [{ in: ['tern', { var: 'kind' }] }, true],
      [{ in: ['y', { var: 'tags' }] }, true],
      [{ in: ['', ''] }, false],
      [{ cat: ['a', { var: 'count' }, null] }, 'a5'],
      [{ substr: ['jsonlogic', -5, 2] }, 'lo'],
      [{ substr: ['jsonlogic', 1, -5] }, 'son'],
      [{ '+': [1, '2'] }, 3],
      [{ '-': [{ var: 'count' }] }, -5],
      [{ '*': [2, 3] }, 6],
      [{ '/': [7, 2] }, 3.5],
      [{ '%': [7, 2] }, 1],
      [{ min: [3, 1] }, 1],
      [{ max: [3, 1] }, 3],
      [{ merge: [1, [2, 3]] }, [1, 2, 3]],
      [{ missing: ['kind', 'gone', 'empty'] }, ['gone', 'empty']],
      [{ missing_some: [1, ['kind', 'gone']] }, []],
      [{ missing_some: [2, ['kind', 'gone']] }, ['gone']],
      [{ some: [{ var: 'list' }, { '>': [{ var: 'size' }, 1] }] }, true],
      [{ all: [{ var: 'list' }, { '>': [{ var: 'size' }, 1] }] }, false],
      [{ all: [[], true] }, false],
      [{ none: [{ var: 'gone' }, true] }, true],
      [{ filter: [{ var: 'tags' }, { '==': [{ var: '' }, 'x'] }] }, ['x']],
      [{ map: [{ var: 'list' }, { '+': [{ var: 'size' }, 1] }] }, [2, 3]],
      [
        ['a', { var: 'count' }],
        ['a', 5],
      ],
    ] as const) {
      deepStrictEqual(evaluate(logic, data), result, JSON.stringify(logic));
    }
  });

  it('reads only members of the data, and calls none', () => {
    for (const path of ['constructor', '__proto__', 'tags.map', 'kind.constructor', 'toString']) {
      deepStrictEqual(evaluate({ var: path }, data), null, path);
    }
    const hostile = { value: { toString: 1, valueOf: 1 }, list: [{ toString: 1 }] };
    for (const operator of ['==', '<', '+', 'cat', 'in', '-', 'min', 'substr']) {
      evaluate({ [operator]: [{ var: 'value' }, 'x'] }, hostile);
      evaluate({ [operator]: ['x', { var: 'list' }] }, hostile);
    }
  });

  it('lists the members that a condition reads', () => {
    const logic = {
      and: [{ '!': { missing: ['a', 'b.c'] } }, { some: [{ var: 'list' }, { var: 'inner' }] }, { var: ['d', 1] }],
    };
    deepStrictEqual([...membersOf(logic)].sort(), ['a', 'b', 'd', 'list']);
    deepStrictEqual(holds({ '!!': [[]] }, data), false);
    throws(() => evaluate({ log: 'x' }, data), /no operator log/);
  });
});
