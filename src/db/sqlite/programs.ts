/**
 * Which tables a statement reads and writes, as the engine's own program for it has it: `explain` lists the programs of
 * triggers and of actions of foreign keys with it (https://sqlite.org/opcode.html).
 */
import type Sqlite from 'better-sqlite3';
import { KEPT_TEXT, LruCache, textWeight } from '../../lru-cache.ts';
import type { SqlValue } from '../../sql/fragment.ts';

/** Statements whose tables are kept. */
const STATEMENTS = 500;

/** Tables by name; undefined: any may be among them. */
export type TableNames = readonly string[] | undefined;

/** The tables of a file by the first page of each of their trees, and whether there are virtual ones. */
interface Schema {
  readonly pages: ReadonlyMap<number, string>;
  readonly hasVirtual: boolean;
}

/** One instruction: address, opcode, p1, p2, p3, p4, p5, comment. */
type Instruction = readonly [number, string, number, number, number, string | null, number, string | null];

/** The database in which a page number counts: the file's own, not that of temporary tables. */
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

  /** The tables that a statement reads. */
  readBy(text: string, values: readonly SqlValue[]): TableNames {
    return this.#of(text, values, readTables);
  }

  /** The tables that a statement may write to; none for one that reads. */
  writtenBy(text: string, values: readonly SqlValue[]): TableNames {
    return this.#of(text, values, writtenTables);
  }

  /** To be called when the schema may have changed. */
  forget(): void {
    this.#kept.clear();
    this.#schema = undefined;
  }

  #of(text: string, values: readonly SqlValue[], find: Finder): TableNames {
    // to prepare it once more takes long, and it would not be kept
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
      // which values they are plays no part, as long as there are as many
      const nulls = values.map(() => null);
      return find(
        this.#connection
          .prepare(`explain ${text}`)
          .raw()
          .all(...nulls) as Instruction[],
        this.#schema,
      );
    } catch {
      // whoever runs the statement is told what is wrong with it
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
    // what a virtual table reads behind its back is not in the program; those that are no part of the schema, such as
    // json_each, read nothing
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

/** What changes the schema, or a virtual table, which may have others behind it. */
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
