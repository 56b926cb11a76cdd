/** Operations of administrators, with the code of a project around them. */
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { EditingServices } from '../../content/administration/document-states.ts';
import { duplicateDocument } from '../../content/administration/duplicate.ts';
import { type ContentType, USER_UID } from '../../schema/catalog.ts';
import { EditedAccounts } from '../../users/accounts/edited-accounts.ts';
import type { Context } from '../requests/context.ts';
import type { CodeRooms } from '../rooms.ts';
import { type AdministratorRequest, administratorContext } from './administrator-context.ts';
import type { Around } from './around.ts';
import { CodeReader } from './code-reader.ts';
import { CodeWriter, contentWriter } from './code-writer.ts';

export class Administration {
  readonly #rooms: CodeRooms;
  readonly #requests: AsyncLocalStorage<Context>;
  /** Documents as administrators read and write them. */
  readonly editing: EditingServices;
  /** Whether code runs whenever a document of a type is written. */
  readonly isAroundWrites: (type: ContentType) => boolean;

  /** @param requests the contexts that code knows requests by. */
  constructor(rooms: CodeRooms, around: Around, requests: AsyncLocalStorage<Context>) {
    this.#rooms = rooms;
    this.#requests = requests;
    this.editing = editingRooms(rooms, around);
    this.isAroundWrites = (type) => around.writes(type);
  }

  /** Does the work of an administrator's request, of which code may ask for the context. */
  answer<T>(request: AdministratorRequest, work: () => T): T {
    const { contentTypes } = this.#rooms.catalog;
    const kindOf = (uid: string) => contentTypes.get(uid)?.kind;
    return this.#requests.run(administratorContext(request, kindOf, this.#requests.getStore()), work);
  }
}

function editingRooms(rooms: CodeRooms, around: Around): EditingServices {
  const { database, transitions, users, writer } = rooms;
  const reader = new CodeReader(rooms, around);
  const own = new CodeWriter(rooms, around, reader, writer);
  return {
    database,
    reader,
    writer: contentWriter(own, writer),
    transitions: { run: (request) => own.move(transitions, request) },
    duplicate: (viewer, type, documentId) =>
      own.duplicate({ type, viewer }, documentId, () => duplicateDocument(rooms, viewer, type, documentId)),
    writers: new Map([[USER_UID, new CodeWriter(rooms, around, reader, new EditedAccounts(users))]]),
  };
}
