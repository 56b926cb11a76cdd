/** Drops content that no attribute uses, which nothing but a decision of the operator does. */
import type { Place, SchemaVersion } from '../../schema/editing/places.ts';
import { FILES_RELATED_TABLE } from '../../schema/layout/layout.ts';
import { short, snake } from '../../schema/layout/naming.ts';
import {
  compileDropColumn,
  compileDropConstraint,
  compileDropEntries,
  compileDropFiles,
  compileDropIndex,
  compileDropTable,
} from '../../sql/schema-changes.ts';
import { execute } from '../interface/statements.ts';
import type { Transaction } from '../interface/transaction.ts';
import type { SchemaEngine } from './schema-engine.ts';
import type { Undoable } from './schema-moves.ts';

/**
 * Drops the content at a place. The caller holds the lock of the schema.
 *
 * @param version the schemas in which components are found.
 * @param undo the opposites of the moves that have been made: content may have got another name.
 */
export async function dropPlace(
  tx: Transaction,
  engine: SchemaEngine,
  place: Place,
  version: SchemaVersion,
  undo: readonly Undoable[],
): Promise<void> {
  switch (place.kind) {
    case 'column':
      return dropColumn(tx, engine, place.table, asideOf(undo, place.table, place.column));
    case 'link column':
      for (const column of place.columns) await dropColumn(tx, engine, place.table, column);
      return;
    case 'links': {
      const moved = undo.find((move) => move.kind === 'table' && move.to === place.table);
      await execute(tx, compileDropTable(moved?.kind === 'table' ? moved.from : place.table));
      return;
    }
    case 'components':
      for (const statement of compileDropEntries(version, place.table, place.field)) await execute(tx, statement);
      return;
    case 'files':
      await execute(tx, compileDropFiles(place.uid, place.field));
  }
}

/** The name of a column that may have made room for another one. */
function asideOf(undo: readonly Undoable[], table: string, column: string): string {
  const moved = undo.find((move) => move.kind === 'column' && move.table === table && move.to === column);
  return moved?.kind === 'column' ? moved.from : column;
}

/** Drops a column with its indexes. */
async function dropColumn(tx: Transaction, engine: SchemaEngine, table: string, column: string): Promise<void> {
  const found = (await engine.introspect(tx, [table])).get(table);
  if (!found?.columns.some(({ name }) => name === column)) return;
  for (const { name, columns, unique } of found.indexes) {
    if (!columns.includes(column)) continue;
    const isConstraint = unique && engine.ddl.uniqueIsConstraint;
    await execute(tx, isConstraint ? compileDropConstraint(table, name) : compileDropIndex(name));
  }
  await execute(tx, compileDropColumn(table, column));
}

/** The places that content of an attribute may have in a table, with the names of leftovers there. */
export function leftoverPlaces(table: string, uid: string, attribute: string): (readonly [name: string, Place])[] {
  const column = short(snake(attribute));
  const ties = `${table}_cmps`;
  const joining = (['lnk', 'mph'] as const).map((kind) => short(snake(table), snake(attribute), [kind]));
  return [
    [`${table}.${column}`, { kind: 'column', table, column, type: 'text' }],
    ...joining.map((links) => {
      const place: Place = { kind: 'links', table: links, source: '', columns: [], target: undefined };
      return [links, place] as const;
    }),
    [`${ties}:${attribute}`, { kind: 'components', table: ties, field: attribute }],
    [
      `${FILES_RELATED_TABLE}:${uid}.${attribute}`,
      { kind: 'files', table: FILES_RELATED_TABLE, uid, field: attribute },
    ],
  ];
}
