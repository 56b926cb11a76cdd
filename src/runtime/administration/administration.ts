/** Operations of administrators, with the code of a project around them. */
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { EditingServices } from '../../content/administration/document-states.ts';
import { duplicateDocument } from '../../content/administration/duplicate.ts';
import type { TogetherServices, TransitionRequest } from '../../content/documents/transitions.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { type ContentType, USER_UID } from '../../schema/catalog.ts';
import { EditedAccounts } from '../../users/accounts/edited-accounts.ts';
import type { OpenAdministrator } from '../../users/administrators/administrators.ts';
import type { Context } from '../requests/context.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import { type AdministratorRequest, administratorContext, ownRequest } from './administrator-context.ts';
import type { Around } from './around.ts';
import { CodeReader } from './code-reader.ts';
import { CodeWriter, contentWriter } from './code-writer.ts';

export class Administration {
  readonly #runtime: RuntimeContext;
  readonly #requests: AsyncLocalStorage<Context>;
  /** Documents as administrators read and write them. */
  readonly editing: EditingServices;
  /** Whether code runs whenever a document of a type is written. */
  readonly isAroundWrites: (type: ContentType) => boolean;

  /** @param requests the contexts that code knows requests by. */
  constructor(runtime: RuntimeContext, around: Around, requests: AsyncLocalStorage<Context>) {
    this.#runtime = runtime;
    this.#requests = requests;
    this.editing = editingServices(runtime, around);
    this.isAroundWrites = (type) => around.writes(type);
  }

  /**
   * Publishes or unpublishes for an administrator outside of requests, in a transaction that its caller ends. Code sees
   * the request that Strapi's panel would send.
   *
   * @throws ContentError also if code refuses it; CodeError for any other error of code.
   */
  move(tx: Transaction, administrator: OpenAdministrator, request: TransitionRequest): Promise<unknown> {
    const { name, type, documentId = 'single' } = request;
    const asked = ownRequest('POST', `/api/content/${type.uid}/${documentId}/${name}`);
    return this.#runtime.database.inside(tx, () =>
      this.answer({ ...asked, administrator }, () => this.editing.transitions.run(request)),
    );
  }

  /** Does the work of an administrator's request, of which code may ask for the context. */
  answer<T>(request: AdministratorRequest, work: () => T): T {
    const { contentTypes } = this.#runtime.catalog;
    const kindOf = (uid: string) => contentTypes.get(uid)?.kind;
    return this.#requests.run(administratorContext(request, kindOf, this.#requests.getStore()), work);
  }
}

function editingServices(runtime: RuntimeContext, around: Around): EditingServices {
  const { database, transitions, users, writer } = runtime;
  const reader = new CodeReader(runtime, around);
  const own = new CodeWriter(runtime, around, reader, writer);
  return {
    database,
    reader,
    writer: contentWriter(own, writer),
    transitions: { run: (request) => own.move(transitions, request) },
    together: (work) => {
      const services: TogetherServices = {
        move: async (request) => void (await own.move(transitions, request)),
        remove: (removal) => own.delete(removal),
        steps: own,
      };
      return database.within(({ tx }) => work(tx, services));
    },
    duplicate: (viewer, type, documentId) =>
      own.duplicate({ type, viewer }, documentId, () => duplicateDocument(runtime, viewer, type, documentId)),
    writers: new Map([[USER_UID, new CodeWriter(runtime, around, reader, new EditedAccounts(users))]]),
  };
}
