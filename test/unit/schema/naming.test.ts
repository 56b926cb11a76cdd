/** Physical names, as Strapi 5 makes them. */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDocumentId } from '../../../src/content/rows/document-rows.ts';
import { nearest } from '../../../src/nearest.ts';
import { MAX_NAME_LENGTH, short, snake } from '../../../src/schema/layout/naming.ts';

describe('snake', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['title', 'title'],
    ['camelCaseName', 'camel_case_name'],
    ['HTMLBody', 'html_body'],
    ['ABTest', 'ab_test'],
    ['HTML5', 'html_5'],
    ['h1Title2', 'h_1_title_2'],
    ['iPhone4sModel', 'i_phone_4_s_model'],
    ['version2_0Beta', 'version_2_0_beta'],
    ['a_1', 'a_1'],
    ['trailing_', 'trailing'],
    ['_leading', 'leading'],
    ['a--b  c', 'a_b_c'],
    ['1st', '1st'],
    ['the1stPlace', 'the_1st_place'],
    ['the10thTime', 'the_10th_time'],
    ['the11thTime', 'the_11_th_time'],
    ['on13THDay', 'on_13_th_day'],
    ['x2y', 'x_2_y'],
    ['node-4-all', 'node_4_all'],
    ['Unit2Things', 'unit_2_things'],
    ['components_base_link_1s', 'components_base_link_1_s'],
    ['naïveCafé', 'naive_cafe'],
    ['straßeÆon', 'strasse_aeon'],
    ["l'été", 'lete'],
  ];
  for (const [name, expected] of cases) {
    it(`makes ${expected} of ${name}`, () => deepStrictEqual(snake(name), expected));
  }
});

describe('short', () => {
  const long = 'measurement_record_of_the_northern_field_station_archive_ones';
  const table = 'measurement_record_of_the_northern_field_station_ac6469';

  it('leaves names of up to 55 characters', () => {
    const name = 'x'.repeat(MAX_NAME_LENGTH);
    deepStrictEqual(short(name), name);
    deepStrictEqual(short('papers', 'groups', ['lnk']), 'papers_groups_lnk');
  });

  it('ends a longer part in a hash of the whole part', () => {
    deepStrictEqual(short(long), table);
    deepStrictEqual(short(long, ['cmps']), 'measurement_record_of_the_northern_field_statc6469_cmps');
  });

  it('shares the length between parts', () => {
    deepStrictEqual(
      short(snake(table), 'counterparts_in_the_other_archive_with_a_long_name', ['lnk']),
      'measurement_record_oa1d32_counterparts_in_the_8de84_lnk',
    );
  });

  it('assigns the rest of a short part to the others', () => {
    const link = short(snake(table), 'self', ['lnk']);
    deepStrictEqual(link, 'measurement_record_of_the_northern_field_a1d32_self_lnk');
    deepStrictEqual(short(link, ['oifk']), 'measurement_record_of_the_northern_field_a1d3dfa5f_oifk');
  });

  it('never gives more than 55 characters', () => {
    const parts = ['a'.repeat(80), 'b'.repeat(3), 'c'.repeat(41)];
    deepStrictEqual(short(...parts, ['lnk']).length, MAX_NAME_LENGTH);
    deepStrictEqual(short(['inv'], 'd'.repeat(90), ['id']).length, MAX_NAME_LENGTH);
  });
});

describe('nearest', () => {
  it('finds a word with letters swapped, missing, doubled or in another case', () => {
    const words = ['title', 'slug', 'body', 'publishedAt'];
    deepStrictEqual(nearest('titel', words), 'title');
    deepStrictEqual(nearest('slugg', words), 'slug');
    deepStrictEqual(nearest('bdy', words), 'body');
    deepStrictEqual(nearest('publishedat', words), 'publishedAt');
  });

  it('finds nothing for a word far from all', () => {
    deepStrictEqual(nearest('colour', ['title', 'slug']), undefined);
    deepStrictEqual(nearest('x', []), undefined);
  });

  it('does not take the namespace that two uids share for likeness', () => {
    deepStrictEqual(nearest('api::tag.tag', ['api::page.page', 'api::cat.cat']), undefined);
    deepStrictEqual(nearest('api::pge.page', ['api::page.page']), 'api::page.page');
    deepStrictEqual(nearest('ap::page.page', ['api::page.page']), 'api::page.page');
    deepStrictEqual(nearest('plugin::upload.fiel', ['plugin::upload.file']), 'plugin::upload.file');
  });
});

describe('a document id', () => {
  it('is a letter and 23 letters or digits, and never the same', () => {
    const ids = new Set(Array.from({ length: 1000 }, createDocumentId));
    deepStrictEqual(ids.size, 1000);
    for (const id of ids) ok(/^[a-z][a-z0-9]{23}$/.test(id), id);
  });
});
