/** Workflows of the tables as administrators edit them. Those that schema files declare are shown, and not changed. */
import type { ActionName } from '../db/interface/action.ts';
import type { Database } from '../db/interface/database.ts';
import { execute, selectRows } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { notFound, refusal } from '../errors.ts';
import { at, because, Failures, type Place, validationFailure } from '../failures.ts';
import { isObject } from '../plain-values.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import {
  DEFAULT_STAGE_COLOR,
  isStageName,
  MOST_STAGES,
  STAGE_COLOR,
  STAGE_NAME_LENGTH,
} from '../schema/review-stages.ts';
import { compileMoveLinksTo } from '../sql/review.ts';
import { rowLinksOf } from '../sql/row-links.ts';
import { successor } from './align-workflows.ts';
import {
  addStage,
  addWorkflow,
  lockWorkflows,
  removeStage,
  removeWorkflow,
  renameWorkflow,
  setRequired,
  setRoles,
  setTypes,
  updateStage,
} from './stored-workflows.ts';
import { MOST_WORKFLOWS, type StoredStage, type StoredWorkflow, storedWorkflows } from './workflow-rows.ts';
import type { Workflows } from './workflows.ts';

interface EditedContext {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly workflows: Workflows;
}

/** A workflow as the settings show it. */
export interface ShownWorkflow extends StoredWorkflow {
  /** The schema file that declares it; null: it can be changed. */
  readonly file: string | null;
}

interface WrittenStage {
  /** Undefined: a new stage. */
  readonly id: number | undefined;
  readonly name: string;
  readonly color: string;
  readonly from: readonly number[];
  readonly to: readonly number[];
}

interface WrittenWorkflow {
  readonly name: string;
  readonly stages: readonly WrittenStage[];
  /** The index of the required stage; undefined: none. */
  readonly required: number | undefined;
  readonly types: readonly string[];
}

export class EditedWorkflows {
  readonly #context: EditedContext;

  constructor(context: EditedContext) {
    this.#context = context;
  }

  /** All workflows, in the order of creation, with the roles that schema files name. */
  async list(): Promise<readonly ShownWorkflow[]> {
    const known = await this.#context.workflows.current();
    return known.all.map((stored) => {
      const file = this.#fileOf(stored);
      const [uid] = stored.types;
      const workflow = file === null || uid === undefined ? undefined : known.of({ uid });
      return { ...stored, stages: workflow?.stages ?? stored.stages, file };
    });
  }

  /** Uids of the types that a workflow may have: those of the project whose files declare no stages. */
  get types(): readonly ContentType[] {
    const { contentTypes } = this.#context.catalog;
    return [...contentTypes.values()].filter(
      ({ routed, unlisted, reviewStages, declared }) =>
        routed &&
        !unlisted &&
        !reviewStages &&
        !(isObject(declared['options']) && declared['options']['noStageAttribute'] === true),
    );
  }

