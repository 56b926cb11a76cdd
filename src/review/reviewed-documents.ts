/** Stages and assignees of documents: reading them, moving a document, and putting a person in charge. */
import type { Viewer } from '../access/view.ts';
import type { Person } from '../content/administration/form-values.ts';
import { recordChange } from '../content/rows/changes.ts';
import { documentLock } from '../content/rows/locks.ts';
import type { ChangeDetails } from '../db/interface/action.ts';
import { execute, query } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { ContentError, forbidden, notFound } from '../errors.ts';
import type { Events } from '../events/events.ts';
import { at, because, validationFailure } from '../failures.ts';
import { reason } from '../reasons.ts';
import type { ContentType } from '../schema/catalog.ts';
import { compileLinkNew, compileReviewOf, compileUnlink, type RowLinks } from '../sql/review.ts';
import { rowLinksOf } from '../sql/row-links.ts';
import type { Administrator } from '../users/administrators/administrators.ts';
import type { NotificationContext, Notifications } from './notifications.ts';
import { nameOf, namesOf, readerOf } from './people.ts';
import { findReviewedVersion, type ReviewedVersion, type VersionAddress, versionAt } from './reviewed-versions.ts';
import { type Stage, stageIn, type Workflow, type Workflows } from './workflows.ts';

export interface ReviewContext extends NotificationContext {
  readonly workflows: Workflows;
  readonly events: Pick<Events, 'announce'>;
  readonly notifications: Notifications;
}

/** An administrator who reads or moves a document. */
export interface Reviewer {
  readonly administrator: Administrator;
  /** The viewer for reading. */
  readonly viewer: Viewer;
  /** Whether it may put people in charge, wherever it may move the document. */
  readonly mayAssign: boolean;
}

/** The stage and the assignee of a version. */
export interface ReviewState {
  readonly documentId: string;
  readonly locale: string | null;
  readonly stage: number;
  readonly assignee: Person | null;
  /** Ids of the stages to which the administrator may move it. */
  readonly choices: readonly number[];
  readonly mayAssign: boolean;
}

/** Whether an administrator may move documents out of a stage, or into it, as the reference decides. */
const may = ({ roles, rights }: Pick<Administrator, 'roles' | 'rights'>, allowed: readonly number[]): boolean =>
  rights.isSuper || roles.some(({ id }) => allowed.includes(id));

/** The stages to which an administrator may move a document. */
export function choicesOf(administrator: Pick<Administrator, 'roles' | 'rights'>, workflow: Workflow, from: Stage) {
  if (!may(administrator, from.from)) return [];
  return workflow.stages.filter((stage) => stage !== from && may(administrator, stage.to)).map(({ id }) => id);
}

export class ReviewedDocuments {
  readonly #context: ReviewContext;

  constructor(context: ReviewContext) {
    this.#context = context;
  }

