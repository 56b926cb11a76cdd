/** The names of rows. */
import { linksOf } from '../values/links.ts';
import { type Attribute, isValues, type Model, type Schema, type Values } from '../values/model.ts';
import { isShown } from '../values/visibility.ts';

/** The maximum length of a name. */
const LONG = 80;

/** The value of the main field as one line, or of the first visible field with a text; undefined if there is none. */
export function rowName(schema: Schema, model: Model, row: Values): string | undefined {
  const main = model.attributes.find(({ name }) => name === model.layout.mainField);
  const others = model.attributes.filter((attribute) => attribute !== main && SPEAKING.has(attribute.type));
  for (const attribute of main ? [main, ...others] : others) {
    if (!isShown(schema, model, attribute, row)) continue;
    const text = lineOf(attribute, row[attribute.name]);
    if (text !== '') return text.length > LONG ? `${text.slice(0, LONG)}…` : text;
  }
  return undefined;
}

const SPEAKING: ReadonlySet<Attribute['type']> = new Set([
  'string',
  'text',
  'richtext',
  'blocks',
  'email',
  'uid',
  'enumeration',
  'relation',
  'media',
]);

function lineOf({ type }: Attribute, value: unknown): string {
  if (type === 'relation') {
    return linksOf(value)
      .items.map(({ label }) => label)
      .join(', ');
  }
  if (type === 'media') {
    const files: readonly unknown[] = Array.isArray(value) ? value : [];
    return files.map((file) => (isValues(file) ? String(file['name'] ?? '') : '')).join(', ');
  }
  if (type === 'blocks') return textOf(value).replace(/\s+/g, ' ').trim();
  return typeof value === 'string' || typeof value === 'number' ? String(value).replace(/\s+/g, ' ').trim() : '';
}

/** The text of a blocks document, as far as a name needs it. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) {
    let text = '';
    for (const node of value) {
      if (text.length > LONG) break;
      text += ` ${textOf(node)}`;
    }
    return text;
  }
  if (!isValues(value)) return '';
  return typeof value['text'] === 'string' ? value['text'] : textOf(value['children']);
}
