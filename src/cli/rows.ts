/** `galley rows export|import|undo`: documents as rows of CSV, JSON or NDJSON (docs/reference/rows.md). */
import { createWriteStream, statSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isEdited } from '../access/administrators/administrator-rights.ts';
import type { App } from '../app.ts';
import { counted } from '../counted.ts';
import { ContentError, UsageError } from '../errors.ts';
import { besideMeant, choices } from '../nearest.ts';
import { parseParams } from '../query/params.ts';
import { exportedRows, exportedText, exportOf } from '../rows/exporting.ts';
import { failedRows, findImport, type KeptReason, keptRows, settled } from '../rows/imports.ts';
import { guessKey, optionsIn } from '../rows/mapping.ts';
import type { RowsFile } from '../rows/reading.ts';
import type { Preview, RowImports } from '../rows/row-imports.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import { type Command, missingArgument, readArguments, type Surroundings } from './command.ts';
import { inProject } from './in-project.ts';

const EXPORT_FLAGS = {
  format: { type: 'string' },
  columns: { type: 'string' },
  query: { type: 'string' },
  locale: { type: 'string' },
  status: { type: 'string' },
  delimiter: { type: 'string' },
  decimal: { type: 'string' },
  bom: { type: 'boolean' },
  out: { type: 'string' },
} as const;

const rowsExportCommand: Command = {
  name: 'rows export',
  summary: 'export documents as CSV, JSON or lines of JSON',
  help: `galley rows export TYPE [--format csv|json|ndjson] [--columns NAMES] [--query QUERY] [--out FILE] [DIR]

Prints the documents of a type in the project in DIR (default: the working folder), one row for each. TYPE is a uid such as
api::article.article, or its name: article. The export is recorded in the log of actions.

  --format F     csv (default), json: a list, or ndjson: one JSON object per line
  --columns C    names separated by commas, such as title,author.name,cover.url (default: everything)
  --query Q      a query string as in the content API, such as 'filters[title][$contains]=fire&sort=title:asc'
  --locale L     a locale, or * for all (default: the default locale)
  --status S     draft (default) or published
  --delimiter D  of CSV: , (default) ; | or tab
  --decimal D    the decimal sign of CSV: . (default) or ,
  --bom          begins CSV with a byte order mark, by which Excel recognizes UTF-8
  --out FILE     writes to a file

Example: galley rows export article --columns documentId,title,author.name --out articles.csv`,
  async run(args, { env, print, warn }) {
    const { flag, switched, positionals } = readArguments('rows export', args, EXPORT_FLAGS, ['TYPE', 'DIR']);
    const [name, dir] = positionals;
    if (name === undefined) throw missingArgument('rows export', 'a TYPE');
    const query = parseParams((flag('query') ?? '').replace(/^\?/, ''));
    const named = ['format', 'columns', 'locale', 'status', 'decimal'].flatMap((option) => {
      const value = flag(option);
      return value === undefined ? [] : [[option, value]];
    });
    const delimiter = delimiterOf(flag('delimiter'));
    const params = {
      ...{ ...query, ...Object.fromEntries(named) },
      ...{ bom: String(switched('bom')), ...(delimiter !== undefined && { delimiter }) },
    };
    await inProject(dir, { env, warn }, async (app) => {
      const { catalog, reader, views, database } = app;
      const type = typeNamed(catalog, name);
      await asUsage(async () => {
        const wanted = exportOf(views.code.view, type, params);
        const pieces = exportedText(reader, type, views.code, wanted);
        const out = flag('out');
        if (out !== undefined) await pipeline(Readable.from(pieces, { objectMode: false }), createWriteStream(out));
        else await printPieces(pieces, print);
        await database.transaction(async (tx) => tx.recordAction(exportedRows(type, wanted)));
      });
    });
    return 0;
  },
};

/** Prints a text in pieces as whole lines. */
async function printPieces(pieces: AsyncIterable<string>, print: (line: string) => void): Promise<void> {
  let rest = '';
  for await (const piece of pieces) {
    const text = rest + piece;
    const end = text.lastIndexOf('\n');
    if (end >= 0) print(text.slice(0, end));
    rest = text.slice(end + 1);
  }
  if (rest !== '') print(rest);
}

/** The content type of a uid or of a name. @throws UsageError for an unknown one. */
function typeNamed({ contentTypes }: Catalog, name: string): ContentType {
  const edited = [...contentTypes.values()].filter(isEdited);
  const named = contentTypes.get(name) ?? edited.find((type) => [type.singularName, type.pluralName].includes(name));
  if (named && isEdited(named)) return named;
  const all = edited.map((type) => (name.includes('::') ? type.uid : type.singularName));
  throw new UsageError(`there is no content type ${name}${choices(name, all)}`);
}

