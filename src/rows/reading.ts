/** Reads rows from files of spreadsheets and programs: CSV, JSON and lines of JSON. No file is held in memory, but for JSON. */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { type ContentError, loaded, validation } from '../errors.ts';
import { isObject, JSON_DEPTH } from '../plain-values.ts';
import { type CellForm, guessForm, jsonOf, unescapeFormula } from './cells.ts';
import { MOST_COLUMNS } from './columns.ts';
import { DELIMITERS, type Delimiter, type RowFormat } from './exporting.ts';

/** Limits of imported files, listed in docs/reference/limits.md. */
export const fileLimits = {
  /** Bytes of a file. */
  bytes: 50 * 1024 * 1024,
  /** Bytes of a JSON list, which is read as a whole. */
  json: 10 * 1024 * 1024,
  rows: 100_000,
  /** Characters of a cell. */
  cell: 1_000_000,
  /** Bytes of a row. */
  row: 4 * 1024 * 1024,
} as const;

/** Bytes at the beginning of a file by which its form is recognized. */
const HEAD = 64 * 1024;
/** Rows whose cells show how numbers and dates are written, and those that a preview shows. */
const STUDIED = 500;
const SHOWN = 20;

/** A row of a file. */
export interface FileRow {
  /** Its number, as a spreadsheet shows it: the head is row 1; of JSON the place in the list, of other files the line. */
  readonly row: number;
  /** The cells in the order of columns: texts of CSV, values of JSON; undefined for missing ones. */
  readonly cells: readonly unknown[];
  /** Whether it is a row at all: a line of JSON may be none, and a row may have more cells than the head. */
  readonly isBroken?: boolean;
}

/** The form of a file. */
export interface FileForm {
  readonly format: RowFormat;
  readonly encoding: Encoding;
  readonly delimiter: Delimiter;
  /** Whether the first line tells spreadsheets the delimiter. */
  readonly namesDelimiter: boolean;
  readonly columns: readonly string[];
}

type Encoding = 'utf-8' | 'utf-16le' | 'windows-1252';

/** A file as a preview describes it. */
export interface InspectedFile {
  readonly form: FileForm;
  readonly cells: CellForm;
  readonly count: number;
  readonly samples: readonly FileRow[];
}

/** A file on the disk. */
export interface RowsFile {
  readonly path: string;
  /** Its name as sent. */
  readonly name: string;
  readonly size: number;
}

/**
 * Reads a file once, to recognize its form and to count its rows.
 *
 * @param delimiter of CSV; guessed when left out.
 * @throws ContentError 400 for a file without rows, or beyond a limit.
 */
export async function inspectFile(file: RowsFile, delimiter?: Delimiter): Promise<InspectedFile> {
  const { name, size } = file;
  if (size > fileLimits.bytes) throw validation(`A file can have at most ${fileLimits.bytes / 1024 / 1024} MB`);
  const encoding = await encodingOf(file.path);
  const head = await headOf(file.path, encoding);
  const format = formatOf(name, head);
  const named = /^sep=(.)\r?\n/i.exec(head)?.[1];
  const told = DELIMITERS.find((one) => one === named);
  const own = delimiter ?? told ?? delimiterIn(head);
  const bare = { format, encoding, delimiter: own, namesDelimiter: format === 'csv' && named !== undefined };
  const columns = await columnsIn(file, bare);
  if (columns.length === 0) throw validation('The file has no rows');
  const form = { ...bare, columns };
  const [samples, studied]: [FileRow[], string[]] = [[], []];
  let count = 0;
  for await (const row of rowsOf(file, form)) {
    count += 1;
    if (count <= SHOWN) samples.push(row);
    if (count <= STUDIED) studied.push(...row.cells.filter((cell) => typeof cell === 'string'));
  }
  return { form, cells: guessForm(studied, own === ';'), count, samples };
}

/**
 * The rows of a file in their order. Empty rows are left out.
 *
 * @throws ContentError 400 for a file that is not what its form says, and beyond a limit.
 */
export async function* rowsOf(file: RowsFile, form: FileForm): AsyncGenerator<FileRow> {
  let count = 0;
  for await (const row of form.format === 'csv' ? csvRows(file, form) : jsonRows(file, form)) {
    if (row.cells.every((cell) => cell === undefined || cell === null || cell === '') && !row.isBroken) continue;
    count += 1;
    if (count > fileLimits.rows) throw validation(`A file can have at most ${fileLimits.rows} rows`);
    yield row;
  }
}

/** The encoding of a file: without a mark UTF-8 if it is that, else that of spreadsheets of Windows. */
async function encodingOf(path: string): Promise<Encoding> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isFirst = true;
  try {
    for await (const bytes of createReadStream(path) as AsyncIterable<Buffer>) {
      if (isFirst && bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
      isFirst = false;
      decoder.decode(bytes, { stream: true });
    }
    decoder.decode();
    return 'utf-8';
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return 'windows-1252';
  }
}

/** The text of a file in pieces, without a byte order mark. */
async function* textOf(path: string, encoding: Encoding, end = Number.POSITIVE_INFINITY): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const bytes of createReadStream(path, { end }) as AsyncIterable<Buffer>) {
    yield decoder.decode(bytes, { stream: true });
  }
  yield decoder.decode();
}

