/** The rows of workflows and stages, as the reference stores them. */
import type { Queryable } from '../db/interface/queryable.ts';
import { jsonOf, query, selectRows } from '../db/interface/statements.ts';
import { isObject } from '../plain-values.ts';
import { MOST_STAGES } from '../schema/review-stages.ts';
import { compileRequiredStages, compileStagePermissions, compileStages, compileWorkflows } from '../sql/review.ts';

/** Workflows that are read, as many as the reference permits. */
export const MOST_WORKFLOWS = 200;
const MOST_ROWS = MOST_WORKFLOWS * MOST_STAGES;

/** The action of the permissions that move documents between stages. */
export const TRANSITION = 'admin::review-workflows.stage.transition';

export interface StoredStage {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  /** Ids of the roles that may move documents out of the stage, and into it. */
  readonly from: readonly number[];
  readonly to: readonly number[];
}

export interface StoredWorkflow {
  readonly id: number;
  readonly name: string;
  readonly stages: readonly StoredStage[];
  /** The id of the stage in which documents may be published; undefined for any. */
  readonly required: number | undefined;
  /** Uids of the types. */
  readonly types: readonly string[];
}

/** All workflows, in the order of their ids, with their stages in order. */
export async function storedWorkflows(db: Queryable): Promise<readonly StoredWorkflow[]> {
  const workflows = await query(db, compileWorkflows(MOST_WORKFLOWS));
  if (workflows.length === 0) return [];
  const stages = Map.groupBy(await query(db, compileStages(MOST_ROWS)), ([workflow]) => Number(workflow));
  const required = await query(db, compileRequiredStages(MOST_ROWS));
  const permissions = await query(db, compileStagePermissions(MOST_ROWS), [TRANSITION]);
  const rolesOf = new Map<number, Record<'from' | 'to', Set<number>>>();
  for (const [stage, role, , parameters] of permissions) {
    const key = Number(stage);
    const roles = rolesOf.get(key) ?? { from: new Set(), to: new Set() };
    rolesOf.set(key, roles);
    const value = jsonOf(parameters);
    for (const side of ['from', 'to'] as const) {
      if (isObject(value) && Number(value[side]) === key) roles[side].add(Number(role));
    }
  }
  return workflows.map(([id, name, types]) => {
    const own = (stages.get(Number(id)) ?? []).map(([, stage, stageName, color]): StoredStage => {
      const roles = rolesOf.get(Number(stage));
      return {
        id: Number(stage),
        name: String(stageName ?? ''),
        color: String(color ?? ''),
        from: [...(roles?.from ?? [])],
        to: [...(roles?.to ?? [])],
      };
    });
    const needed = Number(required.find(([workflow]) => Number(workflow) === Number(id))?.[1]);
    return {
      id: Number(id),
      name: String(name ?? ''),
      stages: own,
      required: own.find((stage) => stage.id === needed)?.id,
      types: typesIn(types),
    };
  });
}

/** The uids of all types with a workflow. */
export async function typesWithWorkflow(db: Queryable): Promise<ReadonlySet<string>> {
  return new Set((await query(db, compileWorkflows(MOST_WORKFLOWS))).flatMap(([, , types]) => typesIn(types)));
}

/** The ids of administrators' roles by their codes. */
export async function roleIds(db: Queryable): Promise<ReadonlyMap<string, number>> {
  const rows = await selectRows(db, 'admin_roles', ['code', 'id'], {}, ['id']);
  return new Map(rows.map(([code, id]) => [String(code), Number(id)]));
}

/** The uids in a column of JSON. */
export function typesIn(value: unknown): readonly string[] {
  const types = jsonOf(value);
  return Array.isArray(types) ? types.filter((uid) => typeof uid === 'string') : [];
}