  /** The workflow of a type; undefined for a type without stages. */
  async workflowOf(type: ContentType): Promise<Workflow | undefined> {
    return (await this.#context.workflows.current()).of(type);
  }

  /** @throws ContentError 404 for a version that does not exist or is hidden, and for a type without stages. */
  async read(reviewer: Reviewer, address: VersionAddress): Promise<ReviewState> {
    const workflow = await this.#required(address.type);
    const version = await versionAt(this.#context, reviewer.viewer, address);
    return this.#stateOf(reviewer, workflow, version);
  }

  /**
   * Moves a document to another stage.
   *
   * @param from the stage that the administrator has seen it in; undefined for any.
   * @throws ContentError as `read`; 400 for a stage of another workflow; 403 for a move that the roles do not permit;
   * 412 if the document is in another stage by now.
   */
  async move(
    reviewer: Reviewer,
    address: VersionAddress,
    { stage, from }: { readonly stage: number; readonly from: number | undefined },
  ): Promise<ReviewState> {
    const { administrator, viewer } = reviewer;
    const workflow = await this.#required(address.type);
    const found = await versionAt(this.#context, viewer, address);
    const target = workflow.stages.find(({ id }) => id === stage);
    if (!target) throw validationFailure(at('stage'), 'stage must be the id of a stage of this type', stage);
    const isMoved = await this.#context.database.transaction(async (tx) => {
      const version = await this.#locked(tx, viewer, found);
      const current = stageIn(workflow, (await this.#linksOf(tx, version)).stage);
      if (from !== undefined && from !== current.id) throw movedMeanwhile(current);
      if (current === target) return false;
      if (!may(administrator, current.from) || !may(administrator, target.to)) throw forbiddenMove(current, target);
      await this.#link(tx, version, rowLinksOf(version.type).stage, target.id, {
        action: 'review.stage',
        more: { from: current.name, to: target.name },
      });
      await this.#context.events.announce(tx, 'review-workflows.updateEntryStage', addressOf(version), {
        ...aboutOf(version),
        workflow: { id: workflow.id, stages: { from: nameOfStage(current), to: nameOfStage(target) } },
      });
      return true;
    });
    const links = await this.#linksOf(this.#context.database, found);
    if (isMoved) {
      const by = nameOf(administrator.row).name;
      const { assignee } = links;
      this.#context.notifications.moved(found, target, { mover: administrator.row.id, by, assignee });
    }
    return this.#stateOf(reviewer, workflow, found);
  }

  /**
   * Assigns a document to a person, or removes its assignment.
   *
   * @throws ContentError as `move`, and 400 for a person who may not read the document.
   */
  async assign(reviewer: Reviewer, address: VersionAddress, person: number | null): Promise<ReviewState> {
    const { administrator, viewer, mayAssign } = reviewer;
    if (!mayAssign) throw forbidden();
    const workflow = await this.#required(address.type);
    const found = await versionAt(this.#context, viewer, address);
    if (person !== null && !(await readerOf(this.#context, person, found))) {
      const name = (await namesOf(this.#context, [person])).get(person)?.name ?? `#${person}`;
      const sentence = because('this person may not read the document', 'unreadable', { name });
      throw validationFailure(at('administrator'), sentence, person);
    }
    const isChanged = await this.#context.database.transaction(async (tx) => {
      const version = await this.#locked(tx, viewer, found);
      const links = await this.#linksOf(tx, version);
      const current = stageIn(workflow, links.stage);
      if (!may(administrator, current.from)) throw forbiddenMove(current, current);
      if (links.assignee === person) return false;
      const more = { from: links.assignee, to: person };
      await this.#link(tx, version, rowLinksOf(version.type).assignee, person, { action: 'review.assign', more });
      await this.#context.events.announce(tx, 'review-workflows.updateEntryAssignee', addressOf(version), {
        ...aboutOf(version),
        assignee: { from: links.assignee, to: person },
      });
      return true;
    });
    if (isChanged && person !== null && person !== administrator.row.id) {
      this.#context.notifications.assigned(found, person, nameOf(administrator.row).name);
    }
    return this.#stateOf(reviewer, workflow, found);
  }

  /** @throws ContentError 404 for a type without stages. */
  async #required(type: ContentType): Promise<Workflow> {
    const workflow = await this.workflowOf(type);
    if (!workflow) throw notFound(`${type.uid} has no stages of review`);
    return workflow;
  }

  /** The version, locked until the transaction ends. */
  async #locked(tx: Transaction, viewer: Viewer, version: ReviewedVersion): Promise<ReviewedVersion> {
    await tx.lock(() => [documentLock(version.type.uid, version.documentId)], false);
    return findReviewedVersion(this.#context, tx, viewer, version);
  }

  async #linksOf(db: Parameters<typeof query>[0], { type, row }: ReviewedVersion) {
    const links = rowLinksOf(type);
    const [found] = await query(db, compileReviewOf(links.stage, links.assignee), [row.id]);
    const idOf = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value));
    return { stage: idOf(found?.[0]), assignee: idOf(found?.[1]) };
  }

  /** Replaces a link of a draft, whose `updatedAt` stays: the content has not changed. */
  async #link(
    tx: Transaction,
    version: ReviewedVersion,
    links: RowLinks,
    target: number | null,
    details: ChangeDetails,
  ): Promise<void> {
    const { type, documentId, locale, row } = version;
    await execute(tx, compileUnlink(links), [row.id]);
    if (target !== null) await execute(tx, compileLinkNew(links), [row.id, target]);
    recordChange({ tx }, { type, documentId, locale, published: row.published }, 'updated', row.id, row.id, details);
  }

  async #stateOf(reviewer: Reviewer, workflow: Workflow, version: ReviewedVersion): Promise<ReviewState> {
    const { administrator, mayAssign } = reviewer;
    const links = await this.#linksOf(this.#context.database, version);
    const stage = stageIn(workflow, links.stage);
    const people = await namesOf(this.#context, links.assignee === null ? [] : [links.assignee]);
    return {
      documentId: version.documentId,
      locale: version.locale,
      stage: stage.id,
      assignee: (links.assignee !== null && people.get(links.assignee)) || null,
      choices: choicesOf(administrator, workflow, stage),
      mayAssign: mayAssign && may(administrator, stage.from),
    };
  }
}

const nameOfStage = ({ id, name }: Stage) => ({ id, name });

const addressOf = ({ type, documentId, locale, row }: ReviewedVersion) => ({
  uid: type.uid,
  documentId,
  locale,
  status: 'draft' as const,
  row: row.id,
});

/** What events say of a document, as in the reference. */
const aboutOf = ({ type, documentId, locale, row }: ReviewedVersion) => ({
  model: type.singularName,
  uid: type.uid,
  entity: { id: row.id, documentId, locale, status: 'draft' },
});

const movedMeanwhile = ({ id, name }: Stage): ContentError =>
  new ContentError(
    'PreconditionFailedError',
    `The document is in the stage "${name}"`,
    { stage: id },
    {
      reason: reason('stageMoved', { stage: name }),
    },
  );

const forbiddenMove = (from: Stage, to: Stage): ContentError =>
  new ContentError(
    'ForbiddenError',
    `Your roles do not permit moving documents from the stage "${from.name}" to "${to.name}"`,
    { from: from.id, to: to.id },
    { reason: reason('transition', { from: from.name, to: to.name }) },
  );