const delimiterOf = (text: string | undefined): string | undefined => (text === 'tab' ? '\t' : text);

/** Refusals of the content are mistakes of the call. */
async function asUsage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    const failures = error.details?.['errors'];
    const lines = Array.isArray(failures) ? failures.map(({ message }: { message?: unknown }) => String(message)) : [];
    throw new UsageError(lines.length > 0 ? lines.join('\n') : error.message);
  }
}

const IMPORT_FLAGS = {
  key: { type: 'string' },
  map: { type: 'string', multiple: true },
  locale: { type: 'string' },
  status: { type: 'string' },
  empty: { type: 'string' },
  delimiter: { type: 'string' },
  decimal: { type: 'string' },
  dates: { type: 'string' },
  'dry-run': { type: 'boolean' },
} as const;

const rowsImportCommand: Command = {
  name: 'rows import',
  summary: 'import documents from CSV, JSON or lines of JSON',
  help: `galley rows import TYPE FILE [--key NAME] [--map COLUMN=NAME]... [--dry-run] [DIR]

Imports the rows of a file as documents of a type in the project in DIR (default: the working folder). TYPE is a uid such
as api::article.article, or its name: article. Rows with mistakes are left out and printed with their columns; the exit
code is then 1. Code of the project runs as when a document is created or updated. The last line is the id of the import,
with which galley rows undo takes all of it back.

  --key NAME     the attribute by which rows find the documents that they update, such as slug or documentId
                 (default: a column with unique values, if there is one); --key none: each row becomes a document
  --map C=N      imports column C as attribute N: --map 'Written by=author.name'; --map C= leaves a column out
                 (default: columns with the names of attributes)
  --locale L     the locale of rows without a column locale (default: the default locale)
  --status S     draft (default), or published: publishes what is written
  --empty E      clear (default): an empty cell clears the value; keep: it leaves it
  --delimiter D  of CSV: , ; | or tab (default: guessed)
  --decimal D    the decimal sign: . or , (default: guessed)
  --dates D      the order of dates such as 1/2/2026: dmy or mdy (default: guessed)
  --dry-run      writes nothing, and prints what would be written and which rows have mistakes

Example: galley rows import article articles.csv --key slug --dry-run`,
  async run(args, surroundings) {
    const { flag, flags, switched, positionals } = readArguments('rows import', args, IMPORT_FLAGS, [
      ...['TYPE', 'FILE', 'DIR'],
    ]);
    const [name, filePath, dir] = positionals;
    if (name === undefined) throw missingArgument('rows import', 'a TYPE');
    if (filePath === undefined) throw missingArgument('rows import', 'a FILE');
    const file = fileAt(filePath);
    return withImports(dir, surroundings, async (app, imports) => {
      const type = typeNamed(app.catalog, name);
      const importer = () => app.views.code;
      const given = delimiterOf(flag('delimiter'));
      const { delimiter } = optionsIn(JSON.stringify({ delimiter: given }));
      const preview = await imports.preview(type, importer, file, delimiter);
      const columns = mappedColumns(preview, flags('map'));
      const guessed = preview.targets.some(({ target, isUnique }) => isUnique && columns.includes(target.name));
      const key =
        flag('key') === 'none' ? null : (flag('key') ?? (guessed ? guessKey(preview.targets, columns) : null));
      const options = optionsIn(
        JSON.stringify({
          ...{ columns: columns.map((one) => (one === 'documentId' && key !== one ? null : one)), key },
          ...{ locale: flag('locale'), status: flag('status'), empty: flag('empty'), delimiter: given },
          decimal: flag('decimal') ?? preview.cells.decimal,
          dates: flag('dates') ?? preview.cells.dates,
          dryRun: switched('dry-run'),
        }),
      );
      const { id, end } = await imports.begin(type, importer, file, options, 'command');
      await watched(app, id, end, surroundings);
      return reportImport(app, id, preview.form.columns, surroundings);
    });
  },
};

