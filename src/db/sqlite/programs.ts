/**
 * The tables that a statement reads and writes, from the engine's own program for it: `explain` also lists the programs
 * of triggers and of actions of foreign keys (https://sqlite.org/opcode.html).
 */
import type Sqlite from 'better-sqlite3';
import { KEPT_TEXT, LruCache, textWeight } from '../../lru-cache.ts';
import type { SqlValue } from '../../sql/fragment.ts';

/** Statements whose tables are cached. */
const STATEMENTS = 500;

/** Table names; undefined: any tables. */
export type TableNames = readonly string[] | undefined;

/** The tables of a file by the first page of their trees, and whether there are virtual tables. */
interface Schema {
  readonly pages: ReadonlyMap<number, string>;
  readonly hasVirtual: boolean;
}

/** One instruction: address, opcode, p1, p2, p3, p4, p5, comment. */
type Instruction = readonly [number, string, number, number, number, string | null, number, string | null];

/** The database whose page numbers count: the file itself, not that of temporary tables. */
const MAIN = 0;
/** A flag in `p5` of `OpenWrite`: the page is known only while the program runs. */
const PAGE_IN_REGISTER = 0x10;

export class Programs {
  readonly #connection: Sqlite.Database;
  readonly #kept = new LruCache<string, { readonly names: TableNames }>(
    STATEMENTS,
    textWeight((text) => text.length),
  );
  #schema: Schema | undefined;

  constructor(connection: Sqlite.Database) {
    this.#connection = connection;
  }

  readBy(text: string, values: readonly SqlValue[]): TableNames {
    return this.#of(text, values, readTables);
  }

  /** The tables that a statement may write to; none for a statement that reads. */
  writtenBy(text: string, values: readonly SqlValue[]): TableNames {
    return this.#of(text, values, writtenTables);
  }

  /** Called when the schema may have changed. */
  forget(): void {
    this.#kept.clear();
    this.#schema = undefined;
  }

  #of(text: string, values: readonly SqlValue[], find: Finder): TableNames {
    // preparing it again takes long, and the result would not be cached
    if (text.length > KEPT_TEXT) return undefined;
    let tables = this.#kept.get(text);
    if (!tables) {
      tables = { names: this.#explained(text, values, find) };
      this.#kept.set(text, tables);
    }
    return tables.names;
  }

  #explained(text: string, values: readonly SqlValue[], find: Finder): TableNames {
    try {
      this.#schema ??= schemaOf(this.#connection);
      // only the number of values matters
      const nulls = values.map(() => null);
      return find(
        this.#connection
          .prepare(`explain ${text}`)
          .raw()
          .all(...nulls) as Instruction[],
        this.#schema,
      );
    } catch {
      // running the statement reports the error
      return undefined;
    }
  }
}

type Finder = (program: readonly Instruction[], schema: Schema) => TableNames;

function schemaOf(connection: Sqlite.Database): Schema {
  const rows = connection
    .prepare('select rootpage, tbl_name from sqlite_schema where type in (?, ?)')
    .raw()
    .all('table', 'index') as [number, string][];
  return {
    pages: new Map(rows.filter(([page]) => page > 0)),
    // a virtual table has no pages of its own
    hasVirtual: rows.some(([page]) => page === 0),
  };
}

function readTables(program: readonly Instruction[], { pages, hasVirtual }: Schema): TableNames {
  const names = new Set<string>();
  for (const [, opcode, , page, database] of program) {
    // the program does not show what a virtual table reads itself
    if (opcode === 'VOpen' && hasVirtual) return undefined;
    if (opcode !== 'OpenRead' && opcode !== 'ReopenIdx') continue;
    const name = database === MAIN ? pages.get(page) : undefined;
    if (name === undefined) return undefined;
    names.add(name);
  }
  return [...names];
}

function writtenTables(program: readonly Instruction[], { pages }: Schema): TableNames {
  const names = new Set<string>();
  let writes = false;
  for (const [, opcode, p1, p2, p3, , p5] of program) {
    if (opcode === 'Transaction' && p2 !== 0) writes = true;
    if (ALTERING.has(opcode)) return undefined;
    if (opcode !== 'OpenWrite' && opcode !== 'Clear') continue;
    const isKnown = opcode === 'Clear' || (p3 === MAIN && (p5 & PAGE_IN_REGISTER) === 0);
    const name = isKnown ? pages.get(opcode === 'Clear' ? p1 : p2) : undefined;
    if (name === undefined) return undefined;
    names.add(name);
  }
  return writes && names.size === 0 ? undefined : [...names];
}

/** Instructions that change the schema, or a virtual table, which may use other tables. */
const ALTERING: ReadonlySet<string> = new Set([
  'CreateBtree',
  'Destroy',
  'DropIndex',
  'DropTable',
  'DropTrigger',
  'ParseSchema',
  'SetCookie',
  'VCreate',
  'VDestroy',
  'VRename',
  'VUpdate',
]);
