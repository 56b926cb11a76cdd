/** Policies that a project puts before the actions of its types. */
import type { Viewer } from '../../access/view.ts';
import { USER_UID } from '../../schema/catalog.ts';
import type { Caller } from '../../users/sessions/callers.ts';
import type { Middleware } from '../requests/policies.ts';
import { askingCaller, askPolicies, type DocumentsFor } from './asking.ts';
import type { Account, PolicyEvent } from './extension-types.ts';
import type { OwnCode } from './own-code.ts';
import { eventOf } from './own-routes.ts';

/** A request for an action, as the server knows it. */
export type ActionRequest = Pick<PolicyEvent, 'params' | 'query' | 'headers' | 'ip'> & {
  readonly caller: Caller;
  readonly viewer: Viewer;
};

export class OwnPolicies {
  readonly #own: OwnCode;
  readonly #documentsFor: DocumentsFor;

  constructor(own: OwnCode, documentsFor: DocumentsFor) {
    this.#own = own;
    this.#documentsFor = documentsFor;
  }

  /** Whether an action has policies. */
  has(action: string): boolean {
    return this.#own.definition.policies.has(action);
  }

  /** @throws ContentError 403 if a policy refuses the request, or the policy's own error. */
  async ask(action: string, { caller, viewer, ...request }: ActionRequest): Promise<void> {
    const policies = this.#own.definition.policies.get(action);
    if (!policies) return;
    const user = (caller.account ?? (await this.#accountOf(caller))) as Account | undefined;
    const asking = askingCaller({ calling: { caller, viewer }, documentsFor: this.#documentsFor, user });
    await askPolicies(this.#own, policies, { action, ...request, caller: asking });
  }

  /** The account of a caller, as routes know it. */
  async #accountOf({ userId }: Caller): Promise<Account | undefined> {
    if (userId === undefined) return undefined;
    const accounts = this.#own.tools.documents(USER_UID);
    return ((await accounts.findFirst({ filters: { id: userId }, populate: ['role'] })) ?? undefined) as
      | Account
      | undefined;
  }

  /** The policies of an action as a middleware of code that answers it; undefined where there are none. */
  gate(action: string): Middleware | undefined {
    const policies = this.#own.definition.policies.get(action);
    if (!policies) return undefined;
    return async (ctx, next) => {
      await askPolicies(this.#own, policies, eventOf(action, ctx, this.#documentsFor));
      return next();
    };
  }
}
