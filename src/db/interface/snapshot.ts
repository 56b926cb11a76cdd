/** One state of a database, as it was when the snapshot was opened. It is only read. */
import type { ColumnType } from '../../schema/layout/table.ts';
import type { ExistingForeignKey, ExistingTable } from '../migration/schema-engine.ts';
import type { CanonicalRows } from './canonical-rows.ts';
import type { Executor } from './queryable.ts';

export interface Snapshot extends Executor {
  readonly form: Pick<CanonicalRows, 'read' | 'canonical' | 'byCodePoint' | 'lastIds'>;
  /** A number's placeholder in a statement. */
  placeholder(n: number): string;
  /** The tables of the current schema by name. */
  tables(): Promise<ReadonlyMap<string, ExistingTable>>;
  foreignKeys(table: string): Promise<readonly ExistingForeignKey[]>;
  /** The type of a column with an existing type (`ExistingColumn.type`); undefined: none has its values. */
  typeOf(existing: string): ColumnType | undefined;
  /** Whether columns of an existing type have times without a zone: the wall clock of the process that wrote them. */
  isWallClock(existing: string): boolean;
  close(): Promise<void>;
}

/** Types in the order in which an existing type is looked up: those that keep more values come first. */
const TYPES: readonly ColumnType[] = [
  ...(['boolean', 'date', 'time', 'datetime', 'json', 'biginteger', 'integer'] as const),
  ...(['text', 'string', 'double', 'decimal'] as const),
];

/** The first type that an engine stores in an existing type. */
export const typeStoredIn = (
  existing: string,
  isStored: (type: ColumnType, existing: string) => boolean,
): ColumnType | undefined => TYPES.find((type) => isStored(type, existing));
