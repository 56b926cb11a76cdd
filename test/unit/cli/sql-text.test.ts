/** How statements are laid out for a person. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { layOutSql } from '../../../src/db/explain/sql-text.ts';

describe('a formatted statement', () => {
  it('has a line for each clause, and indents subqueries', () => {
    const text = `with a as materialized (select t0."id" from "x" t0 where t0."a" between ? and ? and t0."b" in (select t1."id" from "y" t1)) select (select count(*) from a), case when 1 = 1 and 2 = 2 then max(1, 2) end from a left join "z" t2 on t2."id" = a."id" order by 1 limit ? offset ?`;
    deepStrictEqual(layOutSql(text), [
      'with a as materialized (',
      '  select t0."id"',
      '  from "x" t0',
      '  where t0."a" between ? and ?',
      '  and t0."b" in (',
      '    select t1."id"',
      '    from "y" t1',
      '  )',
      ')',
      'select (',
      '  select count(*)',
      '  from a',
      '), case when 1 = 1 and 2 = 2 then max(1, 2) end',
      'from a',
      'left join "z" t2 on t2."id" = a."id"',
      'order by 1',
      'limit ? offset ?',
    ]);
  });

  it('changes only white space', () => {
    const text = `select concat('a  ( from', t0."where  x", 'it''s') from "order" t0 where (t0."a" = 1 and t0."b" = 2) or t0."c" = 3`;
    deepStrictEqual(layOutSql(text), [
      `select concat('a  ( from', t0."where  x", 'it''s')`,
      'from "order" t0',
      'where (t0."a" = 1 and t0."b" = 2) or t0."c" = 3',
    ]);
  });

  it('continues a long list in the next line', () => {
    const columns = Array.from({ length: 40 }, (_, n) => `t0."column_${n}"`).join(', ');
    const lines = layOutSql(`select ${columns} from "x" t0`);
    strictEqual(lines.join(' ').replaceAll(/ +/g, ' '), `select ${columns} from "x" t0`);
    strictEqual(Math.max(...lines.map((line) => line.length)) < 140, true);
  });
});