  /** Creates a workflow and returns its id. @throws ContentError 400 with the paths of all mistakes. */
  async create(raw: unknown): Promise<number> {
    return this.#write(async (tx, all, roles) => {
      const body = this.#body(raw, roles, []);
      if (all.length >= MOST_WORKFLOWS) {
        const limit = { limit: MOST_WORKFLOWS };
        throw validationFailure(undefined, because(`there are at most ${MOST_WORKFLOWS} workflows`, 'tooMany', limit));
      }
      requireFree(all, body.name, undefined);
      const id = await addWorkflow(tx, body.name, []);
      await this.#store(tx, { id, name: body.name, stages: [], required: undefined, types: [] }, body, all);
      recordAction(tx, 'workflow.create', id, body);
      return { id, types: body.types };
    });
  }

  /**
   * Replaces a workflow. Documents of a removed stage move to the nearest stage before it.
   *
   * @throws ContentError as `create`; 404 for a missing one; 400 for one of a schema file.
   */
  async update(id: number, raw: unknown): Promise<void> {
    await this.#write(async (tx, all, roles) => {
      const stored = this.#changeable(all, id);
      const body = this.#body(raw, roles, stored.stages);
      requireFree(all, body.name, id);
      if (body.name !== stored.name) await renameWorkflow(tx, id, body.name);
      await this.#store(tx, stored, body, all);
      recordAction(tx, 'workflow.update', id, body);
      return { id, types: body.types };
    });
  }

  /** Deletes a workflow with its stages; its documents have none then. @throws ContentError as `update`. */
  async remove(id: number): Promise<void> {
    await this.#write(async (tx, all) => {
      const stored = this.#changeable(all, id);
      for (const stage of stored.stages) await removeStage(tx, stage.id);
      await removeWorkflow(tx, id);
      recordAction(tx, 'workflow.delete', id, stored);
      return { id, types: [] };
    });
  }

  /** Runs work on the workflows that are stored, with the ids of roles. Tables that types need exist before it. */
  async #write(
    work: (
      tx: Transaction,
      all: readonly StoredWorkflow[],
      roles: ReadonlySet<number>,
    ) => Promise<{ readonly id: number; readonly types: readonly string[] }>,
  ): Promise<number> {
    const { database, workflows } = this.#context;
    const { id } = await database.transaction(async (tx) => {
      await lockWorkflows(tx);
      const roles = new Set((await selectRows(tx, 'admin_roles', ['id'], {})).map(([role]) => Number(role)));
      const done = await work(tx, await storedWorkflows(tx), roles);
      tx.afterCommit(() => workflows.changed());
      return done;
    });
    // adds the tables that types of the workflow lack
    await workflows.current();
    return id;
  }

  #fileOf({ types }: StoredWorkflow): string | null {
    const declared = types.map((uid) => this.#context.catalog.contentTypes.get(uid)?.reviewStages);
    return declared.find((stages) => stages !== undefined)?.file ?? null;
  }

  #changeable(all: readonly StoredWorkflow[], id: number): StoredWorkflow {
    const stored = all.find((workflow) => workflow.id === id);
    if (!stored) throw notFound();
    const file = this.#fileOf(stored);
    if (file !== null) throw refusal(`The stages of this workflow are declared in ${file}`);
    return stored;
  }

  /** Stores the stages, the roles and the types of a workflow. */
  async #store(
    tx: Transaction,
    stored: StoredWorkflow,
    { stages, required, types }: WrittenWorkflow,
    all: readonly StoredWorkflow[],
  ): Promise<void> {
    const now: { readonly id: number }[] = [];
    for (const [order, stage] of stages.entries()) {
      const columns = { name: stage.name, color: stage.color, workflow: stored.id, order: order + 1 };
      const before = stored.stages.find(({ id }) => id === stage.id);
      if (before) await updateStage(tx, before.id, columns);
      const id = before?.id ?? (await addStage(tx, columns));
      if (!before || !hasRoles(before, stage)) await setRoles(tx, id, stage);
      now.push({ id });
    }
    for (const [index, stage] of stored.stages.entries()) {
      if (now.some(({ id }) => id === stage.id)) continue;
      await this.#moveAll(tx, stored.types, stage.id, successor(stored.stages, index, now).id);
      await removeStage(tx, stage.id);
    }
    // a type has one workflow
    for (const other of all) {
      const remaining = other.types.filter((uid) => !types.includes(uid));
      if (other.id !== stored.id && remaining.length < other.types.length) await setTypes(tx, other.id, remaining);
    }
    await setTypes(tx, stored.id, types);
    await setRequired(tx, stored.id, required === undefined ? undefined : now[required]!.id);
  }

  /** Moves the documents of types from one stage to another. */
  async #moveAll(tx: Transaction, types: readonly string[], from: number, to: number): Promise<void> {
    const { catalog, workflows } = this.#context;
    for (const uid of types) {
      const type = catalog.contentTypes.get(uid);
      if (type && workflows.isReady(type)) {
        await execute(tx, compileMoveLinksTo(rowLinksOf(type).stage), [to, from]);
      }
    }
  }

  /** @throws ContentError 400 with the paths of all mistakes. */
  #body(raw: unknown, roles: ReadonlySet<number>, stored: readonly StoredStage[]): WrittenWorkflow {
    if (!isObject(raw)) throw validationFailure(undefined, 'The request needs a JSON object as its body');
    const failures = new Failures();
    const { name, stages, types = [], required = null } = raw;
    if (!isStageName(name)) failures.add(at('name'), nameMistake(name), name);
    const written = stagesOf(stages, roles, stored, failures);
    const offered = new Set(this.types.map(({ uid }) => uid));
    if (!Array.isArray(types)) failures.add(at('types'), 'types must be a list of uids', types);
    else {
      types.forEach((uid: unknown, index) => {
        if (!offered.has(String(uid))) failures.add(at('types', index), 'this type cannot have the workflow', uid);
      });
    }
    const index = typeof required === 'number' && Number.isInteger(required) ? required : undefined;
    if (required !== null && (index === undefined || index < 0 || index >= written.length)) {
      failures.add(at('required'), 'required must be the index of a stage, or null', required);
    }
    failures.throwAny();
    return { name: String(name).trim(), stages: written, required: index, types: [...new Set(types as string[])] };
  }
}

