/**
 * Runs releases: all of their actions in one transaction, or none. Unpublishing comes first, so that the values of
 * documents that disappear are free for others; otherwise actions run in the order of the release.
 */
import { isEdited } from '../access/administrators/administrator-rights.ts';
import type { Viewer } from '../access/view.ts';
import type { EditingServices } from '../content/administration/document-states.ts';
import type { TransitionRequest, Transitions } from '../content/documents/transitions.ts';
import type { LocaleStore } from '../content/locales/locale-store.ts';
import { documentLock } from '../content/rows/locks.ts';
import { PatternTime } from '../content/validation/pattern-time.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { ContentError, forbidden, notFound, refusal } from '../errors.ts';
import type { LocaleChoice } from '../query/content-query.ts';
import { type Reason, reason, shownFailures } from '../reasons.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import { planRun } from './planned-runs.ts';
import {
  actionsOf,
  lockRelease,
  MOST_ACTIONS,
  markActions,
  markDone,
  type NewAction,
  type Release,
  type ReleaseAction,
  releaseLock,
} from './releases.ts';

/** Problems that an answer describes; the others are counted. */
const MOST_PROBLEMS = 100;

/** Why an action of a release cannot run. */
export interface ReleaseProblem {
  readonly action: ReleaseAction;
  readonly status: number;
  readonly name: string;
  readonly message: string;
  readonly reason?: Reason;
  /** Of values, each with its path and reason. */
  readonly errors: readonly unknown[];
}

export interface ReleaseRunsContext extends Pick<EditingServices, 'reader' | 'together'> {
  readonly catalog: Catalog;
  readonly locales: LocaleStore;
  readonly database: EditingServices['database'];
  readonly transitions: Pick<Transitions, 'checkIn' | 'requireIn'>;
}

export class ReleaseRuns {
  readonly #context: ReleaseRunsContext;

  constructor(context: ReleaseRunsContext) {
    this.#context = context;
  }

  /**
   * Examines all actions of a release, each by itself and with the rights of a person, and stores which are valid. What
   * the person may not do, or is not shown, says nothing about an action, whose mark then stays.
   *
   * @param viewer the person as a publisher.
   */
  async validate(viewer: Viewer, release: Release): Promise<readonly ReleaseProblem[]> {
    const { catalog, database, locales, transitions } = this.#context;
    const defaultLocale = await locales.default();
    const actions = await actionsOf(database, release.id);
    const problems: ReleaseProblem[] = [];
    const work = async (tx: Transaction): Promise<void> => {
      problems.length = 0;
      for (const action of actions) {
        const examine = async () =>
          transitions.checkIn(tx, requestOf(catalog, viewer, action), defaultLocale, new PatternTime());
        problems.push(...(await problemOf(action, examine)));
      }
    };
    await database.transaction(work, { onlyReads: true });
    const found = new Map(problems.map((problem) => [problem.action.id, problem]));
    const marks = actions.map(({ id, isValid: before }) => {
      const problem = found.get(id);
      return { id, before, now: problem && this.#isOfViewer(viewer, problem) ? before : !problem };
    });
    const nowIs = (mark: boolean) =>
      marks.flatMap(({ id, before, now }) => (now === mark && before !== mark ? [id] : []));
    const [nowRight, nowWrong] = [nowIs(true), nowIs(false)];
    const isBlocked = marks.some(({ now }) => now === false);
    const isStored = nowWrong.length + nowRight.length === 0 && (release.status === 'blocked') === isBlocked;
    if (release.releasedAt === null && !isStored) {
      await database.transaction((tx) => markActions(tx, release.id, nowRight, nowWrong));
    }
    return problems;
  }

  /** Whether a problem may be one of the viewer only, who lacks a right or is not shown the document. */
  #isOfViewer(viewer: Viewer, { action, status }: ReleaseProblem): boolean {
    const { catalog, database, reader } = this.#context;
    const type = catalog.contentTypes.get(action.uid);
    if (status !== 404 || !type) return status === 403;
    const acting = { ...viewer, view: viewer.view.acting(action.type) };
    return !reader.shown(database, acting).showsAll(type);
  }

  /**
   * Requires that a person may perform actions, whatever the values of their documents: for releases that are planned,
   * which run with the rights of others.
   *
   * @param viewer the person as a publisher.
   * @throws ContentError 403 with the path of the first action that the person may not perform.
   */
  async requirePermitted(tx: Transaction, viewer: Viewer, actions: readonly NewAction[]): Promise<void> {
    const { catalog, locales, transitions } = this.#context;
    const defaultLocale = await locales.default();
    for (const [n, action] of actions.entries()) {
      try {
        await transitions.requireIn(tx, requestOf(catalog, viewer, action), defaultLocale);
      } catch (error) {
        if (!(error instanceof ContentError) || (error.status !== 403 && error.status !== 404)) throw error;
        const message = `The release is planned, and you may not ${action.type} this document`;
        throw new ContentError(
          'ForbiddenError',
          message,
          { path: `actions[${n}]` },
          { reason: reason('releasePlanned') },
        );
      }
    }
  }

