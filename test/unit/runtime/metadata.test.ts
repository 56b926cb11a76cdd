/** `strapi.db.metadata`, held against what Strapi 5.54 has for the same schemas: docs/reference/project-code.md. */
import { deepStrictEqual, strictEqual, throws } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { metadataOf } from '../../../src/runtime/schemas/metadata.ts';
import { Schemas } from '../../../src/runtime/schemas/schemas.ts';
import { layOut } from '../../../src/schema/layout/layout.ts';
import { loadCatalog } from '../../../src/schema/load.ts';

type Described = Readonly<Record<string, unknown>>;
interface Metadata {
  readonly tableName: string;
  readonly attributes: Readonly<Record<string, Described>>;
  readonly columnToAttribute: Readonly<Record<string, string>>;
}

const RECORDED = JSON.parse(readFileSync(path.join(import.meta.dirname, 'metadata.json'), 'utf8')) as Readonly<
  Record<string, Metadata>
>;
const NAMES = new Set(
  Object.values(RECORDED).flatMap(({ attributes }) => Object.values(attributes).flatMap(Object.keys)),
);

describe('strapi.db.metadata', () => {
  const catalog = loadCatalog(path.join(import.meta.dirname, '../../conformance/project'));
  const layout = layOut(catalog);
  const schemas = new Schemas();
  schemas.fill(catalog, layout);
  schemas.close();
  const metadata = metadataOf(catalog, layout, schemas) as ReadonlyMap<string, Metadata>;

  for (const [uid, { tableName, attributes }] of Object.entries(RECORDED)) {
    it(`returns the place of ${uid}, as in Strapi`, () => {
      const found = metadata.get(uid)!;
      strictEqual(found.tableName, tableName);
      const shown = Object.entries(found.attributes).map(([name, one]) => [
        name,
        Object.fromEntries(Object.entries(one).filter(([key]) => NAMES.has(key))),
      ]);
      deepStrictEqual(JSON.parse(JSON.stringify(Object.fromEntries(shown))), attributes);
    });
  }

  it('has all types and components and the models of Strapi without a table, and columns by their names', () => {
    deepStrictEqual(
      [...metadata.keys()],
      [
        ...[...catalog.contentTypes.keys(), ...catalog.components.keys()],
        ...['plugin::content-releases.release', 'plugin::content-releases.release-action'],
        ...['plugin::review-workflows.workflow', 'plugin::review-workflows.workflow-stage'],
        ...['admin::transfer-token', 'admin::transfer-token-permission', 'admin::session'],
        ...['strapi::core-store', 'strapi::webhook', 'plugin::content-manager.history-version'],
        ...['plugin::upload.ai-metadata-job', 'plugin::i18n.ai-localization-job'],
      ],
    );
    strictEqual(metadata.get('api::article.article')!.columnToAttribute['published_at'], 'publishedAt');
    strictEqual(metadata.has('api::none.none'), false);
    throws(() => metadata.get('api::none.none'), /Metadata for "api::none.none" not found/);
  });

  it('is read-only, and refuses missing members', () => {
    const article = metadata.get('api::article.article') as unknown as Record<string, never>;
    throws(
      () => Object.assign(article, { tableName: 'other' }),
      /a change of strapi\.db\.metadata\.get\('api::article/,
    );
    throws(() => Object.assign(article['attributes']!['title']!, { columnName: 'other' }), /a change of/);
    throws(() => article['lifecycles'], /lifecycles is not supported/);
    throws(() => (metadata as unknown as Record<string, never>)['loadModels'], /loadModels is not supported/);
  });
});
