/** Who makes a request, as policies and routes of a project know it. */
import { may } from '../../access/grants.ts';
import type { Viewer } from '../../access/view.ts';
import type { DocumentsOf } from '../../content/documents/document-types.ts';
import { forbidden } from '../../errors.ts';
import type { Calling } from '../requests/context.ts';
import { type AskAction, callersService } from './callers-documents.ts';
import type { Account, AskingCaller, Policy, PolicyEvent } from './extension-types.ts';
import type { OwnCode } from './own-code.ts';

/** The documents of types as a viewer sees them, without a check of granted actions. */
export type DocumentsFor = (viewer: Viewer) => DocumentsOf<'caller'>;

export interface Asking {
  readonly calling: Calling;
  readonly documentsFor: DocumentsFor;
  /** The account; undefined for the public and for tokens. */
  readonly user: Account | undefined;
  /** Runs the policies of actions. Operations of policies run none, which would recurse without end. */
  readonly ask?: AskAction;
}

export function askingCaller({ calling, documentsFor, ask, user }: Asking): AskingCaller {
  const { caller, viewer } = calling;
  const { grants } = caller;
  let documents: ReturnType<DocumentsFor> | undefined;
  return {
    user,
    role: grants.role,
    may: (action) => may(grants, action),
    documents: (uid) => {
      documents ??= documentsFor(viewer);
      const service = documents(uid);
      return callersService(service, viewer.view.catalog.contentTypes.get(uid)!, calling, ask);
    },
  };
}

/**
 * Runs policies one after the other.
 *
 * @throws ContentError 403 where one refuses, or what it throws itself; CodeError for any other error.
 */
export async function askPolicies(
  own: OwnCode,
  policies: readonly Policy[],
  event: Omit<PolicyEvent, 'documents' | 'log'>,
): Promise<void> {
  for (const [index, policy] of policies.entries()) {
    const purpose = `policy ${policy.name || index + 1} of ${event.action}`;
    const passed = await own.run(purpose, () => policy({ ...own.tools, ...event }));
    if (passed !== true && passed !== undefined) throw forbidden();
  }
}
