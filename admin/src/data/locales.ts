/** The locales in which the administrator may read and write a type. Permissions can restrict them. */
import type { ContentType, Right, Schema } from '../../contract/contract.ts';

/** Whether a permission allows an action on documents of a type in a locale. */
export function mayInLocale(
  rights: readonly Right[],
  operation: 'read' | 'create' | 'publish' | 'delete',
  { uid, localized }: ContentType,
  code: string | null,
): boolean {
  const action = `plugin::content-manager.explorer.${operation}`;
  return rights.some(
    (right) =>
      right.action === action &&
      right.subject === uid &&
      (!localized || code === null || right.locales === null || right.locales.includes(code)),
  );
}

/** The schema for pages of a type: only with the locales that the administrator may read. */
export function schemaFor(schema: Schema, type: ContentType, rights: readonly Right[]): Schema {
  return { ...schema, locales: schema.locales.filter(({ code }) => mayInLocale(rights, 'read', type, code)) };
}

/** The name of a locale; its code if the locale is unknown. */
export const localeName = ({ locales }: Schema, code: string): string =>
  locales.find((locale) => locale.code === code)?.name ?? code;

/** The name of a locale with its code, which most names contain: `English (en)`. */
export const localeLabel = ({ name, code }: { readonly name: string; readonly code: string }): string =>
  name.endsWith(`(${code})`) ? name : `${name} (${code})`;

/**
 * The locale that is used when none is named.
 *
 * @param suits tells which locales are preferred, such as those in which a document can be created.
 */
export function defaultLocale({ locales }: Schema, suits: (code: string) => boolean = () => true): string | undefined {
  const suitable = locales.filter(({ code }) => suits(code));
  return (suitable.find(({ isDefault }) => isDefault) ?? suitable[0] ?? locales[0])?.code;
}
