/**
 * The workflow of each type: the stages of review, from its schema file or from the tables of workflows. They are cached
 * until the database changes, so that a write of a type without stages needs no statement to learn that it has none.
 */
import type { Database } from '../db/interface/database.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { unavailable } from '../errors.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import { roleIds, type StoredStage, type StoredWorkflow, storedWorkflows } from './workflow-rows.ts';

export type Stage = StoredStage;

/** The workflow of a type. */
export interface Workflow {
  readonly id: number;
  readonly name: string;
  /** At least one, in their order. Documents begin in the first, and those without a stage are in it. */
  readonly stages: readonly [Stage, ...Stage[]];
  /** The stage in which documents may be published; undefined for any. */
  readonly required: Stage | undefined;
  /** The schema file that declares the stages; undefined for those of the tables. */
  readonly file: string | undefined;
}

/** The workflows of one moment. */
export interface WorkflowSnapshot {
  of(type: Pick<ContentType, 'uid'>): Workflow | undefined;
  /** All of them, those without types included. */
  readonly all: readonly StoredWorkflow[];
}

interface WorkflowsContext {
  readonly database: Database;
  /** Adds the tables in which rows of types have their stages. */
  readonly addTables: (types: readonly ContentType[]) => Promise<void>;
}

const NONE: WorkflowSnapshot = { of: () => undefined, all: [] };

/** Milliseconds between two checks for changes by other processes. */
const LOOK = 250;

export class Workflows {
  readonly #context: WorkflowsContext;
  #catalog: Catalog = { contentTypes: new Map(), components: new Map() };
  #known = NONE;
  #generation = Number.NaN;
  /** Grows with each change by this process, and the value of it that the known workflows belong to. */
  #epoch = 0;
  #readEpoch = -1;
  /** Whether a statement of this process may have changed the tables, such as one of project code. */
  #mayDiffer = false;
  /** Uids of types whose rows have tables for their stages. */
  readonly #ready = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #removeBell: () => void = () => {};

  constructor(context: WorkflowsContext) {
    this.#context = context;
    context.database.subscribe({
      afterCachedChange: () => {
        this.#mayDiffer = true;
      },
    });
  }

  /** Sets the types of the served project, and those whose tables exist, and watches for changes from then on. */
  async use(catalog: Catalog, ready: readonly ContentType[]): Promise<void> {
    this.#catalog = catalog;
    this.#ready.clear();
    for (const { uid } of ready) this.#ready.add(uid);
    this.#epoch += 1;
    await this.current();
    this.#timer ??= setInterval(() => void this.#poll(), LOOK).unref();
    this.#removeBell();
    this.#removeBell = this.#context.database.bell?.onChange(() => void this.#poll()) ?? this.#removeBell;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#removeBell();
  }

  /** The last known workflows, which another process may have changed a moment ago. */
  get last(): WorkflowSnapshot {
    return this.#known;
  }

  /** The workflows as far as they are cached; undefined after a change. */
  known(): WorkflowSnapshot | undefined {
    return this.#readEpoch === this.#epoch && !this.#isOutdated ? this.#known : undefined;
  }

