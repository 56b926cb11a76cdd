/** Renames types in stored workflows, which name their types in a list. */
import { query } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import type { FormerNames } from '../schema/editing/places.ts';
import { compileWorkflows } from '../sql/review.ts';
import { lockWorkflows, setTypes } from './stored-workflows.ts';
import { MOST_WORKFLOWS, typesIn } from './workflow-rows.ts';

export async function renameInWorkflows(tx: Transaction, { types }: FormerNames): Promise<void> {
  if (types.size === 0) return;
  await lockWorkflows(tx);
  const present = new Map(Array.from(types, ([uid, former]) => [former, uid]));
  for (const [id, , stored] of await query(tx, compileWorkflows(MOST_WORKFLOWS))) {
    const former = typesIn(stored);
    const renamed = former.map((uid) => present.get(uid) ?? uid);
    if (former.some((uid) => present.has(uid))) await setTypes(tx, Number(id), renamed);
  }
}
