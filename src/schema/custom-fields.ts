/** Custom fields: attributes of a plugin's own kind, stored as one of the ordinary types. */
import type { RawSchema } from './built-in.ts';

/** Underlying type of the custom fields that we know. */
export const CUSTOM_FIELDS: ReadonlyMap<string, string> = new Map([
  ['plugin::color-picker.color', 'string'],
  ['plugin::multi-select.multi-select', 'json'],
  ['plugin::ckeditor5.CKEditor', 'richtext'],
  ['plugin::ckeditor.CKEditor', 'richtext'],
]);

/**
 * The type that a custom field is stored as: `underlyingType` of the attribute (ours; the reference ignores it), else
 * what we know of the plugin. Undefined when neither says.
 */
export function customFieldType(raw: RawSchema): unknown {
  return raw['underlyingType'] ?? CUSTOM_FIELDS.get(String(raw['customField']));
}