  /** The workflows, with the tables that they need. */
  async current(): Promise<WorkflowSnapshot> {
    const known = this.known() ?? (await this.#read(this.#context.database));
    await this.addTables(this.#missing(known));
    return known;
  }

  /**
   * The workflow of a type within a transaction.
   *
   * @throws ContentError 503 while the tables for the stages of the type are missing.
   */
  async within(tx: Queryable, type: ContentType): Promise<Workflow | undefined> {
    const workflow = (this.known() ?? (await this.#read(tx))).of(type);
    if (!workflow || this.#ready.has(type.uid)) return workflow;
    // tables are added by another transaction, which may have to wait for this one
    void this.current().catch(() => undefined);
    throw unavailable(`The stages of review of ${type.uid} are being set up`);
  }

  /** Has the workflows read again, after a transaction of this process has changed them. */
  changed(): void {
    this.#epoch += 1;
  }

  /** Adds the tables in which rows of types have their stages. */
  async addTables(types: readonly ContentType[]): Promise<void> {
    const missing = types.filter(({ uid }) => !this.#ready.has(uid));
    if (missing.length === 0) return;
    await this.#context.addTables(missing);
    for (const { uid } of missing) this.#ready.add(uid);
  }

  /** Whether the rows of a type have tables for their stages. */
  isReady({ uid }: ContentType): boolean {
    return this.#ready.has(uid);
  }

  #missing({ of }: WorkflowSnapshot): readonly ContentType[] {
    return [...this.#catalog.contentTypes.values()].filter((type) => !this.#ready.has(type.uid) && of(type));
  }

  /** Whether another process has written since the last read, as far as the engine tells without a query. */
  get #isOutdated(): boolean {
    if (this.#context.database.bell || this.#timer === undefined) return false;
    return this.#context.database.generation() !== this.#generation;
  }

  async #poll(): Promise<void> {
    try {
      const { database } = this.#context;
      const isCurrent = this.#readEpoch === this.#epoch && database.generation() === this.#generation;
      if (isCurrent && !this.#mayDiffer) return;
      await this.#read(database);
      await this.current();
    } catch {
      // the database is unavailable: the next poll tries again
    }
  }

  async #read(db: Queryable): Promise<WorkflowSnapshot> {
    const generation = this.#context.database.generation();
    const [epoch, catalog] = [this.#epoch, this.#catalog];
    this.#mayDiffer = false;
    const all = await storedWorkflows(db);
    const byType = await this.#byType(db, all, catalog);
    const known = { all, of: ({ uid }: Pick<ContentType, 'uid'>) => byType.get(uid) };
    // a newer read has already finished, or the project was replaced
    if (catalog !== this.#catalog || epoch < this.#readEpoch) return known;
    this.#known = known;
    this.#readEpoch = epoch;
    this.#generation = generation;
    return known;
  }

  async #byType(
    db: Queryable,
    all: readonly StoredWorkflow[],
    { contentTypes }: Catalog,
  ): Promise<ReadonlyMap<string, Workflow>> {
    const byType = new Map<string, Workflow>();
    let roles: ReadonlyMap<string, number> | undefined;
    for (const stored of all) {
      for (const uid of stored.types) {
        const type = contentTypes.get(uid);
        // of several workflows the oldest applies, as in the reference
        if (!type?.routed || byType.has(uid)) continue;
        if (type.reviewStages) roles ??= await roleIds(db);
        const workflow = workflowOf(type, stored, roles);
        if (workflow) byType.set(uid, workflow);
      }
    }
    return byType;
  }
}

/** The workflow of a type: the stages of the tables, with the roles of its schema file where there is one. */
function workflowOf(
  { reviewStages }: ContentType,
  { id, name, stages, required }: StoredWorkflow,
  roles: ReadonlyMap<string, number> = new Map(),
): Workflow | undefined {
  const idsOf = (codes: readonly string[] = []) => codes.flatMap((code) => roles.get(code) ?? []);
  const shown = stages.map((stage): Stage => {
    if (!reviewStages) return stage;
    const declared = reviewStages.stages.find((one) => one.name === stage.name);
    return { ...stage, from: idsOf(declared?.from), to: idsOf(declared?.to) };
  });
  const [first, ...more] = shown;
  if (!first) return undefined;
  const needed = shown.find((stage) => stage.id === required);
  return { id, name, stages: [first, ...more], required: needed, file: reviewStages?.file };
}

/** The stage of an id in a workflow; the first for a row without a stage, and for a stage of another workflow. */
export const stageIn = ({ stages }: Workflow, id: number | null): Stage =>
  stages.find((stage) => stage.id === id) ?? stages[0];
