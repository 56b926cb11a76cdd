/** The signed-in administrator in answers. */
import { toldRight } from '../../access/administrators/administrator-rights.ts';
import type { Administrator } from '../../users/administrators/administrators.ts';
import { versionOf } from './answers.ts';

/** The account, session, rights and roles, with a version that changes whenever they do. */
export function describedSession({ row, roles, rights, session, isSecondFactorRequired }: Administrator) {
  const { id, documentId, email, firstname, lastname, username, preferedLanguage, hasSecondFactor } = row;
  const names = { email, firstname, lastname, username, preferedLanguage };
  const data = {
    user: { id, documentId, ...names, secondFactor: hasSecondFactor, secondFactorRequired: isSecondFactorRequired },
    session: { id: session.id },
    rights: rights.rights.map(toldRight),
    roles: roles.map((role) => ({ id: role.id, name: role.name, code: role.code })),
  };
  return { ...data, version: versionOf(data) };
}
