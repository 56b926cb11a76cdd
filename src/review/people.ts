/** Administrators as others choose them: to be responsible for a document, and to be mentioned in a comment. */
import { type Person, personOf } from '../content/administration/form-values.ts';
import type { DocumentReader } from '../content/reading/reader.ts';
import type { Database } from '../db/interface/database.ts';
import {
  findAdministrators,
  type ListedAdministrator,
  listPeople,
} from '../users/administrators/administrator-rows.ts';
import type { Administrators } from '../users/administrators/administrators.ts';
import { type Version, type VersionContext, versionAt } from './reviewed-versions.ts';

export interface PeopleContext extends VersionContext {
  readonly database: Database;
  readonly reader: DocumentReader;
  readonly administrators: Pick<Administrators, 'ofId' | 'viewer'>;
}

/** A person with the address for mails. */
export interface Reachable extends Person {
  readonly email: string;
}

/** People that are read, those whose rights are looked up, and those that a choice offers. */
const READ = 1000;
const EXAMINED = 60;
const OFFERED = 20;

/** The name of an administrator. */
export const nameOf = (row: { readonly id: number }): Person => personOf(row)!;

/** The person of an id, if it may sign in and read a version; undefined otherwise. */
export async function readerOf(context: PeopleContext, id: number, version: Version): Promise<Reachable | undefined> {
  const other = await context.administrators.ofId(id);
  if (!other) return undefined;
  const viewer = context.administrators.viewer(other, 'read');
  if (!viewer.view.may(`${version.type.uid}.findOne`)) return undefined;
  const address = { ...version, locale: version.locale ?? undefined };
  const shown = await versionAt(context, viewer, address).catch(() => undefined);
  return shown && { ...nameOf(other.row), email: other.row.email };
}

/** Administrators who may sign in, in the order of creation. */
async function openPeople({ database }: Pick<PeopleContext, 'database'>): Promise<readonly ListedAdministrator[]> {
  return (await listPeople(database, { after: 0, most: READ })).filter(({ isOpen }) => isOpen);
}

/** People who may read a version and whose name contains a text, at most 20. */
export async function offeredPeople(
  context: PeopleContext,
  version: Version,
  text: string,
): Promise<readonly Person[]> {
  const wanted = text.trim().toLowerCase();
  const named = (await openPeople(context)).map(nameOf).filter(({ name }) => name.toLowerCase().includes(wanted));
  const offered: Person[] = [];
  for (const person of named.slice(0, EXAMINED)) {
    if (offered.length === OFFERED) break;
    const reader = await readerOf(context, person.id, version);
    if (reader) offered.push(person);
  }
  return offered;
}

/** The names of administrators by id; those that no longer exist are missing. */
export async function namesOf(
  { database }: Pick<PeopleContext, 'database'>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Person>> {
  return new Map((await findAdministrators(database, ids)).map((row) => [row.id, nameOf(row)]));
}
