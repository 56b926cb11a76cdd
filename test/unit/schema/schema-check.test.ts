/** Every mistake in schema files is reported at once, with its file, its place and the nearest valid word. */
import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { UsageError } from '../../../src/errors.ts';
import type { ContentType, ScalarAttribute } from '../../../src/schema/catalog.ts';
import { checkSchemas, type SchemaCheck, type SchemaOptions } from '../../../src/schema/check/check.ts';
import { formatProblem } from '../../../src/schema/check/problem.ts';
import { loadCatalog } from '../../../src/schema/load.ts';

type Json = Readonly<Record<string, unknown>>;

/** Files by path; a value that is not text is written as JSON. */
function inProject<T>(files: Json, use: (dir: string) => T): T {
  const dir = mkdtempSync(path.join(tmpdir(), 'galley-check-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(dir, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    }
    return use(dir);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const fileOf = (name: string): string => `src/api/${name}/content-types/${name}/schema.json`;
const schemaOf = (name: string, attributes: Json, rest: Json = {}): Json => ({
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: {},
  attributes,
  ...rest,
});
const type = (name: string, attributes: Json, rest: Json = {}): Json => ({
  [fileOf(name)]: schemaOf(name, attributes, rest),
});
const component = (uid: string, attributes: Json, rest: Json = {}): Json => ({
  [`src/components/${uid.replace('.', '/')}.json`]: {
    collectionName: `components_${uid.replace('.', '_')}s`,
    attributes,
    ...rest,
  },
});

const check = (...files: Json[]): SchemaCheck => inProject(Object.assign({}, ...files), checkSchemas);
const lines = (result: SchemaCheck): string[] => result.problems.map(formatProblem);
/** `path: message` of the problems of one type `a` with these attributes. */
function problemsOf(attributes: Json, rest: Json = {}, ...others: Json[]): string[] {
  return lines(check(type('a', attributes, rest), ...others)).map((line) => line.replace(`${fileOf('a')}: `, ''));
}
/** The same of the warnings, where there are no problems. */
function warningsOf(attributes: Json, rest: Json = {}, ...others: Json[]): string[] {
  const result = check(type('a', attributes, rest), ...others);
  deepStrictEqual(lines(result), []);
  return result.warnings.map(formatProblem).map((line) => line.replace(`${fileOf('a')}: `, ''));
}
const attributeOf = (attribute: Json, rest: Json = {}): ScalarAttribute => {
  const { catalog, problems } = check(type('a', { x: attribute }, rest));
  deepStrictEqual(problems, []);
  return catalog!.contentTypes.get('api::a.a')!.attributes.get('x') as ScalarAttribute;
};

const relation = (kind: string, target: string, rest: Json = {}): Json => ({
  type: 'relation',
  relation: kind,
  target,
  ...rest,
});

describe('a project folder', () => {
  it('that is not there is a usage error', () => {
    throws(() => checkSchemas('/nowhere/at/all'), new UsageError('there is no folder /nowhere/at/all'));
  });

  it('that is no project is a usage error, and one without content types has the built-in ones', () => {
    for (const others of [
      { 'package.json': '{}' },
      { 'package.json': '[' },
      { 'config/other.js': '' },
      { 'src/index.js': '' },
    ]) {
      throws(
        () => inProject(others, checkSchemas),
        (error: Error) => error instanceof UsageError && error.message.includes('is not the folder of a project'),
      );
    }
    for (const part of [
      { 'package.json': '{"devDependencies":{"galley":"1"}}' },
      { 'package.json': '{"scripts":{"start":"strapi start"}}' },
      { 'config/server.ts': '' },
      { 'src/galley.mts': '' },
      { 'src/galley/index.js': '' },
      { 'src/api/ping/routes/ping.js': '' },
      { 'src/plugins/shop/package.json': '{}' },
    ]) {
      const { catalog } = inProject(part, checkSchemas);
      deepStrictEqual(catalog?.contentTypes.has('plugin::users-permissions.user'), true, JSON.stringify(part));
    }
  });

  it('with mistakes cannot be loaded, and the error lists all', () => {
    const files = type('a', { x: { type: 'strin' }, y: { type: 'relation', relation: 'oneToOne' } });
    throws(
      () => inProject(files, loadCatalog),
      (error: Error) => {
        ok(error instanceof UsageError);
        match(error.message, /^2 mistakes in the schema files of /);
        match(error.message, /attributes\.x\.type: unknown attribute type "strin" \(did you mean string\?\)/);
        match(error.message, /attributes\.y\.target: is missing/);
        return true;
      },
    );
  });

  it('with a file that is no JSON still has its other files checked', () => {
    const result = check({ [fileOf('b')]: '{"kind":' }, type('a', { x: { type: 'strin' } }));
    deepStrictEqual(result.problems.map(({ file }) => file).sort(), [fileOf('a'), fileOf('b')]);
    match(lines(result).join('\n'), /not valid JSON/);
    deepStrictEqual(lines(check({ [fileOf('b')]: '[]' }, type('a', {}))), [
      `${fileOf('b')}: a schema file contains one JSON object`,
    ]);
  });

  it('with a file that is not JSON reports no mistakes in references to that file', () => {
    const relation = (kind: string, target: string, rest: Json = {}): Json => ({
      type: 'relation',
      relation: kind,
      target,
      ...rest,
    });
    const extension = 'src/extensions/users-permissions/content-types/user/schema.json';
    const broken = { [fileOf('b')]: '{', 'src/components/shared/seo.json': '{', [extension]: '{' };
    const result = check(
      broken,
      type('a', {
        one: relation('oneToOne', 'api::b.b'),
        many: relation('oneToMany', 'api::b.b', { mappedBy: 'a' }),
        named: relation('manyToMany', 'api::b.other', { inversedBy: 'as' }),
        morph: relation('morphOne', 'api::b.b', { morphBy: 'a' }),
        owner: relation('manyToOne', 'plugin::users-permissions.user', { inversedBy: 'articles' }),
        seo: { type: 'component', component: 'shared.seo' },
        zone: { type: 'dynamiczone', components: ['shared.seo'] },
      }),
    );
    deepStrictEqual(result.problems.map(({ file }) => file).sort(), Object.keys(broken).sort());
    deepStrictEqual(result.warnings, []);
  });

  it('with a file that is no JSON still has its references to other files checked', () => {
    const other = { 'src/api/b/content-types/c/schema.json': schemaOf('c', {}) };
    const target = (uid: string, rest: Json = {}): Json => ({
      type: 'relation',
      relation: 'oneToOne',
      target: uid,
      ...rest,
    });
    const result = check(
      { [fileOf('b')]: '{' },
      other,
      type('a', { x: target('api::d.b'), y: target('api::b.c', { inversedBy: 'z' }), z: target('api::b.c') }),
    );
    deepStrictEqual(
      result.problems.filter(({ file }) => file === fileOf('a')).map((problem) => problem.path),
      ['attributes.x.target', 'attributes.y.inversedBy'],
    );
  });
});

describe('schemas that are code', () => {
  const told = (file: string): string =>
    `${file}: schemas are read from JSON, and no code is run: move its export into ${file.replace(/\.\w+$/, '.json')}, and remove this file`;

  it('are mistakes, as the types would be missing', () => {
    const files = [
      'src/api/b/content-types/b/schema.js',
      'src/api/c/content-types/c/schema.ts',
      'src/components/shared/seo.js',
    ];
    const code = Object.fromEntries(files.map((file) => [file, 'module.exports = {};']));
    deepStrictEqual(lines(check(type('a', {}), code)), files.map(told));
  });

  it('are mistakes where there is nothing else', () => {
    const file = 'src/api/b/content-types/b/schema.js';
    deepStrictEqual(lines(check({ [file]: 'module.exports = {};' })), [told(file)]);
  });

  it('are not other files beside schemas', () => {
    const files = ['src/api/a/content-types/a/lifecycles.js', 'src/components/shared/seo.d.ts'];
    deepStrictEqual(lines(check(type('a', {}), Object.fromEntries(files.map((file) => [file, ''])))), []);
  });
});

describe('names', () => {
  it('have defaults', () => {
    const { catalog } = check({ 'src/api/shop/content-types/note/schema.json': { attributes: {} } });
    const note = catalog!.contentTypes.get('api::shop.note') as ContentType;
    const { singularName, pluralName, collectionName, draftAndPublish, kind, routed } = note;
    deepStrictEqual(
      { singularName, pluralName, collectionName, draftAndPublish, kind, routed },
      {
        singularName: 'note',
        pluralName: 'notes',
        collectionName: 'note',
        draftAndPublish: false,
        kind: 'collectionType',
        routed: true,
      },
    );
  });

  it('of components are in lower case', () => {
    const { catalog } = check(type('a', {}), component('Deep.Outer-Level', {}));
    deepStrictEqual([...catalog!.components.keys()], ['deep.outer-level']);
  });

  it('of types must be valid in paths, different and unique', () => {
    deepStrictEqual(problemsOf({}, { info: { singularName: 'A b', pluralName: 'a-bs' } }), [
      'info.singularName: A b must consist of lower-case letters and digits, joined by dashes',
    ]);
    deepStrictEqual(problemsOf({}, { info: { singularName: 'a', pluralName: 'a' } }), [
      'info.pluralName: must differ from singularName (a)',
    ]);
    const twice = check(type('a', {}), type('b', {}, { info: { singularName: 'as', pluralName: 'bs' } }));
    deepStrictEqual(lines(twice), [`${fileOf('b')}: info.singularName: as is also an API id of ${fileOf('a')}`]);
  });

  it('of tables must be unique, in any letter case', () => {
    const same = check(type('a', {}), type('b', {}, { collectionName: 'As' }));
    deepStrictEqual(lines(same), [`${fileOf('b')}: collectionName: its table As is also that of api::a.a`]);
    deepStrictEqual(problemsOf({}, { collectionName: 'up_users' }), [
      'collectionName: its table up_users is also that of plugin::users-permissions.user',
    ]);
    deepStrictEqual(problemsOf({}, { collectionName: 'galley_notes' }), [
      "collectionName: galley_notes is reserved for the server's own tables",
    ]);
  });

  it('of link tables must be unique', () => {
    deepStrictEqual(
      problemsOf({ fooBar: relation('oneToOne', 'api::a.a'), foo_bar: relation('oneToOne', 'api::a.a') }),
      ['attributes.foo_bar: its table as_foo_bar_lnk is also that of api::a.a, attribute fooBar'],
    );
  });

  it('of columns must differ within a table', () => {
    deepStrictEqual(problemsOf({ fooBar: { type: 'string' }, foo_bar: { type: 'text' } }), [
      'attributes.foo_bar: its column foo_bar is also that of fooBar',
    ]);
    deepStrictEqual(
      problemsOf({ a: relation('morphToOne', 'x'), b: relation('morphToOne', 'x') }).map((line) => line.split(':')[0]),
      ['attributes.b', 'attributes.b'],
    );
    deepStrictEqual(problemsOf({ xmin: { type: 'string' } }), ['attributes.xmin: its column xmin is there already']);
    deepStrictEqual(problemsOf({ x: { type: 'string', columnName: 'created_at' } }), [
      'attributes.x: its column created_at is there already',
    ]);
  });

  it('of a component’s table have no default', () => {
    const result = check(type('a', { c: { type: 'component', component: 'x.y' } }), {
      'src/components/x/y.json': { attributes: {} },
    });
    deepStrictEqual(lines(result), ['src/components/x/y.json: collectionName: is missing: a component has no default']);
  });

  it('of system fields are reserved, in any spelling', () => {
    for (const name of ['id', 'documentId', 'document_id', 'created_at', 'Locale', 'created_by_id']) {
      deepStrictEqual(problemsOf({ [name]: { type: 'string' } }), [
        `attributes.${name}: the name ${name} is reserved for a system field`,
      ]);
    }
    for (const name of ['createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy', 'locale', 'localizations']) {
      deepStrictEqual(warningsOf({ [name]: { type: 'string' } }), [
        `attributes.${name}: is left out: every content type has a system field of that name`,
      ]);
    }
    deepStrictEqual(check(type('a', { status: { type: 'string' } })).warnings, []);
    deepStrictEqual(check(type('a', { meta: { type: 'json' } })).warnings, []);
    deepStrictEqual(problemsOf({ 'x.y': { type: 'string' } }), [
      'attributes.x.y: an attribute name consists of letters, digits, _ and -, and is not a reserved word',
    ]);
  });

  it('of polymorphic relations that break the reference’s start are warned of', () => {
    const name = 'a'.repeat(51);
    const { problems, warnings } = check(type('a', { [name]: { type: 'relation', relation: 'morphToMany' } }));
    deepStrictEqual(problems, []);
    match(warnings.map(formatProblem).join(), /longer than 50 letters/);
  });
});

describe('attributes', () => {
  it('that are all right give no findings', () => {
    const { problems, warnings } = check(
      type('a', {
        title: { type: 'string', required: true, minLength: 1, maxLength: 5, regex: '^a+$', default: 'aa' },
        slug: { type: 'uid', targetField: 'title' },
        kind: { type: 'enumeration', enum: ['x', 'y'], default: 'x' },
        big: { type: 'biginteger', min: '1', max: '9007199254740993', default: '12' },
        day: { type: 'date', default: '2024-02-29' },
        hour: { type: 'time', default: '10:00:00.000' },
        at: { type: 'datetime', default: '2024-05-06T07:08:09.000Z' },
        cover: { type: 'media', multiple: false, allowedTypes: ['images'] },
        parts: { type: 'component', component: 'x.y', repeatable: true, min: 0, max: 3 },
        zone: { type: 'dynamiczone', components: ['x.y'] },
        owner: relation('manyToOne', 'plugin::users-permissions.user'),
        subject: { type: 'relation', relation: 'morphToOne' },
      }),
      component('x.y', { a: { type: 'boolean', default: true } }),
    );
    deepStrictEqual([problems, warnings], [[], []]);
  });

  it('of unknown types and without a type are reported', () => {
    deepStrictEqual(problemsOf({ x: { type: 'boolan' }, y: {}, z: 'string' }), [
      'attributes.x.type: unknown attribute type "boolan" (did you mean boolean?)',
      'attributes.y.type: is missing',
      'attributes.z: must be an object with a type',
    ]);
  });

  it('with unknown options are warned of', () => {
    const { problems, warnings } = check(type('a', { x: { type: 'string', requird: true } }, { optons: {} }));
    deepStrictEqual(problems, []);
    deepStrictEqual(warnings.map(formatProblem), [
      `${fileOf('a')}: optons: unknown option optons (did you mean options?)`,
      `${fileOf('a')}: attributes.x.requird: unknown option requird (did you mean required?)`,
    ]);
  });

  it('with flags that are no flags are warned of, and taken as the reference does', () => {
    deepStrictEqual(warningsOf({ x: { type: 'string', required: 'yes', private: 1 } }), [
      'attributes.x.required: should be true or false; it counts as true',
      'attributes.x.private: should be true or false; it counts as true',
    ]);
    deepStrictEqual(
      warningsOf({ x: { type: 'component', component: 'x.y', repeatable: 'yes' } }, {}, component('x.y', {})),
      ['attributes.x.repeatable: should be true or false; it counts as false'],
    );
  });

  it('with options that mean nothing to an API are not spoken of', () => {
    const options = {
      displayName: 'X',
      description: 'x',
      configurable: false,
      visible: false,
      writable: false,
      searchable: false,
      sortable: false,
      editable: false,
      conditions: { visible: {} },
      pluginOptions: { 'content-type-builder': { visible: false } },
      customField: 'plugin::x.y',
      placeholder: 'x',
      'x-anything': true,
    };
    const rest = { options: { draftAndPublish: false, reviewWorkflows: false }, 'x-anything': {} };
    deepStrictEqual(warningsOf({ x: { type: 'string', ...options } }, rest), []);
  });

  it('with impossible limits are reported', () => {
    deepStrictEqual(problemsOf({ b: { type: 'string', minLength: 3, maxLength: 2 } }), [
      'attributes.b.minLength: minLength 3 is greater than maxLength 2',
    ]);
    deepStrictEqual(
      warningsOf({
        a: { type: 'integer', min: 3, max: 2 },
        b: { type: 'decimal', min: '3' },
        c: { type: 'biginteger', min: '9007199254740993', max: '9007199254740992' },
        d: { type: 'string', maxLength: -1 },
        e: { type: 'float', min: 'low' },
        f: { type: 'dynamiczone', components: [], min: 2, max: 1 },
      }),
      [
        'attributes.a.min: min 3 is greater than max 2: no value fits',
        'attributes.b.min: should be a number, not a string',
        'attributes.c.min: min 9007199254740993 is greater than max 9007199254740992: no value fits',
        'attributes.d.maxLength: should be a whole number, 0 or more',
        'attributes.e.min: should be a number: it is ignored',
        'attributes.f.min: min 2 is greater than max 1: nothing fits',
      ],
    );
  });

  it('with an invalid pattern are reported', () => {
    const [problem] = problemsOf({ x: { type: 'string', regex: '[a-' } });
    match(problem!, /^attributes\.x\.regex: Invalid regular expression/);
  });

  it('warns of a pattern that some texts make explode', () => {
    const warned = (regex: string) =>
      check(type('a', { x: { type: 'string', regex } })).warnings.some(({ path }) => path === 'attributes.x.regex');
    for (const regex of ['^(?=(a+)+$)', '^(a+)\\1+$', '(?<!(a|a)*)b']) ok(warned(regex), regex);
    for (const regex of ['^(a+)+$', '^[a-z]+$', '^(?=.*\\d)(?=.*[a-z]).{8,}$', '.*x.*y']) ok(!warned(regex), regex);
  });

  it('with an enumeration without values, or with duplicates, are reported', () => {
    deepStrictEqual(problemsOf({ x: { type: 'enumeration' }, y: { type: 'enumeration', enum: ['a', 'a'] } }), [
      'attributes.x.enum: an enumeration needs a list of values',
      'attributes.y.enum.1: the value a appears twice',
    ]);
  });

  it('with a default of another type are warned of', () => {
    deepStrictEqual(
      warningsOf({
        a: { type: 'integer', default: '1' },
        b: { type: 'boolean', default: 'true' },
        c: { type: 'string', default: 1 },
        d: { type: 'date', default: 'tomorrow' },
        e: { type: 'enumeration', enum: ['small', 'large'], default: 'smal' },
        f: { type: 'blocks', default: 'text' },
        g: { type: 'decimal', default: '1.5' },
      }),
      [
        'attributes.a.default: should be a whole number',
        'attributes.b.default: should be true or false',
        'attributes.c.default: should be text',
        'attributes.d.default: should be a date such as 2024-05-06',
        'attributes.e.default: "smal" is not one of the values (did you mean small?)',
        'attributes.f.default: should be a list of blocks',
        'attributes.g.default: should be a number',
      ],
    );
  });

  it('of custom fields are stored as their underlying type', () => {
    deepStrictEqual(attributeOf({ type: 'customField', customField: 'plugin::color-picker.color' }).type, 'string');
    deepStrictEqual(
      attributeOf({ type: 'customField', customField: 'plugin::my.own', underlyingType: 'json' }).type,
      'json',
    );
    const [problem] = problemsOf({ x: { type: 'customField', customField: 'plugin::my.own' } });
    match(problem!, /^attributes\.x\.customField: unknown custom field plugin::my\.own: add "underlyingType"/);
    deepStrictEqual(problemsOf({ x: { type: 'customField', customField: 'plugin::my.own', underlyingType: 'jso' } }), [
      'attributes.x.underlyingType: unknown type "jso" (did you mean json?)',
    ]);
  });

  it('with unknown components or kinds of files are reported', () => {
    deepStrictEqual(
      problemsOf(
        { a: { type: 'component', component: 'shared.sea' }, d: { type: 'component' } },
        {},
        component('shared.seo', {}),
      ),
      [
        'attributes.a.component: unknown component "shared.sea" (did you mean shared.seo?)',
        'attributes.d.component: is missing',
      ],
    );
    deepStrictEqual(
      warningsOf(
        {
          b: { type: 'dynamiczone', components: ['shared.seo', 'shared.so'] },
          c: { type: 'media', allowedTypes: ['image'] },
          d: { type: 'dynamiczone' },
        },
        {},
        component('shared.seo', {}),
      ),
      [
        'attributes.b.components.1: unknown component "shared.so" is ignored (did you mean shared.seo?)',
        'attributes.c.allowedTypes.0: unknown kind of files "image" is ignored (did you mean images?)',
        'attributes.d.components: is missing: the zone stays empty',
      ],
    );
  });

  it('are localized by their option, relations and uids always', () => {
    const on = { pluginOptions: { i18n: { localized: true } } };
    const { catalog } = check(
      type(
        'a',
        {
          own: { type: 'string', ...on },
          shared: { type: 'string' },
          slug: { type: 'uid' },
          other: relation('oneToOne', 'api::a.a'),
        },
        on,
      ),
      type('b', { own: { type: 'string', ...on }, other: relation('oneToOne', 'api::a.a') }),
    );
    const localized = (uid: string) =>
      [...catalog!.contentTypes.get(uid)!.attributes.values()].filter((attribute) => attribute.localized);
    deepStrictEqual(
      localized('api::a.a').map(({ name }) => name),
      ['own', 'slug', 'other'],
    );
    deepStrictEqual(localized('api::b.b'), []);
  });

  it('are private when the type’s options say so', () => {
    deepStrictEqual(attributeOf({ type: 'string' }, { options: { privateAttributes: ['x'] } }).private, true);
  });

  it('to others are required only by the configuration', () => {
    const required = (options: SchemaOptions): string[] => {
      const attributes = {
        text: { type: 'string', required: true },
        link: relation('oneToOne', 'api::a.a', { required: true }),
        file: { type: 'media', required: true },
        free: relation('oneToOne', 'api::a.a'),
      };
      const { catalog } = inProject(type('a', attributes), (dir) => checkSchemas(dir, options));
      const all = [...catalog!.contentTypes.get('api::a.a')!.attributes.values()];
      return all.filter((attribute) => attribute.required).map(({ name }) => name);
    };
    deepStrictEqual(required({}), ['text']);
    deepStrictEqual(required({ strictRelations: true }), ['text', 'link', 'file']);
  });
});

describe('relations', () => {
  it('of unknown kinds or to unknown types are reported', () => {
    deepStrictEqual(
      problemsOf({
        x: relation('oneToMny', 'api::a.a'),
        y: relation('oneToOne', 'api::b.a'),
        z: { type: 'relation', relation: 'oneToOne' },
      }),
      [
        'attributes.x.relation: unknown relation "oneToMny" (did you mean oneToMany?)',
        'attributes.y.target: unknown content type "api::b.a" (did you mean api::a.a?)',
        'attributes.z.target: is missing',
      ],
    );
  });

  it('without an other side are reported', () => {
    const others = type('b', { owner: relation('oneToOne', 'api::a.a', { mappedBy: 'b' }) });
    deepStrictEqual(problemsOf({ b: relation('oneToOne', 'api::b.b', { inversedBy: 'ownr' }) }, {}, others), [
      'attributes.b.inversedBy: api::b.b has no relation "ownr" (did you mean owner?)',
    ]);
    deepStrictEqual(warningsOf({ bs: relation('oneToMany', 'api::b.b', { mappedBy: 'ownr' }) }, {}, type('b', {})), [
      'attributes.bs.mappedBy: api::b.b has no relation "ownr": the attribute is left out; add to its attributes ' +
        '"ownr": {"type":"relation","relation":"manyToOne","target":"api::a.a","inversedBy":"bs"}',
    ]);
    deepStrictEqual(problemsOf({ b: relation('manyToOne', 'api::b.b', { inversedBy: 'posts' }) }, {}, type('b', {})), [
      'attributes.b.inversedBy: api::b.b has no relation "posts"; add to its attributes ' +
        '"posts": {"type":"relation","relation":"oneToMany","target":"api::a.a","mappedBy":"b"}',
    ]);
    // one that leads elsewhere is not meant, and a name that is taken cannot be added
    const elsewhere = type('b', { post: relation('oneToOne', 'api::b.b'), posts: { type: 'string' } });
    deepStrictEqual(problemsOf({ b: relation('manyToOne', 'api::b.b', { inversedBy: 'posts' }) }, {}, elsewhere), [
      'attributes.b.inversedBy: api::b.b has no relation "posts"',
    ]);
  });

  it('whose other side does not point back are reported with the missing option', () => {
    const others = type('b', { posts: relation('oneToMany', 'api::a.a') });
    deepStrictEqual(warningsOf({ b: relation('manyToOne', 'api::b.b', { inversedBy: 'posts' }) }, {}, others), [
      'attributes.b.inversedBy: api::b.b.posts has no mappedBy, not back to b: this is a one-sided relation; ' +
        'add "mappedBy": "b" to it',
    ]);
  });

  it('whose other side leads elsewhere or is of another kind are warned of', () => {
    const others = type('b', {
      elsewhere: relation('manyToMany', 'api::b.b', { mappedBy: 'self' }),
      self: relation('manyToMany', 'api::b.b', { inversedBy: 'elsewhere' }),
      one: relation('oneToOne', 'api::a.a', { mappedBy: 'y' }),
    });
    deepStrictEqual(
      warningsOf(
        {
          x: relation('manyToMany', 'api::b.b', { inversedBy: 'elsewhere' }),
          y: relation('manyToOne', 'api::b.b', { inversedBy: 'one' }),
        },
        {},
        others,
      ),
      [
        'attributes.x.inversedBy: api::b.b.elsewhere leads to api::b.b, not back to x: this is a one-sided relation',
        'attributes.y.inversedBy: api::b.b.one is oneToOne, and should be oneToMany: each side is taken as declared',
        `${fileOf('b')}: attributes.one.mappedBy: api::a.a.y is manyToOne, and should be oneToOne: each side is taken as declared`,
      ],
    );
  });

  it('stored on the wrong side are reported', () => {
    const others = type('b', { as: relation('manyToOne', 'api::a.a', { mappedBy: 'bs' }) });
    deepStrictEqual(problemsOf({ bs: relation('oneToMany', 'api::b.b', { inversedBy: 'as' }) }, {}, others), [
      'attributes.bs.inversedBy: oneToMany takes mappedBy: the links are stored on the many side',
      `${fileOf('b')}: attributes.as.mappedBy: manyToOne takes inversedBy: the links are stored on the many side`,
    ]);
  });

  it('with an inverse that their owner does not name are taken with a warning', () => {
    const { problems, warnings } = check(
      type('a', { b: relation('manyToOne', 'api::b.b') }),
      type('b', { as: relation('oneToMany', 'api::a.a', { mappedBy: 'b' }) }),
    );
    deepStrictEqual(problems, []);
    deepStrictEqual(warnings.map(formatProblem), [
      `${fileOf('b')}: attributes.as.mappedBy: api::a.a.b should say inversedBy as`,
    ]);
  });

  it('of components have one side', () => {
    const files = component('x.y', { a: relation('manyToOne', 'api::a.a', { inversedBy: 'ys' }) });
    const others = relation('manyToMany', 'api::a.a');
    deepStrictEqual(warningsOf({ ys: others }, {}, files), [
      'src/components/x/y.json: attributes.a.inversedBy: a relation of a component has one side only: it is a one-sided relation',
    ]);
  });

  it('from any type are ignored without the attribute that refers to them', () => {
    const others = type('b', { subject: { type: 'relation', relation: 'morphToOne' } });
    deepStrictEqual(
      warningsOf(
        { x: relation('morphOne', 'api::b.b', { morphBy: 'subjet' }), y: relation('morphMany', 'api::b.b') },
        {},
        others,
      ),
      [
        'attributes.x.morphBy: api::b.b has no morphToOne or morphToMany attribute "subjet": the attribute is left out (did you mean subject?)',
        'attributes.y.morphBy: is missing: the attribute is left out',
      ],
    );
  });

  it('with table names of their own are reported', () => {
    deepStrictEqual(problemsOf({ x: relation('manyToMany', 'api::a.a', { joinTable: { name: 'mine' } }) }), [
      'attributes.x.joinTable: joinTable is not supported: the naming rules decide the table of the links',
    ]);
    deepStrictEqual(problemsOf({ x: relation('oneToMany', 'api::a.a', { useJoinTable: false }) }), [
      'attributes.x.useJoinTable: only oneToOne and manyToOne can do without a link table',
    ]);
    deepStrictEqual(warningsOf({ x: relation('manyToMany', 'api::a.a', { useJoinTable: false }) }), [
      'attributes.x.useJoinTable: only oneToOne and manyToOne can do without a link table: the attribute is left out',
    ]);
  });
});

describe('components', () => {
  const required = (uid: string): Json => ({ type: 'component', component: uid, required: true });

  it('that require themselves are warned of', () => {
    const result = check(
      type('a', {}),
      component('x.a', { b: required('x.b') }),
      component('x.b', { a: required('x.a'), t: { type: 'string' } }),
      component('x.c', { a: required('x.a') }),
    );
    deepStrictEqual(
      [...result.problems, ...result.warnings].map(({ file, path: at }) => `${file} ${at}`),
      [
        'src/components/x/a.json attributes.b',
        'src/components/x/b.json attributes.a',
        'src/components/x/c.json attributes.a',
      ],
    );
  });

  it('that may hold themselves are fine', () => {
    const { problems } = check(
      type('a', {}),
      component('x.a', { again: { type: 'component', component: 'x.a' } }),
      component('x.b', { list: { type: 'component', component: 'x.b', repeatable: true, required: true } }),
    );
    deepStrictEqual(problems, []);
  });
});

describe('indexes', () => {
  it('name columns of the table', () => {
    deepStrictEqual(
      problemsOf({ fooBar: { type: 'string' } }, { indexes: [{ name: 'i', columns: ['fooBar'], type: 'uniqe' }, {}] }),
      [
        'indexes.1.name: is missing',
        'indexes.1.columns: must be a list of column names',
        'indexes.0.columns.0: table as has no column fooBar (did you mean foo_bar?)',
      ],
    );
  });
});

describe('extensions of built-in types', () => {
  const file = 'src/extensions/users-permissions/content-types/user/schema.json';

  it('add attributes to accounts', () => {
    const { catalog, problems, warnings } = check(
      type('a', { owner: relation('manyToOne', 'plugin::users-permissions.user', { inversedBy: 'notes' }) }),
      {
        [file]: schemaOf(
          'user',
          {
            nickname: { type: 'string' },
            notes: relation('oneToMany', 'api::a.a', { mappedBy: 'owner' }),
          },
          { collectionName: 'up_users' },
        ),
      },
    );
    deepStrictEqual([problems, warnings], [[], []]);
    const user = catalog!.contentTypes.get('plugin::users-permissions.user')!;
    deepStrictEqual([...user.attributes.keys()].slice(0, 3), ['nickname', 'notes', 'username']);
    deepStrictEqual([user.routed, user.collectionName], [false, 'up_users']);
  });

  it('may not change attributes that accounts depend on', () => {
    const result = check(type('a', {}), {
      [file]: schemaOf('user', { email: { type: 'json' } }, { collectionName: 'people' }),
    });
    deepStrictEqual(lines(result), [
      `${file}: collectionName: must stay up_users`,
      `${file}: attributes.email.type: must stay email: plugin::users-permissions.user depends on it`,
    ]);
  });
});

describe('conditions', () => {
  const visible = (condition: unknown): Json => ({ conditions: { visible: condition } });
  const beside: Json = {
    kind: { type: 'enumeration', enum: ['a', 'b'] },
    meta: { type: 'json' },
    code: { type: 'password' },
    tag: relation('oneToOne', 'api::a.a'),
    list: { type: 'component', component: 'parts.part', repeatable: true },
  };
  const part = component('parts.part', { label: { type: 'string' } });
  const told = (conditions: Json): string[] =>
    problemsOf({ ...beside, x: { type: 'string', ...conditions } }, {}, part).map((line) =>
      line.replace('attributes.x.conditions', ''),
    );

  it('are read with every operator but two', () => {
    for (const condition of [
      { '==': [{ var: 'kind' }, 'a'] },
      { and: [{ '!': { var: 'meta.flag' } }, { in: [{ var: ['kind', 'a'] }, ['a', 'b']] }] },
      { some: [{ var: 'list' }, { '>': [{ var: 'label.length' }, 3] }] },
      { '!': [{ missing: ['kind', 'tag'] }] },
      { '!': [{ missing_some: [1, ['kind', 'tag']] }] },
      { if: [{ var: 'tag' }, true, false] },
    ]) {
      deepStrictEqual(told(visible(condition)), [], JSON.stringify(condition));
    }
    for (const none of [{}, { conditions: null }, { conditions: {} }, visible(null), visible({})])
      deepStrictEqual(told(none), []);
  });

  it('that cannot be evaluated are mistakes, with their place and a correct form', () => {
    for (const [conditions, expected] of [
      [{ conditions: 'kind' }, /^: must be an object such as \{ "visible": /],
      [visible(true), /^\.visible: must be a condition in JSON Logic, such as in /],
      [visible({ kind: 'a', open: true }), /^\.visible: must be a condition in JSON Logic/],
      [visible({ '=': [{ var: 'kind' }, 'a'] }), /^\.visible\.=: unknown operator =: the operators are var, ==, /],
      [visible({ and: [{ eqls: [1, 2] }] }), /^\.visible\.and\.0\.eqls: unknown operator eqls/],
      [visible({ log: 'x' }), /unknown operator log/],
      [visible({ reduce: [{ var: 'list' }, 1, 2] }), /unknown operator reduce/],
      [visible({ '!': { a: 1, b: 2 } }), /^\.visible\.!\.0: must have one key, the operator, instead of a, b$/],
      [visible({ '==': [{}, 1] }), /^\.visible\.==\.0: must have one key, the operator, instead of none$/],
      [
        visible({ '==': [{ var: 'kidn' }, 'a'] }),
        /^\.visible\.==\.0\.var: there is no attribute "kidn" beside this one \(did you mean kind\?\)$/,
      ],
      [visible({ '!': [{ missing: ['gone'] }] }), /missing: there is no attribute "gone"/],
      [visible({ '!!': { var: 'createdAt' } }), /there is no attribute "createdAt"/],
      [
        visible({ '!!': { var: { cat: ['ki', 'nd'] } } }),
        /var: must name an attribute, such as "kind", instead of \{"cat"/,
      ],
      [visible({ '!!': { var: 'code' } }), /var: code is a password, which no condition can read/],
      [visible({ '!!': { var: 'tag.name' } }), /tag is a relation: a condition can ask whether it is set/],
    ] as const) {
      const lines = told(conditions);
      strictEqual(lines.length, 1, JSON.stringify(conditions));
      match(lines[0]!, expected);
    }
    let deep: unknown = { var: 'kind' };
    for (let level = 0; level < 25; level++) deep = { '!': [deep] };
    match(told(visible(deep)).join(), /is too deep: operators may be nested in 20 levels/);
  });

  it('other than visible have no effect', () => {
    const conditions = {
      ...(visible({ '!!': { var: 'kind' } })['conditions'] as Json),
      required: { '!!': { var: 'kind' } },
    };
    deepStrictEqual(warningsOf({ ...beside, x: { type: 'string', conditions } }, {}, part), [
      'attributes.x.conditions.required: has no effect: the only condition is visible',
    ]);
  });
});
