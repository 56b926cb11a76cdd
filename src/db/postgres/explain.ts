/**
 * Explains how PostgreSQL runs a read (https://www.postgresql.org/docs/current/sql-explain.html). Statements of
 * requests are planned without their values, so the explained one is prepared, and its values are passed as settings,
 * since a command cannot have parameters.
 */
import { randomBytes } from 'node:crypto';
import type { SqlValue } from '../../sql/fragment.ts';
import type { Database, Read } from '../interface/database.ts';
import type { Executor } from '../interface/queryable.ts';
import type { EnginePlan, Handled } from '../migration/schema-engine.ts';
import type { LaneTimes } from '../scheduling/lanes.ts';
import { SIZES } from './table-sizes.ts';

/**
 * The thresholds for quick reads, in milliseconds, network included. They are larger than on SQLite, where a read
 * blocks the process: here it occupies a connection of its caller, and upper bounds are several times what a read
 * takes.
 */
export const LANE_TIMES: LaneTimes = { small: 10, bounded: 500, quick: 50, surprise: 300, surprises: 3 };

const TYPES = `select t.type::text from pg_prepared_statements p, unnest(p.parameter_types) with ordinality t (type, n)
  where p.name = $1 order by t.n`;

/** A step of a plan, with the server's names. */
interface Step {
  readonly 'Node Type': string;
  readonly 'Subplan Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'CTE Name'?: string;
  readonly Alias?: string;
  readonly 'Index Name'?: string;
  readonly 'Plan Rows': number;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Actual Total Time'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly Step[];
  readonly [detail: string]: unknown;
}

/** Details of a step that are printed with it. */
const DETAILS = ['Index Cond', 'Recheck Cond', 'Hash Cond', 'Merge Cond', 'Join Filter', 'Filter', 'Sort Key'];

export async function explain(database: Database, read: Read, limit: number | undefined): Promise<EnginePlan> {
  return database.separately!(async (executor) => {
    const plan = await planOf(executor, read, limit);
    const rows = await executor.rows(SIZES, []);
    const steps = flattened(plan);
    return {
      lines: linesOf(plan),
      scans: steps.flatMap(scanOf),
      sorts: steps.flatMap((step) => sortOf(step, read.table)),
      sizes: new Map(rows.map(([name, count]) => [String(name), Number(count)])),
      laneTimes: LANE_TIMES,
      collation: '"C"',
    };
  });
}

/** Explains in a read-only transaction that is rolled back. */
async function planOf(executor: Executor, { text, values }: Read, limit: number | undefined): Promise<Step> {
  // a pooler may lend the same connection to others
  const name = `galley_explained_${randomBytes(8).toString('hex')}`;
  await executor.rows('begin read only', []);
  await executor.rows('set local plan_cache_mode = force_generic_plan', []);
  if (limit !== undefined) await executor.rows(`select set_config('statement_timeout', $1, true)`, [String(limit)]);
  await executor.rows(`prepare ${name} as ${text}`, []);
  const types = (await executor.rows(TYPES, [name])).map(([type]) => String(type));
  const operands: string[] = [];
  for (const [index, type] of types.entries()) operands.push(await operandOf(executor, index, type, values[index]!));
  const run = limit === undefined ? '' : 'analyze, buffers, ';
  const list = operands.length === 0 ? '' : `(${operands.join(', ')})`;
  const [row] = await executor.rows(`explain (${run}format json) execute ${name}${list}`, []);
  await executor.rows(`deallocate ${name}`, []);
  await executor.rows('rollback', []);
  const plans = (typeof row![0] === 'string' ? JSON.parse(row![0]) : row![0]) as readonly { readonly Plan: Step }[];
  return plans[0]!.Plan;
}

/** An expression for a value: settings contain texts, and no null. */
async function operandOf(executor: Executor, index: number, type: string, value: SqlValue): Promise<string> {
  if (value === null) return `null::${type}`;
  const setting = `galley.value${index}`;
  await executor.rows('select set_config($1, $2, true)', [setting, String(value)]);
  return `current_setting('${setting}')::${type}`;
}

function flattened(step: Step): Step[] {
  return [step, ...(step.Plans ?? []).flatMap(flattened)];
}

function scanOf(step: Step): Handled[] {
  const table = step['Relation Name'];
  return table === undefined ? [] : [{ table, rows: examined(step) }];
}

/** The rows that a step has read, in all of its runs. */
function examined(step: Step): number | undefined {
  const { 'Actual Rows': rows, 'Actual Loops': loops } = step;
  if (rows === undefined || loops === undefined)
    return step['Node Type'] === 'Seq Scan' ? undefined : step['Plan Rows'];
  return Math.round((rows + (step['Rows Removed by Filter'] ?? 0)) * loops);
}

function sortOf(step: Step, listed: string): Handled[] {
  if (step['Node Type'] !== 'Sort') return [];
  const below = flattened(step).find((one) => one['Relation Name'] !== undefined || one['CTE Name'] !== undefined);
  const from = step.Plans?.[0];
  if (!below || !from) return [];
  const { 'Actual Rows': rows, 'Actual Loops': loops } = from;
  const sorted = rows === undefined || loops === undefined ? undefined : Math.round(rows * loops);
  const isOfFound = below['CTE Name'] === 'galley_found';
  return [{ table: below['Relation Name'] ?? listed, rows: sorted, isOfFound }];
}

function linesOf(step: Step, depth = 0): string[] {
  const indent = '  '.repeat(depth);
  const details = DETAILS.flatMap((name) => {
    const detail = step[name];
    return detail === undefined ? [] : [`${indent}    ${name}: ${[detail].flat().join(', ')}`];
  });
  const removed = step['Rows Removed by Filter'];
  if (removed) details.push(`${indent}    Rows Removed by Filter: ${removed}`);
  const below = (step.Plans ?? []).flatMap((one) => linesOf(one, depth + 1));
  return [`${indent}${titleOf(step)}`, ...details, ...below];
}

/** `CTE galley_found: Index Scan using i on articles t0 (rows 25, 0.1 ms, 4 blocks)`. */
function titleOf(step: Step): string {
  const subplan = step['Subplan Name'] === undefined ? '' : `${step['Subplan Name']}: `;
  const index = step['Index Name'] === undefined ? '' : ` using ${step['Index Name']}`;
  const table = step['Relation Name'] ?? step['CTE Name'];
  const on = table === undefined ? '' : ` on ${table}${step.Alias === undefined ? '' : ` ${step.Alias}`}`;
  const { 'Actual Rows': rows, 'Actual Loops': loops, 'Actual Total Time': time } = step;
  if (rows === undefined) return `${subplan}${step['Node Type']}${index}${on} (rows ${step['Plan Rows']} expected)`;
  const blocks = (step['Shared Hit Blocks'] ?? 0) + (step['Shared Read Blocks'] ?? 0);
  const runs = loops === 1 ? '' : `, ${loops} times`;
  return `${subplan}${step['Node Type']}${index}${on} (rows ${rows}, ${time?.toFixed(2)} ms${runs}, ${blocks} blocks)`;
}
