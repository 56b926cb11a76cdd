/**
 * Data of attributes and types that the schema no longer has. Nothing is ever dropped, so a renamed attribute leaves
 * its values in the old column. Leftovers are found by comparing the tables with the layout.
 */
import { nearest } from '../../nearest.ts';
import { commandText } from '../../own-files.ts';
import type { Catalog, Model } from '../../schema/catalog.ts';
import { FILES_RELATED_TABLE, type Layout, type ModelLayout } from '../../schema/layout/layout.ts';
import { reviewLinkTables } from '../../schema/layout/review-tables.ts';
import type { TableDefinition } from '../../schema/layout/table.ts';
import type { DdlDialect } from '../../sql/ddl.ts';
import {
  compileAnyRow,
  compileAnyValue,
  compileDifferent,
  compileMoveColumn,
  compileMoveLinks,
  compileMoveRows,
  type Sample,
} from '../../sql/doctor/leftovers.ts';
import { render, type Sql } from '../../sql/fragment.ts';
import { readEntry, storeEntry } from '../interface/core-store.ts';
import type { Database } from '../interface/database.ts';
import type { Queryable } from '../interface/queryable.ts';
import { query } from '../interface/statements.ts';
import type { Transaction } from '../interface/transaction.ts';
import type { ExistingTable } from './schema-engine.ts';

export interface Leftover {
  /** The name in commands: `articles.title`, `articles_author_lnk`, `articles_cmps:seo`. */
  readonly name: string;
  /** The leftover data, as a sentence without its full stop. */
  readonly what: string;
  /** How the operator can use the data again. */
  readonly remedy: string;
  /** Whether the operator has decided to keep it as it is. */
  readonly kept: boolean;
}

export interface LeftoverSource {
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly ddl: DdlDialect;
}

/** The number of rows examined at each end of a table, so that a start takes no longer on a large table. */
const ROWS = 1000;
/** The number of leftovers that a start lists. */
const SHOWN = 5;
/** The core-store entry with the names of kept leftovers. */
const KEPT = 'galley_kept_leftovers';
/** Columns of the table of every content type. */
const OF_TYPES = ['id', 'document_id', 'created_at', 'updated_at', 'published_at', 'locale'];
const RESERVED = /^(?:strapi|admin|up|upload|i18n|galley)_|^files$/;
const JOINING = /_(?:lnk|mph|cmps)$/;

/**
 * Finds leftovers. Columns and tables without values are not reported.
 *
 * @param existing the tables of the database. A column that they lack has just been added.
 */
export async function findLeftovers(
  db: Queryable,
  source: LeftoverSource,
  existing: ReadonlyMap<string, ExistingTable>,
): Promise<Leftover[]> {
  const found = await new Search(db, source, existing).run();
  if (found.length === 0) return [];
  const names = await keptNames(db);
  return found.map((one) => ({ ...one, kept: names.has(one.name) }));
}

/**
 * The notices of a start about leftovers without a decision, one line each.
 *
 * @param dir the project's folder, which appears in the printed command.
 */
export function leftoverNotices(leftovers: readonly Leftover[], dir: string): string[] {
  const open = leftovers.filter(({ kept: isKept }) => !isKept);
  const lines = open.slice(0, SHOWN).map(({ name, what, remedy }) => {
    return `${what}; ${remedy}; "${commandText(`leftover keep ${name}`, dir)}" ends this notice`;
  });
  const more = open.length - lines.length;
  if (more > 0) lines.push(`${more} more leftovers are listed by ${commandText('leftover list', dir)}`);
  return lines;
}

/** Records that leftovers stay as they are, so that no start reports them again. */
export async function keepLeftovers(database: Pick<Database, 'transaction'>, names: readonly string[]): Promise<void> {
  await database.transaction((tx) => keepLeftoversIn(tx, names));
}

/** The same in a transaction. @param open names of new leftovers, without a decision even if earlier ones had them. */
export async function keepLeftoversIn(
  tx: Transaction,
  names: readonly string[],
  open: ReadonlySet<string> = new Set(),
): Promise<void> {
  const kept = new Set([...(await keptNames(tx)), ...names]);
  const value = JSON.stringify([...kept].filter((name) => !open.has(name)).sort());
  await storeEntry(tx, KEPT, value, 'array');
}

async function keptNames(db: Queryable): Promise<ReadonlySet<string>> {
  return new Set(JSON.parse((await readEntry(db, KEPT)) ?? '[]') as string[]);
}

