/**
 * Keeps stages in step with changes of documents: a new document begins in the first stage, and a published row gets the
 * stage and the assignee of its draft. Types without stages cost no statement.
 */
import type { Change } from '../db/interface/change.ts';
import { send } from '../db/interface/statements.ts';
import type { ChangeListener, Transaction } from '../db/interface/transaction.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import { compileLinkAsDraft, compileLinkNew, compileUnlink } from '../sql/review.ts';
import { rowLinksOf } from '../sql/row-links.ts';
import type { Workflows } from './workflows.ts';

export class StageFollower implements ChangeListener {
  readonly #workflows: Workflows;
  readonly #catalog: () => Catalog | undefined;

  constructor(workflows: Workflows, catalog: () => Catalog | undefined) {
    this.#workflows = workflows;
    this.#catalog = catalog;
  }

  async record(tx: Transaction, changes: readonly Change[]): Promise<void> {
    const { last } = this.#workflows;
    for (const change of changes) {
      const type = this.#catalog()?.contentTypes.get(change.uid);
      const workflow = type && last.of(type);
      if (!workflow || !this.#workflows.isReady(type) || change.after === undefined) continue;
      if (change.status === 'published' && type.draftAndPublish) await copyLinks(tx, type, change.after);
      else if (change.before === undefined) {
        await send(tx, compileLinkNew(rowLinksOf(type).stage), [change.after, workflow.stages[0].id]);
      }
    }
  }
}

/** Gives a published row the stage and the assignee of its draft. */
async function copyLinks(tx: Transaction, type: ContentType, row: number): Promise<void> {
  for (const links of Object.values(rowLinksOf(type))) {
    await send(tx, compileUnlink(links), [row]);
    await send(tx, compileLinkAsDraft(tx.dialect, links), [row]);
  }
}
