/** `(table) => { table.string('name').notNullable(); … }`: what a migration makes and changes of a table, as statements. */
import { id, join, literal, raw, type Sql, sql } from '../../sql/fragment.ts';
import { isPiece, PIECE } from './pieces.ts';
import type { Guard } from './query.ts';
import type { MigrationSession, SessionWords } from './session.ts';

/** Types of columns, with what stands for the name of those that have one by themselves. */
const TYPES = [
  ...['increments', 'bigIncrements', 'integer', 'tinyint', 'smallint', 'bigInteger', 'bigint', 'string', 'text'],
  ...['float', 'double', 'decimal', 'boolean', 'date', 'time', 'datetime', 'dateTime', 'timestamp', 'json', 'jsonb'],
  ...['uuid', 'specificType'],
] as const;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly args: readonly unknown[];
  isRequired: boolean;
  isPrimary: boolean;
  default: { readonly value: unknown } | undefined;
  target: { readonly column: string; table?: string; onDelete?: string; onUpdate?: string } | undefined;
}

interface KeyOptions {
  readonly indexName?: string;
}

export interface TableChange {
  readonly columns: readonly Column[];
  readonly dropped: readonly string[];
  /** Old and new names. */
  readonly renamed: readonly (readonly [string, string])[];
  readonly primary: readonly string[];
  /** Indexes and the like, as statements that follow. */
  readonly after: readonly Sql[];
  /** Those that come before: drops of indexes. */
  readonly before: readonly Sql[];
}

const ACTIONS = /^(?:cascade|restrict|set null|set default|no action)$/i;

/** What a function of the project says of a table. */
export function changeOf(
  { words }: MigrationSession,
  guard: Guard,
  table: string,
  describe: (this: object, table: object) => unknown,
): TableChange {
  const columns: Column[] = [];
  const change = { columns, dropped: [] as string[], renamed: [] as [string, string][], primary: [] as string[] };
  const [before, after]: [Sql[], Sql[]] = [[], []];
  const drop = (...names: unknown[]): void => void change.dropped.push(...(names.flat() as string[]));
  const keyed = (kind: 'index' | 'unique') => (names: string | string[], given?: string | KeyOptions) => {
    after.push(madeKey(words, table, kind, [names].flat(), nameIn(given)));
  };
  const dropKey = (kind: 'index' | 'unique') => (names: string | string[], given?: string) => {
    before.push(droppedKey(words, table, kind, nameIn(given) ?? keyName(table, [names].flat(), kind)));
  };
  const typed = Object.fromEntries(
    TYPES.map((type) => [
      type,
      (given?: unknown, ...args: unknown[]) => {
        const name = typeof given === 'string' ? given : 'id';
        const column: Column = { name, type, args, ...NOTHING_ELSE, isPrimary: false };
        columns.push(column);
        return columnMethods(column, guard, keyed);
      },
    ]),
  );
  const builder = guard('knex table', {
    ...typed,
    timestamps: (_useTimestamps?: unknown, now?: boolean) => {
      for (const name of ['created_at', 'updated_at']) {
        const value = { [PIECE]: () => raw('CURRENT_TIMESTAMP') };
        const given = now ? { isRequired: true, default: { value } } : {};
        columns.push({ name, type: 'datetime', args: [], ...NOTHING_ELSE, isPrimary: false, ...given });
      }
    },
    ...{ dropColumn: drop, dropColumns: drop, dropTimestamps: () => drop('created_at', 'updated_at') },
    renameColumn: (from: string, to: string) => void change.renamed.push([from, to]),
    ...{ index: keyed('index'), unique: keyed('unique'), dropIndex: dropKey('index'), dropUnique: dropKey('unique') },
    primary: (names: string | string[]) => void change.primary.push(...[names].flat()),
  });
  describe.call(builder, builder);
  return { ...change, before, after };
}

const NOTHING_ELSE = { isRequired: false, default: undefined, target: undefined };

const nameIn = (given: string | KeyOptions | undefined): string | undefined =>
  typeof given === 'object' ? given.indexName : given;