/** Records a change of a workflow in the log of actions, with its stages and types. */
function recordAction(
  tx: Transaction,
  action: ActionName,
  id: number,
  { name, stages, types }: Pick<WrittenWorkflow, 'name' | 'types'> & { readonly stages: readonly { name: string }[] },
): void {
  const more = { stages: stages.map((stage) => stage.name), types };
  tx.recordAction({ action, type: 'plugin::review-workflows.workflow', id: String(id), name, more });
}

function stagesOf(
  stages: unknown,
  roles: ReadonlySet<number>,
  stored: readonly StoredStage[],
  failures: Failures,
): readonly WrittenStage[] {
  if (!Array.isArray(stages) || stages.length === 0 || stages.length > MOST_STAGES) {
    failures.add(at('stages'), `stages must be a list of 1 to ${MOST_STAGES} stages`);
    return [];
  }
  const names = new Set<string>();
  return stages.map((stage: unknown, index): WrittenStage => {
    const { id, name, color = DEFAULT_STAGE_COLOR, from = [], to = [] } = isObject(stage) ? stage : {};
    if (id !== undefined && !stored.some((one) => one.id === id)) {
      failures.add(at('stages', index, 'id'), 'id must be that of a stage of this workflow', id);
    }
    if (!isStageName(name)) failures.add(at('stages', index, 'name'), nameMistake(name), name);
    else if (names.has(name.trim())) {
      failures.add(at('stages', index, 'name'), because('another stage has this name', 'stageTaken'), name);
    } else names.add(name.trim());
    if (!(typeof color === 'string' && STAGE_COLOR.test(color))) {
      failures.add(at('stages', index, 'color'), 'color must be a color such as #4945FF', color);
    }
    return {
      id: id as number | undefined,
      name: String(name).trim(),
      color: String(color),
      from: rolesOf(from, at('stages', index, 'from'), roles, failures),
      to: rolesOf(to, at('stages', index, 'to'), roles, failures),
    };
  });
}

function rolesOf(value: unknown, place: Place, roles: ReadonlySet<number>, failures: Failures): readonly number[] {
  const isRight = Array.isArray(value) && value.every((role) => roles.has(role as number));
  if (!isRight) failures.add(place, because('these must be ids of roles', 'role'), value);
  return isRight ? [...new Set(value as number[])] : [];
}

const nameMistake = (name: unknown) =>
  typeof name !== 'string' || name.trim() === ''
    ? because('name is a required field', 'required')
    : because(`name must be at most ${STAGE_NAME_LENGTH} characters, without control characters`, 'tooLong', {
        limit: STAGE_NAME_LENGTH,
      });

/** @throws ContentError 400 for a name that another workflow has. */
function requireFree(all: readonly StoredWorkflow[], name: string, own: number | undefined): void {
  if (!all.some((other) => other.name === name && other.id !== own)) return;
  throw validationFailure(at('name'), because('another workflow has this name', 'workflowTaken'), name);
}

const hasRoles = (stored: StoredStage, stage: Pick<WrittenStage, 'from' | 'to'>): boolean =>
  (['from', 'to'] as const).every(
    (side) => stored[side].length === stage[side].length && stage[side].every((role) => stored[side].includes(role)),
  );