  /**
   * Runs a release with the rights of a person.
   *
   * @param viewer the person as a publisher.
   * @throws ContentError as `runActions`.
   */
  run(viewer: Viewer, id: number | undefined): Promise<Release> {
    return this.#context.together((tx, { move }) =>
      runActions(tx, id, (action, at) => move({ ...requestOf(this.#context.catalog, viewer, action), at })),
    );
  }
}

/** Makes the transition of an action, published at a time (epoch milliseconds). */
type Move = (action: ReleaseAction, at: number) => Promise<void>;

/**
 * Runs all actions of a release in a transaction that its caller ends.
 *
 * @throws ContentError 400 with all problems if an action cannot run: the transaction must be rolled back. 404 for a
 * release that does not exist, 400 for one that has run or is empty.
 */
export async function runActions(tx: Transaction, id: number | undefined, move: Move): Promise<Release> {
  // all locks at once, in one order: two releases with the same documents do not wait for each other
  const known = id === undefined ? [] : await actionsOf(tx, id, MOST_ACTIONS + 1);
  if (known.length > MOST_ACTIONS) throw refusal(`A release can have at most ${MOST_ACTIONS} documents`);
  await tx.lock(() => [releaseLock(id), ...known.flatMap(locksOf)]);
  const release = await lockRelease(tx, id);
  const actions = await actionsOf(tx, release.id);
  if (actions.length === 0) throw refusal('No entries to publish');
  const at = Date.now();
  const problems: ReleaseProblem[] = [];
  for (const action of inOrder(actions)) problems.push(...(await problemOf(action, async () => move(action, at))));
  if (problems.length > 0) throw refused(problems);
  await markDone(tx, release, at);
  // a scheduled run has ended its own item
  await planRun(tx, release.id, null, at);
  return release;
}

/**
 * The transition of an action.
 *
 * @throws ContentError 404 for a type that does not exist, 403 without the right to it.
 */
export function requestOf(catalog: Catalog, viewer: Viewer, action: NewAction): TransitionRequest {
  const { type: name, uid, documentId, locale } = action;
  const type = catalog.contentTypes.get(uid);
  if (!type?.draftAndPublish || !isEdited(type)) throw notFound();
  if (!viewer.view.may(`${uid}.${name}`)) throw forbidden();
  const named = documentId ?? undefined;
  if (named === undefined && type.kind !== 'singleType') throw notFound();
  const locales = localesOf(type, locale);
  return { name, type, viewer, documentId: named, locales, shape: { fields: ['documentId'] } };
}

const localesOf = ({ localized }: ContentType, locale: string | null): LocaleChoice =>
  localized && locale !== null ? { kind: 'some', codes: [locale] } : { kind: 'default' };

/** The lock of the document of an action. */
export const locksOf = ({ uid, documentId }: ReleaseAction) =>
  documentId === null ? [] : [documentLock(uid, documentId)];

/** Actions in the order in which they run. */
export function inOrder(actions: readonly ReleaseAction[]): ReleaseAction[] {
  return (['unpublish', 'publish'] as const).flatMap((type) => actions.filter((action) => action.type === type));
}

/** Why an action cannot run; none if it can. Errors that are not refusals of the action are thrown. */
export async function problemOf(action: ReleaseAction, work: () => Promise<void>): Promise<readonly ReleaseProblem[]> {
  try {
    await work();
    return [];
  } catch (error) {
    if (!(error instanceof ContentError) || error.status >= 500) throw error;
    const { status, name, message, details, reason } = error;
    const why = reason === undefined ? {} : { reason };
    return [{ action, status, name, message, ...why, errors: shownFailures(details?.['errors']) }];
  }
}

/** The problems of an answer: the first ones, and how many there are. */
export function shownProblems(problems: readonly ReleaseProblem[]) {
  const shown = problems.slice(0, MOST_PROBLEMS).map(({ action, ...problem }) => {
    const { id, type, uid, documentId, locale } = action;
    return { action: { id, type, uid, documentId, locale }, ...problem };
  });
  return { problems: shown, count: problems.length };
}

/** The refusal of a release for its problems. */
export function refused(all: readonly ReleaseProblem[]): ContentError {
  const { problems: documents, count } = shownProblems(all);
  const message = count === 1 ? 'A document prevents the release' : `${count} documents prevent the release`;
  return new ContentError('ValidationError', message, { documents, count });
}
