/** Several writes in one transaction, all or nothing (ours: docs/reference/extensions.md, "Batches"). */
import type { Database } from '../../db/interface/database.ts';
import type { Lock } from '../../db/interface/transaction.ts';
import { ContentError } from '../../errors.ts';
import { located } from '../../query/batch.ts';
import type { LocaleStore } from '../locales/locale-store.ts';
import { type Answer, AnswerBudget, type OneText, Settling } from '../reading/answers.ts';
import type { Reader } from '../reading/reader.ts';
import { documentLock, locksOfLinks } from '../rows/locks.ts';
import { Pace } from '../rows/write-context.ts';
import { MAX_PASSWORDS } from '../validation/passwords.ts';
import { PatternTime } from '../validation/pattern-time.ts';
import type { TransitionRequest, Transitions } from './transitions.ts';
import type { Prepared, RemovalRequest, WriteRequest } from './write-request.ts';
import type { Writer } from './writer.ts';

/** One operation, its rights and its parameters checked. */
export type Operation =
  | { readonly action: 'create'; readonly request: WriteRequest }
  | { readonly action: 'update'; readonly request: WriteRequest; readonly documentId: string }
  | { readonly action: 'delete'; readonly removal: RemovalRequest }
  | { readonly action: 'move'; readonly request: TransitionRequest & { readonly documentId: string } };

export interface BatchContext {
  readonly database: Database;
  readonly reader: Reader;
  readonly writer: Writer;
  readonly transitions: Transitions;
  readonly locales: LocaleStore;
}

/** The result of an operation: the document, its versions for a transition, null for a removal. */
export type Outcome = OneText | readonly OneText[] | null;

/**
 * Performs operations one after the other. Each sees the changes of the earlier ones. The keys of all are checked
 * before the first runs.
 *
 * @throws ContentError of the first operation that fails, with its index before the paths, and 400 if all answers
 * together are too long. In both cases nothing is written.
 */
export async function runBatch(context: BatchContext, operations: readonly Operation[]): Promise<Outcome[]> {
  const { database, writer, locales } = context;
  const defaultLocale = await locales.default();
  const prepared: (Prepared | undefined)[] = [];
  let passwords = MAX_PASSWORDS;
  const pace = new Pace();
  for (const [index, operation] of operations.entries()) {
    await pace.breathe();
    if (operation.action !== 'create' && operation.action !== 'update') {
      prepared.push(undefined);
      continue;
    }
    const documentId = operation.action === 'update' ? operation.documentId : undefined;
    const step = await at(index, true, writer.prepare(operation.request, documentId, passwords));
    passwords -= step.passwords;
    prepared.push(step);
  }
  // of the attempt that succeeds
  let budget = new AnswerBudget(context.reader.longest);
  const answers = await database.transaction(async (tx) => {
    // all at once, in one order: two batches over the same documents do not wait for each other
    await tx.lock(() => operations.flatMap((operation, index) => locksOf(operation, prepared[index])));
    const answers: (Answer | readonly Answer[] | null)[] = [];
    budget = new AnswerBudget(context.reader.longest);
    const patterns = new PatternTime();
    for (const [index, operation] of operations.entries()) {
      switch (operation.action) {
        case 'create':
          answers.push(await at(index, true, writer.createIn(tx, operation.request, prepared[index]!, { patterns })));
          break;
        case 'update': {
          const { request, documentId } = operation;
          answers.push(await at(index, true, writer.updateIn(tx, request, documentId, prepared[index]!, { patterns })));
          break;
        }
        case 'delete': {
          await at(index, false, writer.deleteIn(tx, operation.removal));
          answers.push(null);
          break;
        }
        case 'move':
          answers.push(
            await at(index, false, context.transitions.runIn(tx, operation.request, defaultLocale, patterns)),
          );
      }
      for (const answer of [answers.at(-1) ?? []].flat() as Answer[]) if ('data' in answer) budget.take(answer.data);
    }
    return answers;
  });
  const settling = new Settling(budget);
  const outcomes: Outcome[] = [];
  for (const answer of answers) outcomes.push(await outcomeOf(settling, answer));
  return outcomes;
}

/** A postponed answer shows its document as it is after the whole batch: null if a later operation removed it. */
async function outcomeOf(settling: Settling, answer: Answer | readonly Answer[] | null): Promise<Outcome> {
  if (answer === null) return null;
  try {
    return 'map' in answer ? await settling.settleAll(answer) : await settling.settle(answer);
  } catch (error) {
    if (error instanceof ContentError && error.name === 'NotFoundError') return null;
    throw error;
  }
}

/** Waits for a step of an operation. The paths of failing values begin with `data`. */
async function at<T>(index: number, withinData: boolean, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw located(error, index, withinData ? ['data'] : []);
  }
}

function locksOf(operation: Operation, prepared: Prepared | undefined): Lock[] {
  const locks = prepared ? locksOfLinks(prepared.permitted.row) : [];
  if (operation.action === 'create') return locks;
  if (operation.action === 'delete') return [documentLock(operation.removal.type.uid, operation.removal.documentId)];
  const { request } = operation;
  const documentId = operation.action === 'update' ? operation.documentId : operation.request.documentId;
  return [...locks, documentLock(request.type.uid, documentId)];
}
