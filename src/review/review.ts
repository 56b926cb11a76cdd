/** Stages of review and comments: the parts that live as long as the process. */
import type { PublicationRule } from '../content/rows/write-context.ts';
import type { Database } from '../db/interface/database.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import { alignWorkflows } from './align-workflows.ts';
import { stageRule } from './publication-rule.ts';
import { StageFollower } from './stage-follower.ts';
import { typesWithWorkflow } from './workflow-rows.ts';
import { Workflows } from './workflows.ts';

interface ReviewContext {
  readonly database: Database;
  /** Adds the tables in which rows of types have their stages. */
  readonly addTables: (types: readonly ContentType[]) => Promise<void>;
}

export class Review {
  readonly workflows: Workflows;
  /** The stage in which documents may be published. */
  readonly publicationRule: PublicationRule;
  readonly #database: Database;
  #catalog: Catalog | undefined;

  constructor(context: ReviewContext) {
    this.#database = context.database;
    this.workflows = new Workflows(context);
    this.publicationRule = stageRule(this.workflows);
    context.database.subscribe(new StageFollower(this.workflows, () => this.#catalog));
  }

  /**
   * The types whose rows need tables for their stages: those whose files declare stages, and those of stored workflows.
   *
   * @param isStored whether the database has the tables of workflows.
   */
  async typesOf({ contentTypes }: Catalog, isStored: boolean): Promise<readonly ContentType[]> {
    const stored = isStored ? await typesWithWorkflow(this.#database) : new Set<string>();
    return [...contentTypes.values()].filter(
      ({ uid, routed, reviewStages }) => routed && (reviewStages || stored.has(uid)),
    );
  }

  /**
   * Begins to work for a project, whose types have their tables.
   *
   * @returns warnings about the stages that its files declare.
   */
  async use(catalog: Catalog, ready: readonly ContentType[]): Promise<readonly string[]> {
    this.#catalog = catalog;
    const warnings = await alignWorkflows(this.#database, catalog);
    await this.workflows.use(catalog, ready);
    return warnings;
  }

  close(): void {
    this.workflows.close();
  }
}
