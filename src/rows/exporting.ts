/** Exports documents as rows: CSV, JSON or lines of JSON, with memory for one page of them (docs/reference/rows.md). */
import type { View, Viewer } from '../access/view.ts';
import { allDocuments } from '../content/administration/lists.ts';
import type { DocumentReader } from '../content/reading/reader.ts';
import type { NewAction } from '../db/interface/action.ts';
import { at, Failures } from '../failures.ts';
import { isObject, type JsonObject } from '../plain-values.ts';
import type { RawObject } from '../query/params.ts';
import { type ContentType, isScalar, type Model, modelOf } from '../schema/catalog.ts';
import { DECIMAL_SIGNS, type DecimalSign, escapeFormula, textOfValue } from './cells.ts';
import { columnsOf, linkedType, type RowColumn, usualField } from './columns.ts';

export const ROW_FORMATS = ['csv', 'json', 'ndjson'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** The form of an exported file. */
export interface ExportForm {
  readonly format: RowFormat;
  readonly delimiter: Delimiter;
  readonly decimal: DecimalSign;
  /** Whether the file begins with a byte order mark, by which spreadsheets recognize UTF-8. */
  readonly bom: boolean;
}

/** What is exported. */
export interface Export extends ExportForm {
  readonly columns: readonly RowColumn[];
  /** The parameters of the list. */
  readonly list: RawObject;
}

export const MEDIA_TYPES: Readonly<Record<RowFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

/** Levels of components that are exported: deeper ones cannot be written. */
const DEPTH = 12;
const FALSE_WORDS: readonly unknown[] = [undefined, 'false', '0', ''];

/**
 * The export that parameters describe: `format`, `columns`, `delimiter`, `decimal`, `bom`, and those of a list.
 *
 * @throws ContentError 400 with the names of all wrong parameters.
 */
export function exportOf(view: View, type: ContentType, params: RawObject): Export {
  const { format = 'csv', columns, delimiter = ',', decimal = '.', bom, ...rest } = params;
  const { fields: _fields, populate: _populate, pagination: _pagination, ...list } = rest;
  const failures = new Failures();
  const oneOf = <T extends string>(name: string, value: unknown, values: readonly T[]): T => {
    const known = values.find((one) => one === value);
    if (known === undefined) failures.add(at(name), `${name} must be one of ${values.join(' ')}`, value);
    return known ?? values[0]!;
  };
  const form = {
    format: oneOf('format', format, ROW_FORMATS),
    delimiter: oneOf('delimiter', delimiter, DELIMITERS),
    decimal: oneOf('decimal', decimal, DECIMAL_SIGNS),
    bom: !FALSE_WORDS.includes(bom),
  };
  failures.throwAny();
  return { ...form, columns: columnsOf(view, type, columns), list };
}

/** The entry of an export in the log of actions. */
export const exportedRows = ({ uid }: ContentType, { format, columns }: Export): NewAction => ({
  ...{ action: 'rows.export', type: uid, id: null },
  more: { format, columns: columns.map(({ name }) => name) },
});

/**
 * The text of an exported file in pieces, each of one page of documents.
 *
 * @throws ContentError 400 for a wrong parameter of the list, before the first piece.
 */
export async function* exportedText(
  reader: DocumentReader,
  type: ContentType,
  viewer: Viewer,
  { columns, list, format, delimiter, decimal, bom }: Export,
): AsyncGenerator<string> {
  const { view } = viewer;
  const line = (cells: readonly string[]): string =>
    `${cells.map((cell) => quoted(cell, delimiter)).join(delimiter)}\r\n`;
  let text = bom && format !== 'json' ? '\ufeff' : '';
  if (format === 'csv') text += line(columns.map(({ name }) => escapeFormula(name)));
  if (format === 'json') text += '[';
  let count = 0;
  for await (const page of allDocuments(reader, type, viewer, { ...list, ...shapeOf(view, type, columns) })) {
    for (const document of page) {
      const values = columns.map((column) => valueIn(view, column, document));
      if (format === 'csv') text += line(values.map((value, n) => textOfValue(listed(columns[n]!, value), decimal)));
      else {
        const row = JSON.stringify(Object.fromEntries(columns.map(({ name }, n) => [name, values[n]])));
        text += format === 'ndjson' ? `${row}\n` : `${count === 0 ? '\n' : ',\n'}${row}`;
      }
      count += 1;
    }
    yield text;
    text = '';
  }
  if (format === 'json') text = count === 0 ? `${text}]\n` : `${text}\n]\n`;
  if (text !== '') yield text;
}

/** A linked document as a list, in which a value with the sign between values is recognized. */
const listed = ({ kind }: RowColumn, value: unknown): unknown =>
  kind === 'link' && value !== null && !Array.isArray(value) ? [value] : value;

/** A cell, in quotes if it needs them. */
function quoted(text: string, delimiter: string): string {
  const needsQuotes = text.includes(delimiter) || /["\r\n]|^\s|\s$/.test(text);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

/** `fields` and `populate` for some columns. */
function shapeOf(view: View, type: ContentType, columns: readonly RowColumn[]): RawObject {
  const fields = new Set(['documentId']);
  const populate: RawObject = {};
  for (const column of columns) {
    if (column.kind === 'field') fields.add(column.attribute);
    else if (column.kind === 'link') {
      const { name } = column.attribute;
      const known = (populate[name] as { fields?: string[] } | undefined)?.fields ?? [];
      populate[name] = { fields: [...new Set([...known, 'documentId', column.by])] };
    } else Object.assign(populate, partPopulate(view, type, [column.attribute.name]));
  }
  return { fields: [...fields], populate };
}

/** The `populate` of attributes with everything in them. */
function partPopulate(view: View, owner: Model, names: Iterable<string>, depth = 0): RawObject {
  const populate: RawObject = {};
  if (depth > DEPTH) return populate;
  const inside = (component: Model): RawObject => ({
    populate: partPopulate(view, component, view.of(component).populatable, depth + 1),
  });
  for (const name of names) {
    const attribute = owner.attributes.get(name);
    if (!attribute || isScalar(attribute)) continue;
    if (attribute.type === 'component') populate[name] = inside(view.into(owner, attribute));
    else if (attribute.type === 'dynamiczone') {
      const parts = attribute.components.map((uid) => [uid, inside(modelOf(view.catalog, uid))]);
      populate[name] = { on: Object.fromEntries(parts) };
    } else if (linkedType(view, attribute)) populate[name] = { fields: [usualField(attribute)] };
  }
  return populate;
}

/** The value of a column in a document that was read. */
function valueIn(view: View, column: RowColumn, document: JsonObject): unknown {
  if (column.kind === 'field') return document[column.attribute] ?? null;
  const value = document[column.attribute.name] ?? null;
  if (column.kind === 'part') return partOf(view, column.attribute, value);
  return linkedValues(value, column.by);
}

/** A field of a linked document, or of each of several. */
function linkedValues(value: unknown, by: string): unknown {
  if (Array.isArray(value)) return value.flatMap((one) => (isObject(one) ? [one[by] ?? null] : []));
  return isObject(value) ? (value[by] ?? null) : null;
}

type Part = Extract<RowColumn, { kind: 'part' }>['attribute'];

/** Components as the body of a write names them: without ids, and with links by document id, or of files by id. */
function partOf(view: View, attribute: Part, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => partOf(view, attribute, one));
  if (!isObject(value) || attribute.type === 'media') return value;
  const uid = attribute.type === 'component' ? attribute.component : String(value['__component']);
  const component = modelOf(view.catalog, uid);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
      const own = component.attributes.get(name);
      if (!own) return name === '__component' ? [[name, inner]] : [];
      if (own.type === 'component' || own.type === 'dynamiczone') return [[name, partOf(view, own, inner)]];
      if (isScalar(own)) return [[name, inner]];
      return [[name, linkedValues(inner, usualField(own))]];
    }),
  );
}