const rowsUndoCommand: Command = {
  name: 'rows undo',
  summary: 'undo an import',
  help: `galley rows undo ID [DIR]

Undoes an import in the project in DIR (default: the working folder): documents that it created go to the trash, updated
ones get back the state that the history has recorded. Documents that have changed since stay as they are; the command
prints them, and its exit code is 1. ID is the one that galley rows import prints.`,
  async run(args, surroundings) {
    const { positionals } = readArguments('rows undo', args, {}, ['ID', 'DIR']);
    const [text, dir] = positionals;
    if (text === undefined) throw missingArgument('rows undo', 'an ID');
    if (!/^\d{1,9}$/.test(text)) throw new UsageError(`rows undo takes the id of an import, not ${text}`);
    const id = Number(text);
    return withImports(dir, surroundings, async (app, imports) => {
      const found = await settled(app.database, await findImport(app.database, id));
      const type = typeNamed(app.catalog, found.uid);
      const { end } = await imports.undo(type, () => app.views.code, found, 'command');
      await watched(app, id, end, surroundings);
      const { undone, kept, state } = await findImport(app.database, id);
      for (const { row, documentId, reason } of await keptRows(app.database, id)) {
        surroundings.warn(`row ${row}: ${documentId} stays as it is: ${KEPT[reason]}`);
      }
      surroundings.print(`${counted(undone, 'row')} undone, ${kept} left as they are`);
      return state === 'undone' ? 0 : 1;
    });
  },
};

const KEPT: Readonly<Record<KeptReason, string>> = {
  changedSince: 'it has changed since',
  notRecorded: 'the history has not recorded its state before',
  forbidden: 'it may not be written',
  refused: 'its former state is refused',
};

/** Opens a project with its code for imports. */
async function withImports(
  dir: string | undefined,
  { env, warn }: Surroundings,
  work: (app: App, imports: RowImports) => Promise<number>,
): Promise<number> {
  return inProject(dir, { env, warn, usesSecrets: true }, async (app) => {
    const running = await app.startCode();
    const imports = app.rowImports(running);
    try {
      return await asUsage(() => work(app, imports));
    } finally {
      await imports.close();
      await running?.close();
    }
  });
}

/** @throws UsageError for a file that is not there. */
function fileAt(filePath: string): RowsFile {
  const stats = statSync(filePath, { throwIfNoEntry: false });
  if (!stats?.isFile()) {
    throw new UsageError(`there is no file ${filePath}${besideMeant(filePath, (entry) => entry.isFile())}`);
  }
  return { path: filePath, name: path.basename(filePath), size: stats.size };
}

/** The targets of columns, with those that a call names. @throws UsageError for a column that the file does not have. */
function mappedColumns({ form, columns }: Preview, named: readonly string[]): readonly (string | null)[] {
  const mapped = [...columns];
  for (const one of named) {
    const at = one.lastIndexOf('=');
    const [column, target] = [one.slice(0, at), one.slice(at + 1)];
    const index = form.columns.indexOf(column);
    if (at < 0 || index < 0) throw new UsageError(`the file has no column ${column}${choices(column, form.columns)}`);
    for (const [other, name] of mapped.entries()) if (name === target) mapped[other] = null;
    mapped[index] = target === '' ? null : target;
  }
  return mapped;
}

/** Milliseconds between two looks at the progress. */
const LOOKS = 500;

/** Waits until an import has ended, and draws its progress on a terminal. */
async function watched({ database }: App, id: number, end: Promise<void>, { terminal }: Surroundings): Promise<void> {
  const show = async () => {
    const { state, done, total, undone, kept } = await findImport(database, id);
    terminal?.(`\r\u001b[K${state === 'undoing' ? undone + kept : done} of ${counted(total, 'row')}`);
  };
  const timer = terminal && setInterval(() => void show().catch(() => undefined), LOOKS);
  await end;
  clearInterval(timer);
  terminal?.('\r\u001b[K');
}

async function reportImport(
  { database }: App,
  id: number,
  columns: readonly string[],
  { print, warn }: Surroundings,
): Promise<number> {
  const { created, updated, failed, state, options } = await findImport(database, id);
  for (const { row, problems } of await failedRows(database, id)) {
    for (const { column, message, value } of problems) {
      const place = column === null ? '' : `, column ${columns[column]}`;
      warn(`row ${row}${place}: ${message}${value === undefined ? '' : `: ${JSON.stringify(value)}`}`);
    }
  }
  const would = options.isTrial ? 'would be ' : '';
  print(
    `${counted(created, 'document')} ${would}created, ${updated} ${would}updated, ${counted(failed, 'row')} left out`,
  );
  if (state !== 'done') warn(`galley: the import has ended early: ${state}`);
  if (!options.isTrial) print(`import ${id}`);
  return failed === 0 && state === 'done' ? 0 : 1;
}

export const rowsCommands: readonly Command[] = [rowsExportCommand, rowsImportCommand, rowsUndoCommand];
