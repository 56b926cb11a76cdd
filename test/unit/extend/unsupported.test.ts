/** What code is told that asks for what is not there. */
import { strictEqual, throws } from 'node:assert/strict';
import { it } from 'node:test';
import { guarded, Unsupported } from '../../../src/extend/running/guarded.ts';

const LISTED = 'docs/reference/project-code.md lists what is';

it('what is not there is named with what does what it does, where there is something', () => {
  const content = 'strapi.documents(uid) and strapi.db.query(uid) read and write content';
  const migrations = 'migrations of database/migrations get knex';
  for (const what of ['strapi.db.connection', 'strapi.db.connection (src/index.js:3)', 'strapi.db.queryBuilder']) {
    strictEqual(
      new Unsupported(what).message,
      `${what} is not supported by Galley: ${content}, and ${migrations}; ${LISTED}`,
    );
  }
  for (const what of ["strapi.plugin('upload').provider", "strapi.plugin('upload').service('provider')"]) {
    strictEqual(
      new Unsupported(what).message,
      `${what} is not supported by Galley: strapi.plugin('upload').service('upload') stores and removes files; ${LISTED}`,
    );
  }
  strictEqual(new Unsupported('strapi.hook').message, `strapi.hook is not supported by Galley: ${LISTED}`);
});

it('what is not there is named by its member, and where that is asked for', () => {
  const asked = (name: string) => () => (guarded(name, {}) as { readonly entityService: unknown }).entityService;
  throws(asked('strapi'), { what: 'strapi.entityService' });
  throws(asked('strapi, in a migration,'), { what: 'strapi.entityService, in a migration,' });
});