function columnMethods(
  column: Column,
  guard: Guard,
  keyed: (kind: 'index' | 'unique') => (names: string, given?: string | KeyOptions) => void,
): object {
  const step =
    <A extends unknown[]>(work: (...args: A) => void) =>
    (...args: A): object => {
      work(...args);
      return methods;
    };
  const required = (is: boolean) =>
    step((given?: boolean) => {
      column.isRequired = given === false ? !is : is;
    });
  const target = (part: object) => void Object.assign(column.target ?? {}, part);
  const methods: object = guard(`knex column ${column.name}`, {
    ...{ notNullable: required(true), notNull: required(true), nullable: required(false), unsigned: step(() => {}) },
    defaultTo: step((value: unknown) => {
      column.default = { value };
    }),
    primary: step(() => {
      column.isPrimary = true;
    }),
    unique: step((given?: KeyOptions) => keyed('unique')(column.name, given)),
    index: step((name?: string) => keyed('index')(column.name, name)),
    references: step((place: string) => {
      const [table, name] = place.includes('.') ? place.split('.') : [undefined, place];
      column.target = { column: name!, ...(table === undefined ? {} : { table }) };
    }),
    inTable: step((table: string) => target({ table })),
    onDelete: step((action: string) => target({ onDelete: action })),
    onUpdate: step((action: string) => target({ onUpdate: action })),
  });
  return methods;
}

/** The statements that make a table. */
export function creating({ words }: MigrationSession, table: string, change: TableChange): readonly Sql[] {
  const parts = change.columns.map((column) => columnSql(words, column));
  if (change.primary.length > 0) parts.push(sql`primary key (${join(change.primary.map(id), ', ')})`);
  return [sql`create table ${id(table)} (${join(parts, ', ')})`, ...change.after];
}

/** The statements that change one, in an order in which each finds what it needs. */
export function altering({ words }: MigrationSession, table: string, change: TableChange): readonly Sql[] {
  const alter = sql`alter table ${id(table)}`;
  return [
    ...change.before,
    ...change.columns.map((column) => sql`${alter} add column ${columnSql(words, column)}`),
    ...change.renamed.map(([from, to]) => sql`${alter} rename column ${id(from)} to ${id(to)}`),
    ...change.dropped.map((name) => sql`${alter} drop column ${id(name)}`),
    ...change.after,
  ];
}

function columnSql(words: SessionWords, column: Column): Sql {
  const { name, type, args, isRequired, isPrimary, target } = column;
  const word = type === 'specificType' ? String(args[0]) : words.columnType(type, args);
  const parts = [id(name), raw(word)];
  if (isRequired) parts.push(raw('not null'));
  if (isPrimary) parts.push(raw('primary key'));
  if (column.default) parts.push(sql`default ${defaultSql(column.default.value)}`);
  if (target?.table !== undefined) {
    parts.push(sql`references ${id(target.table)} (${id(target.column)})`);
    for (const [when, action] of [
      ['delete', target.onDelete],
      ['update', target.onUpdate],
    ] as const) {
      if (action === undefined) continue;
      if (!ACTIONS.test(action)) throw new Error(`there is no action ${action}`);
      parts.push(raw(`on ${when} ${action}`));
    }
  }
  return join(parts, ' ');
}

function defaultSql(value: unknown): Sql {
  if (isPiece(value)) {
    return value[PIECE](() => {
      throw new Error('a default has no parameters');
    });
  }
  if (value === null || value === undefined) return raw('null');
  if (typeof value === 'boolean') return literal(value ? '1' : '0');
  return literal(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** As Knex calls what has no name of its own. */
const keyName = (table: string, columns: readonly string[], kind: string): string =>
  `${table.replaceAll(/[.-]/g, '_')}_${columns.join('_')}_${kind}`.toLowerCase();

function madeKey(
  words: SessionWords,
  table: string,
  kind: 'index' | 'unique',
  columns: readonly string[],
  given: string | undefined,
): Sql {
  const name = id(given ?? keyName(table, columns, kind));
  const keys = sql`(${join(columns.map(id), ', ')})`;
  if (kind === 'index') return sql`create index ${name} on ${id(table)} ${keys}`;
  if (words.uniqueIsConstraint) return sql`alter table ${id(table)} add constraint ${name} unique ${keys}`;
  return sql`create unique index ${name} on ${id(table)} ${keys}`;
}

function droppedKey(words: SessionWords, table: string, kind: 'index' | 'unique', name: string): Sql {
  if (kind === 'unique' && words.uniqueIsConstraint) return sql`alter table ${id(table)} drop constraint ${id(name)}`;
  return sql`drop index ${id(name)}`;
}
