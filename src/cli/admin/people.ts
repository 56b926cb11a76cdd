/** How commands find administrators. */
import type { Queryable } from '../../db/interface/queryable.ts';
import { ContentError, UsageError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { addressOf } from '../../users/administrators/administrator-bodies.ts';
import {
  type AdministratorRow,
  findAdministratorByEmail,
  listAdministrators,
} from '../../users/administrators/administrator-rows.ts';
import { requireActiveSuperLeft } from '../../users/administrators/administrator-rules.ts';

/** The administrator of an address. @throws UsageError where there is none. */
export async function administratorOf(db: Queryable, email: string): Promise<AdministratorRow> {
  const found = await findAdministratorByEmail(db, addressOf(email) ?? email);
  if (found) return found;
  const hint = nearest(
    email,
    (await listAdministrators(db)).map((one) => one.email),
  );
  throw new UsageError(`no administrator ${email}: ${hint ? `did you mean ${hint}?` : 'see galley admin list'}`);
}

/** @throws UsageError where no other administrator with all rights could sign in. */
export async function keepSuperAdmin(db: Queryable, id: number): Promise<void> {
  try {
    await requireActiveSuperLeft(db, id);
  } catch (error) {
    throw error instanceof ContentError ? new UsageError(error.message, 1) : error;
  }
}
