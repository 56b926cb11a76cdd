/** Writes the rows of workflows and stages, as the reference stores them. */
import { deletePermission, insertPermission } from '../content/roles/role-rows.ts';
import { documentColumns } from '../content/rows/document-rows.ts';
import { deleteRows, insertRow, selectRows, updateRows } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { STAGES_TABLE, WORKFLOWS_TABLE } from '../schema/layout/review-tables.ts';
import { TRANSITION } from './workflow-rows.ts';

const STAGES_OF_WORKFLOW = 'strapi_workflows_stages_workflow_lnk';
const REQUIRED = 'strapi_workflows_stage_required_to_publish_lnk';
const PERMISSIONS = 'strapi_workflows_stages_permissions_lnk';

/** Makes other transactions that change workflows wait until this one ends. Call it before reading them. */
export async function lockWorkflows(tx: Transaction): Promise<void> {
  await tx.lock(() => [{ key: 'galley workflows', shared: false }]);
}

export interface NewStage {
  readonly name: string;
  readonly color: string;
  readonly workflow: number;
  /** The position in the workflow, from 1. */
  readonly order: number;
}

const timeOf = (tx: Transaction) => ({ updated_at: tx.dialect.encodeTime(Date.now()) });

/** Adds a workflow without stages, and returns its id. */
export function addWorkflow(tx: Transaction, name: string, types: readonly string[]): Promise<number> {
  const columns = documentColumns(tx, Date.now());
  return insertRow(tx, WORKFLOWS_TABLE, { ...columns, name, content_types: JSON.stringify(types) });
}

export function renameWorkflow(tx: Transaction, id: number, name: string): Promise<void> {
  return updateRows(tx, WORKFLOWS_TABLE, { name, ...timeOf(tx) }, { id });
}

/** Sets the types of a workflow. */
export function setTypes(tx: Transaction, id: number, types: readonly string[]): Promise<void> {
  return updateRows(tx, WORKFLOWS_TABLE, { content_types: JSON.stringify(types), ...timeOf(tx) }, { id });
}

/** Sets the stage in which documents may be published. */
export async function setRequired(tx: Transaction, workflow: number, stage: number | undefined): Promise<void> {
  await deleteRows(tx, REQUIRED, { workflow_id: workflow });
  if (stage !== undefined) await insertRow(tx, REQUIRED, { workflow_id: workflow, workflow_stage_id: stage });
}

/** Adds a stage without roles, and returns its id. */
export async function addStage(tx: Transaction, { name, color, workflow, order }: NewStage): Promise<number> {
  const id = await insertRow(tx, STAGES_TABLE, { ...documentColumns(tx, Date.now()), name, color });
  const link = { workflow_stage_id: id, workflow_id: workflow, workflow_stage_ord: order };
  await insertRow(tx, STAGES_OF_WORKFLOW, link);
  return id;
}

export async function updateStage(
  tx: Transaction,
  id: number,
  { name, color, workflow, order }: NewStage,
): Promise<void> {
  await updateRows(tx, STAGES_TABLE, { name, color, ...timeOf(tx) }, { id });
  const link = { workflow_stage_id: id, workflow_id: workflow };
  await updateRows(tx, STAGES_OF_WORKFLOW, { workflow_stage_ord: order }, link);
}

/** Removes a stage with its permissions. No document may be in it. */
export async function removeStage(tx: Transaction, id: number): Promise<void> {
  await setRoles(tx, id, { from: [], to: [] });
  // a database may lack the foreign keys that would do this
  for (const table of [STAGES_OF_WORKFLOW, REQUIRED]) await deleteRows(tx, table, { workflow_stage_id: id });
  await deleteRows(tx, STAGES_TABLE, { id });
}

/** Removes a workflow without stages. */
export async function removeWorkflow(tx: Transaction, id: number): Promise<void> {
  await setRequired(tx, id, undefined);
  await deleteRows(tx, WORKFLOWS_TABLE, { id });
}

/** Sets the roles that may move documents out of a stage, and into it: a permission for each. */
export async function setRoles(
  tx: Transaction,
  stage: number,
  roles: Readonly<Record<'from' | 'to', readonly number[]>>,
): Promise<void> {
  const stored = await selectRows(tx, PERMISSIONS, ['permission_id'], { workflow_stage_id: stage });
  await deleteRows(tx, PERMISSIONS, { workflow_stage_id: stage });
  for (const [permission] of stored) await deletePermission(tx, Number(permission));
  let order = 0;
  for (const side of ['from', 'to'] as const) {
    for (const role of roles[side]) {
      const wanted = { role, action: TRANSITION, subject: null, properties: {}, conditions: [] };
      const permission = await insertPermission(tx, wanted);
      const parameters = JSON.stringify({ [side]: stage });
      await updateRows(tx, 'admin_permissions', { action_parameters: parameters }, { id: permission });
      order += 1;
      await insertRow(tx, PERMISSIONS, {
        workflow_stage_id: stage,
        permission_id: permission,
        permission_ord: order,
      });
    }
  }
}