async function headOf(path: string, encoding: Encoding): Promise<string> {
  let head = '';
  for await (const text of textOf(path, encoding, HEAD - 1)) head += text;
  return head;
}

const EXTENSIONS: Readonly<Record<string, RowFormat>> = {
  ...{ csv: 'csv', tsv: 'csv', txt: 'csv', json: 'json', ndjson: 'ndjson', jsonl: 'ndjson' },
};

function formatOf(name: string, head: string): RowFormat {
  const known = EXTENSIONS[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''];
  // a list of one line is no file of lines
  if (known === 'csv') return known;
  const first = head.trimStart()[0];
  if (first === '[') return 'json';
  return first === '{' ? 'ndjson' : (known ?? 'csv');
}

/** The delimiter that stands most often outside of quotes in the first line. */
function delimiterIn(head: string): Delimiter {
  const [line = ''] = head.replace(/"(?:[^"]|"")*"/g, '').split(/\r?\n|\r/, 1);
  const countOf = (sign: string): number => line.split(sign).length;
  return [...DELIMITERS].sort((one, other) => countOf(other) - countOf(one))[0]!;
}

type BareForm = Omit<FileForm, 'columns'>;

/** The names of a file's columns: the head of CSV, or the keys of all objects. */
async function columnsIn(file: RowsFile, form: BareForm): Promise<readonly string[]> {
  const names = new Set<string>();
  if (form.format === 'csv') {
    for await (const record of csvRecords(file, form)) {
      const head = record.map((name) => unescapeFormula(name).trim());
      while (head.at(-1) === '') head.pop();
      return limited(head);
    }
    return [];
  }
  for await (const { value } of jsonValues(file, form)) {
    if (!isObject(value)) continue;
    for (const name of Object.keys(value)) names.add(name);
    limited([...names]);
  }
  return [...names];
}

function limited(names: readonly string[]): readonly string[] {
  if (names.length > MOST_COLUMNS) throw validation(`A file can have at most ${MOST_COLUMNS} columns`);
  return names;
}

async function* csvRows(file: RowsFile, form: FileForm): AsyncGenerator<FileRow> {
  let row = 0;
  for await (const record of csvRecords(file, form)) {
    row += 1;
    if (row === 1) continue;
    const cells = form.columns.map((_, index) => record[index]);
    const isBroken = record.slice(cells.length).some((cell) => cell.trim() !== '');
    yield { row, cells, ...(isBroken && { isBroken }) };
  }
}

/** Codes of the parser for files that it cannot read. */
const CSV_REFUSALS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is not closed',
  CSV_MAX_RECORD_SIZE: `has more than ${fileLimits.row} bytes`,
};

async function* csvRecords({ path }: RowsFile, form: BareForm): AsyncGenerator<readonly string[]> {
  const { parse } = await loaded(import('csv-parse'), 'Files cannot be read at the moment');
  const parser = parse({
    delimiter: form.delimiter,
    from_line: form.namesDelimiter ? 2 : 1,
    max_record_size: fileLimits.row,
    relax_column_count: true,
    relax_quotes: true,
  });
  let count = 0;
  // errors are those of the loop
  pipeline(Readable.from(textOf(path, form.encoding)), parser, () => undefined);
  try {
    for await (const record of parser as AsyncIterable<string[]>) {
      count += 1;
      yield record;
    }
  } catch (error) {
    throw refusedFile(error, count + 1);
  }
}

function refusedFile(error: unknown, row: number): ContentError | unknown {
  const { code } = (error ?? {}) as { readonly code?: string };
  const refused = code === undefined ? undefined : CSV_REFUSALS[code];
  return refused === undefined ? error : validation(`Row ${row} of the file ${refused}`);
}

async function* jsonRows(file: RowsFile, form: FileForm): AsyncGenerator<FileRow> {
  for await (const { row, value } of jsonValues(file, form)) {
    if (!isObject(value)) yield { row, cells: [], isBroken: true };
    else yield { row, cells: form.columns.map((name) => (Object.hasOwn(value, name) ? value[name] : undefined)) };
  }
}

/** The values of a list, or of lines; undefined for a line that is not JSON, or that has too many levels. */
async function* jsonValues(
  { path, size }: RowsFile,
  { format, encoding }: BareForm,
): AsyncGenerator<{ readonly row: number; readonly value: unknown }> {
  if (format === 'json') {
    const limit = fileLimits.json / 1024 / 1024;
    if (size > fileLimits.json) throw validation(`A JSON list can have at most ${limit} MB: use one object per line`);
    const list = jsonOf(new TextDecoder(encoding).decode(await readFile(path)));
    if (!Array.isArray(list))
      throw validation(`The file must be a JSON list of objects with at most ${JSON_DEPTH} levels`);
    for (const [index, value] of list.entries()) yield { row: index + 1, value };
    return;
  }
  let row = 0;
  for await (const line of linesOf(path, encoding)) {
    row += 1;
    if (line.trim() !== '') yield { row, value: jsonOf(line) };
  }
}

async function* linesOf(path: string, encoding: Encoding): AsyncGenerator<string> {
  let rest = '';
  for await (const text of textOf(path, encoding)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    if (rest.length > fileLimits.row) throw validation(`A line can have at most ${fileLimits.row} bytes`);
    yield* lines;
  }
  yield rest;
}
