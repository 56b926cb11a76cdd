/** The stage in which documents of a type may be published, for administrators and for every other caller. */
import type { PublicationRule } from '../content/rows/write-context.ts';
import { query } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { validation } from '../errors.ts';
import { reason } from '../reasons.ts';
import type { ContentType } from '../schema/catalog.ts';
import { compileReviewOf } from '../sql/review.ts';
import { rowLinksOf } from '../sql/row-links.ts';
import { stageIn, type Workflows } from './workflows.ts';

/** Refuses publications of documents that are not in the required stage. */
export function stageRule(workflows: Workflows): PublicationRule {
  const check = async (tx: Transaction, type: ContentType, draft: number | undefined): Promise<void> => {
    const workflow = await workflows.within(tx, type);
    if (!workflow?.required) return;
    const { stage: link, assignee } = rowLinksOf(type);
    const [row] = draft === undefined ? [] : await query(tx, compileReviewOf(link, assignee), [draft]);
    const id = row?.[0] ?? null;
    const stage = stageIn(workflow, id === null ? null : Number(id));
    if (stage.id === workflow.required.id) return;
    const stages = { stage: stage.name, required: workflow.required.name };
    throw validation(
      `Documents of ${type.displayName} are published in the stage "${stages.required}": this one is in the stage "${stages.stage}"`,
      stages,
      reason('stage', stages),
    );
  };
  return {
    check: (tx, type, draft) => {
      const known = workflows.known();
      return known && !known.of(type)?.required ? undefined : check(tx, type, draft);
    },
  };
}
