/** How many rows PostgreSQL looks at for a statement, as it plans it for a large table without knowing the values. */
import type { Database } from '../../../src/db/interface/database.ts';
import type { Recorded } from './recording.ts';

/** The most rows that a part of the statement's plan is found to have looked at. */
export async function mostLookedAt(database: Database, { text, values }: Recorded): Promise<number> {
  const given = values.map((value) => (value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`));
  const rows = await database.transaction(async (tx) => {
    // of a statement with parameters `explain` would tell the plan for their values
    await tx.rows(`prepare looked as ${text}`, []);
    await tx.rows('set local plan_cache_mode = force_generic_plan', []);
    // as it is with many more rows: a few are not found by going through all, nor by sorting them
    for (const way of ['sort', 'seqscan', 'hashjoin', 'mergejoin']) await tx.rows(`set local enable_${way} = off`, []);
    const plan = await tx.rows(`explain (analyze, timing off) execute looked (${given.join()})`, []);
    await tx.rows('deallocate looked', []);
    return plan;
  });
  const plan = rows.map(([line]) => String(line)).join('\n');
  const counts = plan.matchAll(/rows=(\d+)\S* loops=(\d+)|Removed by (?:Filter|Index Recheck): (\d+)/g);
  return Math.max(...[...counts].map(([, found, loops, removed]) => Number(removed ?? Number(found) * Number(loops))));
}
