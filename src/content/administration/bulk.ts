/** One action on several documents, each in its own transaction: a refusal for one does not stop the others. */

import type { Viewer } from '../../access/view.ts';
import { ContentError } from '../../errors.ts';
import type { LocaleChoice } from '../../query/content-query.ts';
import { type Reason, shownFailures } from '../../reasons.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { Transitions } from '../documents/transitions.ts';
import type { DocumentWriter } from '../documents/writer.ts';

export type BulkAction =
  | { readonly name: 'publish' | 'unpublish'; readonly locales: LocaleChoice }
  /** Undefined: the whole document. */
  | { readonly name: 'delete'; readonly locales: readonly string[] | undefined };

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
 * Performs an action on documents of a type, one after the other, and reports the outcome of each. An error that is not
 * a refusal stops the action; what has been done until then stays.
 */
export async function runBulk(
  {
    transitions,
    writer,
  }: { readonly transitions: Pick<Transitions, 'run'>; readonly writer: Pick<DocumentWriter, 'delete'> },
  {
    type,
    viewer,
    documentIds,
  }: {
    readonly type: ContentType;
    readonly viewer: Viewer;
    readonly documentIds: readonly string[];
  },
  action: BulkAction,
): Promise<BulkOutcome> {
  const outcomes: Outcome[] = [];
  for (const documentId of documentIds) {
    try {
      if (action.name === 'delete') await writer.delete({ type, viewer, documentId, locales: action.locales });
      else await transitions.run({ ...action, type, viewer, documentId, shape: { fields: ['documentId'] } });
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
