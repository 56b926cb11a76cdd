/** Which locales of a type the administrator may read and write in: fewer than there are, where rights name some. */
import type { ContentType, Right, Schema } from '../../contract/contract.ts';

/** Whether some right lets one do something to documents of a type in a locale. */
export function mayIn(
  rights: readonly Right[],
  what: 'read' | 'create' | 'publish' | 'delete',
  { uid, localized }: ContentType,
  code: string | null,
): boolean {
  const action = `plugin::content-manager.explorer.${what}`;
  return rights.some(
    (right) =>
      right.action === action &&
      right.subject === uid &&
      (!localized || code === null || right.locales === null || right.locales.includes(code)),
  );
}

/** The schema as far as pages of one type show it: with those locales that may be read of it. */
export function schemaFor(schema: Schema, type: ContentType, rights: readonly Right[]): Schema {
  return { ...schema, locales: schema.locales.filter(({ code }) => mayIn(rights, 'read', type, code)) };
}

/** What a locale is called, or its code where it is not known. */
export const localeName = ({ locales }: Schema, code: string): string =>
  locales.find((locale) => locale.code === code)?.name ?? code;

/**
 * The locale that is meant where none is named.
 *
 * @param suits those that are preferred, such as those in which a new document can be made.
 */
export function usualLocale({ locales }: Schema, suits: (code: string) => boolean = () => true): string | undefined {
  const suitable = locales.filter(({ code }) => suits(code));
  return (suitable.find(({ isDefault }) => isDefault) ?? suitable[0] ?? locales[0])?.code;
}
