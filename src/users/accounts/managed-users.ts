/** `/users` for those who manage accounts: creating and changing them by row id. */
import type { Viewer } from '../../access/view.ts';
import { ContentError, notFound, refusal } from '../../errors.ts';
import { ROLE_UID } from '../../schema/catalog.ts';
import type { TakenNames } from './account-rows.ts';
import { readSettings } from './account-settings.ts';
import { changedUser, createdUser } from './user-bodies.ts';
import type { UserWrites } from './user-writes.ts';

const SHAPE = { populate: 'role' } as const;

/**
 * Creates an account and gives its record as JSON text, with the role if the caller may find roles.
 *
 * @throws ContentError 400 for what is wrong, and for names that are taken.
 */
export async function createUser(users: UserWrites, raw: unknown, viewer: Viewer): Promise<string> {
  const data = createdUser(raw, users.type);
  const { uniqueEmail } = await readSettings(users.db);
  const refuseTaken = ({ email, crossed }: TakenNames) => {
    if (uniqueEmail && email) throw refusal('Email already taken');
    if (crossed) throw refusal('Username already taken');
  };
  const write = { data, actor: givesRoles(viewer), viewerOf: () => viewer, shape: SHAPE, refuseTaken };
  try {
    return (await users.create(write, async () => {})).record;
  } catch (error) {
    throw asRefusal(error);
  }
}

/**
 * Changes an account and gives its record as JSON text, with the role if the caller may find roles.
 *
 * @throws ContentError 404 for no such account, 400 for what is wrong, and for names that are taken.
 */
export async function updateUser(users: UserWrites, id: number, raw: unknown, viewer: Viewer): Promise<string> {
  const account = await users.find(id, viewer);
  if (!account) throw notFound('User not found');
  const data = changedUser(raw, users.type, account.provider === 'local');
  const { uniqueEmail } = await readSettings(users.db);
  const refuseTaken = ({ email, username, crossed }: TakenNames) => {
    if (username || crossed) throw refusal('Username already taken');
    if (uniqueEmail && email) throw refusal('Email already taken');
  };
  const write = { data, actor: givesRoles(viewer), viewerOf: () => viewer, shape: SHAPE, refuseTaken };
  return (await users.update(id, write, async () => {})).record;
}

/** Who may write accounts may give them roles, as in the reference; other relations have to be visible. */
function givesRoles({ view, values }: Viewer): Viewer {
  return { view: view.granting(`${ROLE_UID}.find`), values };
}

/** On creation the reference reports invalid values in one sentence; their location is given as a hint. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof ContentError) || error.name !== 'ValidationError' || error.details?.['key']) return error;
  const errors = (error.details?.['errors'] ?? []) as readonly { path: readonly string[]; message: string }[];
  const told = errors.filter(({ path }) => path.length > 0).map(({ path, message }) => `${path.join('.')}: ${message}`);
  return new ContentError('ApplicationError', error.message, told.length > 0 ? { hint: told.join('; ') } : {});
}
