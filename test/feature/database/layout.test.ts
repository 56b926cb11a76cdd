/** The tables that Galley makes are those that Strapi 5 makes: golden data in test/fixtures/layout. */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createDocumentId } from '../../../src/content/rows/document-rows.ts';
import { migrate } from '../../../src/db/migration/migrate.ts';
import type { ExistingTable } from '../../../src/db/migration/schema-engine.ts';
import { FILES_RELATED_TABLE, layOut, layoutOf } from '../../../src/schema/layout/layout.ts';
import { loadCatalog } from '../../../src/schema/load.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { openPlain, type PlainDatabase } from '../../support/databases/plain-database.ts';

const FIXTURE = path.join(import.meta.dirname, '../../fixtures/layout');
const TABLES = 89;

interface GoldenTable {
  readonly columns: readonly { name: string; type: string; nullable: boolean; default: string | null }[];
  readonly indexes: readonly { name: string; columns: string[]; unique: boolean; primaryKey?: boolean }[];
  readonly foreignKeys: readonly {
    name: string;
    columns: string[];
    references: { table: string; columns: string[] };
    onDelete: string;
  }[];
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
const byColumn = (a: { column: string }, b: { column: string }): number => (a.column < b.column ? -1 : 1);

const layout = layOut(loadCatalog(FIXTURE));

for (const engine of engines) {
  describe(`tables on ${engine.name}`, () => {
    const file = path.join(FIXTURE, `layout-${engine.name}.json`);
    const golden = JSON.parse(readFileSync(file, 'utf8')) as Record<string, GoldenTable>;
    let test: TestDatabase;
    let plain: PlainDatabase;
    let made: ReadonlyMap<string, ExistingTable>;

    before(async () => {
      test = await engine.emptyDatabase();
      plain = await openPlain(test);
      await migrate(plain.database, layout, { engine: plain.engine, createId: createDocumentId });
      made = await plain.engine.introspect(plain.database);
    });
    after(async () => {
      await plain.database.close();
      await test.drop();
    });

    it('are all there', () => {
      deepStrictEqual(Object.keys(golden).length, TABLES);
      deepStrictEqual(
        Object.keys(golden).filter((name) => !made.has(name)),
        [],
      );
    });

    for (const [name, expected] of Object.entries(golden)) {
      it(`${name} has the columns, indexes and foreign keys of the reference`, async () => {
        const table = made.get(name);
        ok(table);
        deepStrictEqual(
          table.columns,
          expected.columns.map((column) => ({
            name: column.name,
            type: column.type.toLowerCase(),
            nullable: column.nullable,
            defaultTo: column.default,
          })),
        );
        deepStrictEqual(
          // ours are beside those of the reference, which leaves them alone
          table.indexes.filter((index) => !index.name.startsWith('galley_')).sort(byName),
          expected.indexes
            .filter((index) => !index.primaryKey)
            .map((index) => ({ name: index.name, columns: index.columns, unique: index.unique }))
            .sort(byName),
        );
        const foreignKeys = await plain.engine.foreignKeys(plain.database, name);
        deepStrictEqual(
          // One engine does not keep the names of foreign keys.
          [...foreignKeys].map((key) => ({ ...key, name: '' })).sort(byColumn),
          expected.foreignKeys
            .map((key) => ({
              name: '',
              column: key.columns[0]!,
              references: { table: key.references.table, column: key.references.columns[0]! },
              onDelete: key.onDelete,
            }))
            .sort(byColumn),
        );
      });
    }
  });
}

describe('a layout', () => {
  it('names foreign keys as the reference does', () => {
    const file = path.join(FIXTURE, 'layout-postgres.json');
    const golden = JSON.parse(readFileSync(file, 'utf8')) as Record<string, GoldenTable>;
    for (const table of layout.tables) {
      const expected = golden[table.name];
      if (expected)
        deepStrictEqual(
          table.foreignKeys.map((key) => key.name).sort(),
          expected.foreignKeys.map((key) => key.name).sort(),
        );
    }
  });

  it('shows a two-sided relation from both sides', () => {
    const paper = layoutOf(layout, 'api::paper.paper');
    const group = layoutOf(layout, 'api::group.group');
    const table = 'papers_groups_lnk';
    deepStrictEqual(paper.relations.get('groups'), {
      kind: 'link',
      table,
      source: 'paper_id',
      target: 'group_id',
      order: 'group_ord',
      inverseOrder: 'paper_ord',
    });
    deepStrictEqual(group.relations.get('papers'), {
      kind: 'link',
      table,
      source: 'group_id',
      target: 'paper_id',
      order: 'paper_ord',
      inverseOrder: 'group_ord',
    });
    const node = layoutOf(layout, 'api::node-4-all.node-4-all');
    deepStrictEqual(node.relations.get('children'), {
      kind: 'link',
      table: 'nodes_4_all_parent_lnk',
      source: 'inv_node_4_all_id',
      target: 'node_4_all_id',
      order: 'node_4_all_ord',
      inverseOrder: null,
    });
  });

  it('shows morph relations from both sides', () => {
    const paper = layoutOf(layout, 'api::paper.paper');
    deepStrictEqual(paper.relations.get('pinnedBy'), {
      kind: 'morphInverse',
      via: { kind: 'morphColumns', id: 'target_id', type: 'target_type' },
    });
    const notices = layoutOf(layout, 'api::notice.notice').relations.get('subjects');
    deepStrictEqual(paper.relations.get('noticesAbout'), { kind: 'morphInverse', via: notices });
  });

  it('keeps media in the table of files', () => {
    const related = layoutOf(layout, 'plugin::upload.file').relations.get('related');
    ok(related?.kind === 'morphTable');
    deepStrictEqual(related.table, FILES_RELATED_TABLE);
  });

  it('gives the columns of scalars and system fields by their API names', () => {
    const item = layoutOf(layout, 'api::item.item').columns;
    deepStrictEqual(item.get('renamed'), 'other_name');
    deepStrictEqual(item.get('documentId'), 'document_id');
    const component = layoutOf(layout, 'base.link-1').columns;
    deepStrictEqual([...component.keys()], ['id', 'url', 'newTab', 'label2', 'at']);
  });

  it('puts referenced tables before those that refer to them', () => {
    const names = layout.tables.map((table) => table.name);
    deepStrictEqual(names[0], 'admin_users');
    ok(names.indexOf('group') < names.indexOf('items'));
    ok(names.indexOf('papers') < names.indexOf('papers_groups_lnk'));
  });
});
