/** Which indexes of ours the tables of a schema get. */
import { deepStrictEqual } from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { checkSchemas } from '../../../src/schema/check/check.ts';
import { layOut } from '../../../src/schema/layout/layout.ts';
import type { IndexDefinition } from '../../../src/schema/layout/table.ts';
import { loadCatalog } from '../../../src/schema/load.ts';

type Json = Readonly<Record<string, unknown>>;

/** The project of one type `note`, read by `use`. */
function inProject<T>(attributes: Json, rest: Json, use: (dir: string) => T): T {
  const dir = mkdtempSync(path.join(tmpdir(), 'galley-indexes-'));
  const folder = path.join(dir, 'src/api/note/content-types/note');
  const info = { singularName: 'note', pluralName: 'notes', displayName: 'Note' };
  try {
    mkdirSync(folder, { recursive: true });
    const schema = { kind: 'collectionType', collectionName: 'notes', info, options: {}, attributes, ...rest };
    writeFileSync(path.join(folder, 'schema.json'), JSON.stringify(schema));
    return use(dir);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** `name: columns, where`; `-` is a descending column, `~` one in the order of texts. */
function print({ name, columns, descending = [], ordered = [], whereNull, whereNotNull }: IndexDefinition): string {
  const keys = columns.map((c) => `${descending.includes(c) ? '-' : ''}${ordered.includes(c) ? '~' : ''}${c}`);
  const where = whereNull ? `, ${whereNull} is null` : whereNotNull ? `, ${whereNotNull} is not null` : '';
  return `${name}: ${keys.join(' ')}${where}`;
}

const indexesOf = (attributes: Json, rest: Json = {}): string[] =>
  inProject(attributes, rest, (dir) =>
    layOut(loadCatalog(dir))
      .tables.find(({ name }) => name === 'notes')!
      .ownIndexes!.map(print),
  );
const DRAFTS = { options: { draftAndPublish: true } };
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } };

describe('the indexes of ours on a collection type', () => {
  it('serve lists by the times of documents', () => {
    deepStrictEqual(indexesOf({ title: { type: 'string' } }), [
      'galley_notes_all_created_at: -created_at id',
      'galley_notes_all_updated_at: -updated_at id',
      'galley_notes_all_published_at: -published_at id',
    ]);
  });

  it('are apart for drafts and published documents', () => {
    deepStrictEqual(indexesOf({ title: { type: 'string' } }, DRAFTS), [
      'galley_notes_published_id: id, published_at is not null',
      'galley_notes_published_created_at: -created_at id, published_at is not null',
      'galley_notes_published_updated_at: -updated_at id, published_at is not null',
      'galley_notes_published_published_at: -published_at id, published_at is not null',
      'galley_notes_drafts_id: id, published_at is null',
      'galley_notes_drafts_created_at: -created_at id, published_at is null',
      'galley_notes_drafts_updated_at: -updated_at id, published_at is null',
    ]);
  });

  it('begin with the locale', () => {
    deepStrictEqual(indexesOf({ title: { type: 'string' } }, LOCALIZED), [
      'galley_notes_all_id: locale id',
      'galley_notes_all_created_at: locale -created_at id',
      'galley_notes_all_updated_at: locale -updated_at id',
      'galley_notes_all_published_at: locale -published_at id',
    ]);
  });

  it('serve the filters and orders of the schema', () => {
    const own = (attributes: Json, rest?: Json) =>
      indexesOf(attributes, rest).filter((line) => !/_at:|_id:/.test(line));
    deepStrictEqual(own({ views: { type: 'integer', index: true }, size: { type: 'integer' } }), [
      'galley_notes_views_all: views id',
    ]);
    deepStrictEqual(own({ kind: { type: 'string', index: true } }, { ...DRAFTS, ...LOCALIZED }), [
      'galley_notes_kind_published: locale kind id, published_at is not null',
      'galley_notes_kind_published_sorted: locale ~kind id, published_at is not null',
      'galley_notes_kind_drafts: locale kind id, published_at is null',
      'galley_notes_kind_drafts_sorted: locale ~kind id, published_at is null',
    ]);
    deepStrictEqual(own({ body: { type: 'text', index: true } }), []);
  });

  it('do not exist on single types', () => {
    deepStrictEqual(indexesOf({ title: { type: 'string' } }, { kind: 'singleType' }), []);
  });

  it('are warned of where they have no effect', () => {
    const warningsOf = (attributes: Json) =>
      inProject(attributes, {}, (dir) => checkSchemas(dir).warnings.map(({ path, message }) => `${path}: ${message}`));
    deepStrictEqual(warningsOf({ body: { type: 'richtext', index: true } }), [
      'attributes.body.index: has no effect: values of the type richtext are too long for an index',
    ]);
    deepStrictEqual(warningsOf({ size: { type: 'integer', index: 'yes' } }), [
      'attributes.size.index: should be true or false: it is ignored',
    ]);
    deepStrictEqual(warningsOf({ size: { type: 'integer', index: false } }), []);
  });
});
