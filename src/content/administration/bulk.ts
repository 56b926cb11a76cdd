/** One action on several documents, each in its own transaction: a refusal for one does not stop the others. */
import { ContentError } from '../../errors.ts';
import { type Reason, shownFailures } from '../../reasons.ts';

export type BulkName = 'publish' | 'unpublish' | 'delete';

export interface Outcome {
  readonly documentId: string;
  /** Null: it is done. */
  readonly error: {
    readonly status: number;
    readonly name: string;
    readonly message: string;
    readonly reason?: Reason;
    /** Of values, each with its path and reason. */
    readonly errors: readonly unknown[];
  } | null;
}

/** The outcome of each document, and the error that stopped the action early; undefined if it did not stop. */
export interface BulkOutcome {
  readonly outcomes: readonly Outcome[];
  readonly failure: Error | undefined;
}

/**
 * Performs an action on documents, one after the other, and reports the outcome of each. An error that is not a refusal
 * stops the action; what has been done until then stays.
 */
export async function runBulk(
  documentIds: readonly string[],
  perform: (documentId: string) => Promise<unknown>,
): Promise<BulkOutcome> {
  const outcomes: Outcome[] = [];
  for (const documentId of documentIds) {
    try {
      await perform(documentId);
      outcomes.push({ documentId, error: null });
    } catch (error) {
      if (!(error instanceof ContentError) || error.status >= 500) return { outcomes, failure: error as Error };
      const { status, name, message, details, reason } = error;
      const why = reason === undefined ? {} : { reason };
      outcomes.push({
        documentId,
        error: { status, name, message, ...why, errors: shownFailures(details?.['errors']) },
      });
    }
  }
  return { outcomes, failure: undefined };
}
