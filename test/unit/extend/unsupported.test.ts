/** Objects whose missing members throw, and what the error says. */
import { deepStrictEqual, strictEqual, throws } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { guarded, Unsupported } from '../../../src/extend/running/guarded.ts';
import { MISSING, missingMember } from '../../../src/extend/running/members/members.ts';
import { UnitOfWork } from '../../../src/extend/running/unit-of-work.ts';

const LISTED = 'docs/reference/project-code.md lists what is';

/** The member that condemns a unit of work; undefined where none does. */
function condemnedBy(work: () => unknown): string | undefined {
  const unit = new UnitOfWork(() => {});
  unit.run(() => {
    try {
      work();
    } catch {
      // as a guard does that lets the caller in
    }
  });
  unit.end();
  return (unit.error as Unsupported | undefined)?.what;
}

it('an error names what to use instead of a missing member', () => {
  for (const what of ['strapi.db.queryBuilder', 'strapi.db.queryBuilder (src/index.js:3)', 'strapi.db.schema']) {
    strictEqual(
      new Unsupported(what).message,
      `${what} is not supported by Galley: strapi.db.connection is Knex; ${LISTED}`,
    );
  }
  for (const what of ["strapi.plugin('upload').provider", "strapi.plugin('upload').service('provider')"]) {
    strictEqual(
      new Unsupported(what).message,
      `${what} is not supported by Galley: strapi.plugin('upload').service('upload') stores and removes files; ${LISTED}`,
    );
  }
  strictEqual(new Unsupported('strapi.ai').message, `strapi.ai is not supported by Galley: ${LISTED}`);
});

describe('a guarded object', () => {
  const db = () => guarded('strapi.db', { query: () => 1 }) as unknown as Record<string, () => unknown>;

  it('throws and condemns where a missing member is read', () => {
    throws(() => db()['queryBuilder'], { what: 'strapi.db.queryBuilder' });
    strictEqual(
      condemnedBy(() => db()['queryBuilder']),
      'strapi.db.queryBuilder',
    );
    throws(() => (guarded('strapi, in a migration,', {}) as Record<string, unknown>)['ai'], {
      what: 'strapi.ai, in a migration,',
    });
  });

  it('has no value for a member that Strapi lacks too, which code may add', () => {
    const own = db();
    strictEqual(own['nope'], undefined);
    strictEqual('nope' in own, false);
    own['nope'] = () => 2;
    strictEqual(own['nope'](), 2);
    delete own['nope'];
    strictEqual(own['nope'], undefined);
  });

  it('reports missing members as present', () => {
    strictEqual('queryBuilder' in db(), true);
    deepStrictEqual(Object.keys(db()).sort(), ['query', ...MISSING['strapi.db']!].sort());
    strictEqual(Object.hasOwn(db(), 'queryBuilder'), true);
  });

  it('condemns a copy that uses a missing member', () => {
    const copies = [
      () => ({ ...db() }),
      () => Object.assign({}, db()),
      () => Object.fromEntries(Object.entries(db())),
      () => Object.defineProperties({}, Object.getOwnPropertyDescriptors(db())) as ReturnType<typeof db>,
      () => {
        const { query: _query, ...rest } = db();
        return rest;
      },
    ];
    for (const copy of copies) {
      strictEqual(
        condemnedBy(() => copy()),
        undefined,
        String(copy),
      );
      for (const use of [
        () => copy()['queryBuilder']!(),
        () => (copy() as unknown as Record<string, { x: unknown }>)['queryBuilder']!.x,
      ])
        strictEqual(condemnedBy(use), 'strapi.db.queryBuilder', String(copy));
    }
  });

  it('refuses changes of present and missing members', () => {
    const changes = [
      () => Object.assign(db(), { query: null }),
      () => Object.assign(db(), { queryBuilder: null }),
      () => Object.defineProperty(db(), 'query', { value: null }),
      () => delete db()['query'],
      () => Object.setPrototypeOf(db(), { queryBuilder: null }) as unknown,
    ];
    for (const change of changes) strictEqual(condemnedBy(change)?.startsWith('a change of strapi.db'), true);
  });
});

it('a way from strapi is missing where one of its members is', () => {
  const found = [
    ['db', 'queryBuilder'],
    ['db', 'connection'],
    ['ai', 'admin'],
    ["plugin('upload')", "service('provider')", 'upload'],
    ["plugin('upload')", 'provider'],
    ["plugin('upload')", "service('upload')", 'upload'],
    ["service('admin::token')", 'createToken'],
    ["service('admin::user')", 'register'],
    ["get('auth')", 'register'],
    ["get('db')", 'schema'],
    ["get('services')", 'extend'],
    ["api('note')", 'routes'],
    ['entityService', 'updateMany'],
  ].map(missingMember);
  deepStrictEqual(found, [
    ...['strapi.db.queryBuilder', undefined, 'strapi.ai', "strapi.plugin('upload').service('provider')"],
    ...["strapi.plugin('upload').provider", undefined, "strapi.service('admin::token')"],
    ...["strapi.service('admin::user').register", "strapi.get('auth')", 'strapi.db.schema'],
    ...["strapi.get('services').extend", "strapi.api('note').routes", undefined],
  ]);
});
