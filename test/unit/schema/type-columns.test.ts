/** Columns of Galley's own tables that contain uids of types follow a renamed type. */
import { deepStrictEqual } from 'node:assert/strict';
import { it } from 'node:test';
import { OPTIONAL_TABLES, OWN_TABLES, REFERENCE_TABLES } from '../../../src/db/migration/bookkeeping.ts';
import { TYPE_COLUMNS } from '../../../src/schema/editing/moves.ts';

/** The log of actions never changes: an entry names the type as it was called then. */
const UNCHANGED = 'galley_audit.subject_type';

it('every column with uids of types is renamed with them', () => {
  const optional = OPTIONAL_TABLES.map(({ name }) => `${name}.content_type`);
  const columns = [...OWN_TABLES, ...REFERENCE_TABLES].flatMap(({ name, columns }) =>
    columns.flatMap((column) => (column.name.endsWith('_type') ? [`${name}.${column.name}`] : [])),
  );
  const renamed = TYPE_COLUMNS.map(([table, column]) => `${table}.${column}`);
  deepStrictEqual([...renamed, UNCHANGED].sort(), [...columns, ...optional].sort());
});