type FoundLeftover = Omit<Leftover, 'kept'>;

class Search {
  readonly #db: Queryable;
  readonly #source: LeftoverSource;
  readonly #existing: ReadonlyMap<string, ExistingTable>;
  readonly #wanted: ReadonlyMap<string, TableDefinition>;
  /** Layouts of the project's own types and components by their tables. */
  readonly #own: ReadonlyMap<string, ModelLayout>;

  constructor(db: Queryable, source: LeftoverSource, existing: ReadonlyMap<string, ExistingTable>) {
    this.#db = db;
    this.#source = source;
    this.#existing = existing;
    // rows have stages of review also while their type has none
    const reviewed = [...source.catalog.contentTypes.values()].flatMap(reviewLinkTables);
    this.#wanted = new Map([...source.layout.tables, ...reviewed].map((table) => [table.name, table]));
    const own = [...source.layout.models.values()].filter(({ uid }) => !/^(?:plugin|admin|strapi)::/.test(uid));
    this.#own = new Map(own.map((layout) => [layout.table, layout]));
  }

  async run(): Promise<FoundLeftover[]> {
    const found: FoundLeftover[] = [];
    for (const table of this.#existing.values()) {
      const layout = this.#own.get(table.name);
      if (layout) found.push(...(await this.#columns(table, layout)), ...(await this.#components(layout)));
      else if (!this.#wanted.has(table.name)) found.push(...(await this.#table(table)));
    }
    return [...found, ...(await this.#media())];
  }

  /** Columns of a table that belong to no attribute. */
  async #columns({ name, columns }: ExistingTable, { uid, columns: own }: ModelLayout): Promise<FoundLeftover[]> {
    const wanted = this.#wanted.get(name)!;
    const known = new Set(wanted.columns.map((column) => column.name));
    const attributes = new Set([...this.#model(uid).attributes.keys()].map((attribute) => own.get(attribute)));
    const isAdded = (column: string) => !columns.some((one) => one.name === column);
    const found: FoundLeftover[] = [];
    for (const { name: column, type } of columns) {
      if (known.has(column) || !(await this.#hasValues(name, column))) continue;
      const alike = wanted.columns
        .filter((one) => attributes.has(one.name) && this.#source.ddl.sameType(one.type, type))
        .map((one) => one.name);
      const added = alike.filter(isAdded);
      const others = added.length === 1 ? added : alike;
      const to = await this.#successor(column, others, async (one) => isAdded(one) || this.#isEmpty(name, one));
      found.push({
        name: `${name}.${column}`,
        what: `the column ${column} of the table ${name} has values, and ${uid} has no attribute for it`,
        remedy: this.#renamed(to, (into) => compileMoveColumn(name, column, into), `the column of ${uid}`),
      });
    }
    return found;
  }

  /** Component entries of attributes that a type no longer has. */
  async #components({ uid, componentsTable }: ModelLayout): Promise<FoundLeftover[]> {
    if (componentsTable === undefined || !this.#existing.has(componentsTable)) return [];
    const names = attributesOf(this.#model(uid), ['component', 'dynamiczone']);
    const fields = (await this.#different(['field'], componentsTable)).map(([field]) => String(field));
    const used = new Set(fields);
    return Promise.all(
      [...used]
        .filter((field) => !names.includes(field))
        .map(async (field) => {
          const to = await this.#successor(field, names, async (one) => !used.has(one));
          return {
            name: `${componentsTable}:${field}`,
            what: `the table ${componentsTable} has components of ${uid}.${field}, which is no attribute of components`,
            remedy: this.#renamed(
              to,
              (into) => compileMoveRows(componentsTable, field, into),
              `an attribute of ${uid}`,
            ),
          };
        }),
    );
  }

  /** Files in attributes that a type no longer has. */
  async #media(): Promise<FoundLeftover[]> {
    if (!this.#existing.has(FILES_RELATED_TABLE)) return [];
    const used = new Map<string, Set<string>>();
    for (const [type, field] of await this.#different(['related_type', 'field'], FILES_RELATED_TABLE)) {
      const uid = String(type);
      used.set(uid, (used.get(uid) ?? new Set()).add(String(field)));
    }
    const found: FoundLeftover[] = [];
    for (const { uid } of this.#own.values()) {
      const names = attributesOf(this.#model(uid), ['media']);
      const fields = used.get(uid) ?? new Set<string>();
      for (const field of fields) {
        if (names.includes(field)) continue;
        const to = await this.#successor(field, names, async (one) => !fields.has(one));
        const move = (into: string) => compileMoveRows(FILES_RELATED_TABLE, field, into, ['related_type', uid]);
        found.push({
          name: `${FILES_RELATED_TABLE}:${uid}.${field}`,
          what: `the table ${FILES_RELATED_TABLE} has files of ${uid}.${field}, which is no attribute of files`,
          remedy: this.#renamed(to, move, `an attribute of ${uid}`),
        });
      }
    }
    return found;
  }

  /** A table that the schema does not use: of links, of a type or of a component. */
  async #table({ name, columns }: ExistingTable): Promise<FoundLeftover[]> {
    if (RESERVED.test(name)) return [];
    const has = new Set(columns.map((column) => column.name));
    const owner = JOINING.test(name) ? [...this.#own.keys()].find((table) => name.startsWith(`${table}_`)) : undefined;
    const isType = OF_TYPES.every((column) => has.has(column));
    const isComponent = /^components_/.test(name) && !JOINING.test(name);
    if (owner === undefined && !isType && !isComponent) return [];
    if ((await this.#rows(compileAnyRow(name))).length === 0) return [];
    if (owner === undefined) {
      const kind = isType ? 'content type' : 'component';
      return [
        {
          name,
          what: `the table ${name} has rows, and no ${kind} has it as its collectionName`,
          remedy: `if a ${kind} was renamed, "collectionName": "${name}" in its schema file uses the table again`,
        },
      ];
    }
    const links = columns.map((column) => column.name).filter((column) => column !== 'id');
    const alike = [...this.#wanted.values()].filter(
      (one) => one.name.startsWith(`${owner}_`) && links.every((link) => one.columns.some((own) => own.name === link)),
    );
    const to = await this.#successor(
      name,
      alike.map((one) => one.name),
      async (one) => !this.#existing.has(one) || (await this.#rows(compileAnyRow(one))).length === 0,
    );
    const { uid } = this.#own.get(owner)!;
    return [
      {
        name,
        what: `the table ${name} has links of an attribute that ${uid} no longer has`,
        remedy: this.#renamed(to, (into) => compileMoveLinks(name, into, links), `the table of the new attribute`),
      },
    ];
  }

  /** The probable new name of an attribute: the only empty one, otherwise the one with the most similar name. */
  async #successor(
    name: string,
    others: readonly string[],
    isEmpty: (other: string) => Promise<boolean>,
  ): Promise<string | undefined> {
    const empty: string[] = [];
    for (const other of others) if (await isEmpty(other)) empty.push(other);
    return empty.length === 1 ? empty[0] : nearest(name, empty);
  }

  #renamed(to: string | undefined, move: (to: string) => Sql, unknown: string): string {
    const text = render(move(to ?? 'NEW_NAME'), String).text;
    return to === undefined
      ? `if it was renamed, move the values, with ${unknown} for NEW_NAME: ${text}`
      : `if it was renamed to ${to}, move the values: ${text}`;
  }

  #model(uid: string): Model {
    const { contentTypes, components } = this.#source.catalog;
    return (contentTypes.get(uid) ?? components.get(uid))!;
  }

  #samples(table: string): Sample[] {
    return (['asc', 'desc'] as const).map((order) => ({ table, rows: ROWS, order }));
  }

  async #hasValues(table: string, column: string): Promise<boolean> {
    for (const sample of this.#samples(table)) {
      if ((await this.#rows(compileAnyValue(column, sample))).length > 0) return true;
    }
    return false;
  }

  /** Whether the oldest rows have no value in a column, which suggests that the column was added later. */
  async #isEmpty(table: string, column: string): Promise<boolean> {
    return (await this.#rows(compileAnyValue(column, this.#samples(table)[0]!))).length === 0;
  }

  async #different(columns: readonly [string, ...string[]], table: string): Promise<readonly (readonly unknown[])[]> {
    const rows = [];
    for (const sample of this.#samples(table)) rows.push(...(await this.#rows(compileDifferent(columns, sample))));
    return rows;
  }

  #rows(fragment: Sql): Promise<readonly (readonly unknown[])[]> {
    return query(this.#db, fragment);
  }
}

const attributesOf = ({ attributes }: Model, types: readonly string[]): string[] =>
  [...attributes.values()].filter(({ type }) => types.includes(type)).map(({ name }) => name);
