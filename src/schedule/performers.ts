/**
 * Publishing and unpublishing for an actor without a request, with the rights that the actor has now: an administrator,
 * or a caller of the content API.
 */
import { requireAction } from '../access/authorize.ts';
import type { Viewer } from '../access/view.ts';
import type { Views } from '../access/views.ts';
import type { TransitionRequest, Transitions } from '../content/documents/transitions.ts';
import type { LocaleStore } from '../content/locales/locale-store.ts';
import type { Actor } from '../db/interface/actor.ts';
import type { Database } from '../db/interface/database.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { ContentError, forbidden } from '../errors.ts';
import { type ReasonCode, reason } from '../reasons.ts';
import type { ContentType } from '../schema/catalog.ts';
import type { Administrators, OpenAdministrator } from '../users/administrators/administrators.ts';
import type { Caller, Callers, ProjectCallers } from '../users/sessions/callers.ts';
import { listTokens } from '../users/sessions/tokens.ts';

/** The actions that can be scheduled. */
export const SCHEDULED_ACTIONS = ['publish', 'unpublish'] as const;
export type ScheduledAction = (typeof SCHEDULED_ACTIONS)[number];

/** Publication with project code around it, as in the requests of an administrator. */
export interface CodeAround {
  /** @throws Error if the start of the code has failed after its end: what it would refuse is not known. */
  requireStart(): void;
  /** Whether code runs whenever a document of a type is written. */
  isAroundWrites(type: ContentType): boolean;
  /** Publishes or unpublishes in a transaction that its caller ends. */
  move(tx: Transaction, administrator: OpenAdministrator, request: TransitionRequest): Promise<unknown>;
}

export interface PerformersContext {
  readonly database: Database;
  readonly views: Views;
  readonly locales: LocaleStore;
  readonly transitions: Transitions;
  readonly administrators: Administrators;
  readonly callers: ProjectCallers;
  /** Callers by what the database stores of them. */
  readonly holders: Callers;
  /** Why an action of the content API is closed at the moment; undefined for an open one. */
  readonly closed: (action: string) => string | undefined;
  readonly code: CodeAround | undefined;
}

/** An actor that may publish or unpublish documents of a type. */
export interface Performer {
  readonly viewer: Viewer;
  /** Whether project code runs around it. */
  readonly runsCode: boolean;
  move(tx: Transaction, request: TransitionRequest): Promise<unknown>;
}

/** @param code of the reason, for the administration's app. */
const withdrawn = (message: string, code: ReasonCode): ContentError =>
  new ContentError('ForbiddenError', message, {}, { reason: reason(code as 'actorGone') });

export class Performers {
  readonly #context: PerformersContext;

  constructor(context: PerformersContext) {
    this.#context = context;
  }

  /**
   * An actor, if it may perform an action on documents of a type now.
   *
   * @throws ContentError 403 if the actor does not exist any more, may not sign in, or has no right to the action.
   */
  async of(actor: Actor, type: ContentType, action: ScheduledAction): Promise<Performer> {
    this.#context.code?.requireStart();
    return actor.kind === 'administrator'
      ? this.#administrator(actor.id ?? 0, type, action)
      : this.#caller(actor, type, action);
  }

  async #administrator(id: number, type: ContentType, action: ScheduledAction): Promise<Performer> {
    const { administrators, code } = this.#context;
    const administrator = await administrators.ofId(id);
    if (!administrator) throw withdrawn('The administrator who scheduled this may not sign in any more', 'actorGone');
    const viewer = administrators.viewer(administrator, 'publish');
    if (!viewer.view.may(`${type.uid}.${action}`)) {
      throw withdrawn(
        `The administrator who scheduled this may not ${action} documents of this type`,
        'actorForbidden',
      );
    }
    const runsCode = code?.isAroundWrites(type) ?? false;
    const move: Performer['move'] = (tx, request) =>
      runsCode ? code!.move(tx, administrator, request) : this.#move(tx, request);
    return { viewer, runsCode, move };
  }

  async #caller(actor: Actor, type: ContentType, name: ScheduledAction): Promise<Performer> {
    const { callers, views, closed } = this.#context;
    const action = `${type.uid}.${name}`;
    const caller = callers.limit(await this.#callerOf(actor));
    try {
      requireAction(caller.grants, action);
    } catch (error) {
      if (!(error instanceof ContentError)) throw error;
      throw withdrawn(`The caller that scheduled this may not ${name} documents of this type`, 'actorForbidden');
    }
    const reasonOfClosed = closed(action);
    if (reasonOfClosed !== undefined) throw forbidden(reasonOfClosed);
    const viewer = views.viewer(caller.grants, { userId: caller.userId });
    return { viewer, runsCode: false, move: (tx, request) => this.#move(tx, request) };
  }

  async #callerOf({ kind, id }: Actor): Promise<Caller> {
    const { callers, holders, database } = this.#context;
    // code that looks callers up needs a request
    if (callers.asksCode) throw forbidden('code of the project identifies callers, and has no request here');
    if (kind === 'public') return holders.identify(undefined);
    if (kind === 'user' && id !== null) return this.#user(id);
    const token = kind === 'token' ? (await listTokens(database)).find((one) => one.id === id) : undefined;
    if (!token || (token.expiresAt !== null && token.expiresAt <= Date.now())) {
      throw withdrawn('The token that scheduled this was revoked or has expired', 'actorGone');
    }
    return holders.ofToken(token);
  }

  /** @throws ContentError 403 for an account that may not sign in. */
  async #user(userId: number): Promise<Caller> {
    // its rights do not depend on how it has signed in
    const claims = { userId, sessionId: undefined, issuedAt: Date.now() / 1000, expiresAt: undefined };
    return this.#context.holders.ofClaims(claims).catch((error: unknown) => {
      if (!(error instanceof ContentError) || error.status >= 500) throw error;
      throw withdrawn('The account that scheduled this may not sign in any more', 'actorGone');
    });
  }

  async #move(tx: Transaction, request: TransitionRequest): Promise<unknown> {
    const { transitions, locales } = this.#context;
    return transitions.runIn(tx, request, await locales.default());
  }
}
