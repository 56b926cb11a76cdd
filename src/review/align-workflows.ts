/**
 * Brings the tables of workflows up to the stages that schema files declare: documents are linked to rows of stages, and
 * the reference shows them. Rows that fit stay, so that documents keep their stages.
 */
import type { Database } from '../db/interface/database.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { execute } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import type { Catalog, ContentType, ReviewStages } from '../schema/catalog.ts';
import { compileMoveLinksTo } from '../sql/review.ts';
import { rowLinksOf } from '../sql/row-links.ts';
import {
  addStage,
  addWorkflow,
  lockWorkflows,
  removeStage,
  setRequired,
  setTypes,
  updateStage,
} from './stored-workflows.ts';
import { roleIds, type StoredStage, type StoredWorkflow, storedWorkflows } from './workflow-rows.ts';

type Declaring = ContentType & { readonly reviewStages: ReviewStages };

/** The name of the workflow of a type whose file declares stages. */
const nameOf = ({ uid, displayName }: ContentType): string => `${displayName} (${uid})`;

/**
 * Aligns the tables with the schema files.
 *
 * @returns warnings about roles that do not exist.
 */
export async function alignWorkflows(database: Database, { contentTypes }: Catalog): Promise<readonly string[]> {
  const types = [...contentTypes.values()];
  const declaring = types.filter((type): type is Declaring => type.reviewStages !== undefined);
  const former = (all: readonly StoredWorkflow[]) =>
    all.filter(({ name, types: own }) =>
      types.some((type) => !type.reviewStages && name === nameOf(type) && own.includes(type.uid)),
    );
  const fits = async (db: Queryable): Promise<boolean> => {
    const all = await storedWorkflows(db);
    return former(all).length === 0 && declaring.every((type) => isAligned(type, all));
  };
  if (!(await fits(database))) {
    await database.transaction(async (tx) => {
      await lockWorkflows(tx);
      // another process may have been faster
      if (await fits(tx)) return;
      for (const workflow of former(await storedWorkflows(tx))) await setTypes(tx, workflow.id, []);
      for (const type of declaring) await align(tx, type, await storedWorkflows(tx));
    });
  }
  return declaring.length === 0 ? [] : unknownRoles(declaring, await roleIds(database));
}

function unknownRoles(types: readonly Declaring[], roles: ReadonlyMap<string, number>): readonly string[] {
  return types.flatMap(({ reviewStages: { file, stages } }) => {
    const codes = new Set(stages.flatMap(({ from, to }) => [...from, ...to]));
    const missing = [...codes].filter((code) => !roles.has(code));
    if (missing.length === 0) return [];
    return [`${file}: reviewStages names roles that administrators do not have: ${missing.join(', ')}`];
  });
}

/** The workflow that the type has now, or had before. */
const workflowOf = (type: Declaring, all: readonly StoredWorkflow[]): StoredWorkflow | undefined =>
  all.find(({ types }) => types.length === 1 && types[0] === type.uid) ??
  all.find(({ name, types }) => types.length === 0 && name === nameOf(type));

function isAligned(type: Declaring, all: readonly StoredWorkflow[]): boolean {
  const own = all.filter(({ types }) => types.includes(type.uid));
  const workflow = workflowOf(type, own);
  const { stages, requiredToPublish } = type.reviewStages;
  return (
    own.length === 1 &&
    workflow?.stages.length === stages.length &&
    stages.every(({ name, color }, n) => workflow.stages[n]!.name === name && workflow.stages[n]!.color === color) &&
    workflow.stages.find(({ id }) => id === workflow.required)?.name === requiredToPublish
  );
}

async function align(tx: Transaction, type: Declaring, all: readonly StoredWorkflow[]): Promise<void> {
  const { stages, requiredToPublish } = type.reviewStages;
  const own = workflowOf(type, all);
  const id = own?.id ?? (await addWorkflow(tx, nameOf(type), []));
  await setTypes(tx, id, [type.uid]);
  const before = own?.stages ?? [];
  const now: StoredStage[] = [];
  for (const [order, { name, color }] of stages.entries()) {
    const stored = before.find((stage) => stage.name === name);
    if (stored) await updateStage(tx, stored.id, { name, color, order: order + 1, workflow: id });
    const added = stored?.id ?? (await addStage(tx, { name, color, order: order + 1, workflow: id }));
    now.push({ id: added, name, color, from: [], to: [] });
  }
  for (const [index, stage] of before.entries()) {
    if (now.some((kept) => kept.id === stage.id)) continue;
    await moveAll(tx, type, stage.id, successor(before, index, now).id);
    await removeStage(tx, stage.id);
  }
  // a workflow of several types goes on without this one, whose documents keep the names of their stages
  for (const other of all) {
    if (other.id === id || !other.types.includes(type.uid)) continue;
    const types = other.types.filter((uid) => uid !== type.uid);
    await setTypes(tx, other.id, types);
    for (const stage of other.stages) {
      const same = now.find(({ name }) => name === stage.name) ?? now[0]!;
      await moveAll(tx, type, stage.id, same.id);
    }
  }
  await setRequired(tx, id, now.find(({ name }) => name === requiredToPublish)?.id);
}

/** The nearest stage before a removed one that stays, as in the reference; else the first. */
export function successor<S extends { readonly id: number }>(
  before: readonly S[],
  index: number,
  now: readonly { readonly id: number }[],
): { readonly id: number } {
  const kept = before.slice(0, index).findLast(({ id }) => now.some((stage) => stage.id === id));
  return kept ?? before.slice(index + 1).find(({ id }) => now.some((stage) => stage.id === id)) ?? now[0]!;
}

/** Moves all documents of a type from one stage to another. */
async function moveAll(tx: Transaction, type: ContentType, from: number, to: number): Promise<void> {
  await execute(tx, compileMoveLinksTo(rowLinksOf(type).stage), [to, from]);
}
