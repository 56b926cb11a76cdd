/** Backups in the form rows refuse what they cannot contain: a restore deletes the original. */
import { rejects } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { databaseAt } from '../../../src/config/database-config.ts';
import { databaseCopies } from '../../../src/open-database.ts';
import { engines } from '../../support/databases/databases.ts';
import { openPlain } from '../../support/databases/plain-database.ts';

const postgres = engines.find(({ name }) => name === 'postgres')!;

describe('a backup in the form rows', () => {
  it('names tables, columns and keys that it cannot contain', async () => {
    const target = await postgres.emptyDatabase();
    const folder = await mkdtemp(path.join(tmpdir(), 'galley-rows-'));
    const { database } = await openPlain(target);
    try {
      const run = (text: string) => database.transaction(async (tx) => tx.rows(text, []));
      const copies = await databaseCopies(databaseAt(folder, target.env['DATABASE_URL']!));
      const rows = copies.find(({ form }) => form === 'rows')!;
      const create = (name: string) => rows.create(path.join(folder, name), async () => {});
      await run('create table things (id integer primary key, name text)');
      await create('whole');
      for (const [definition, reason] of [
        ['create table bad (name text)', /bad has no column id/],
        ['create table bad (id integer primary key, data bytea)', /bad\.data is bytea/],
        [
          'create table bad (id integer primary key, thing integer references things (id))',
          /key of bad\.thing neither/,
        ],
      ] as const) {
        await run(definition);
        await rejects(create('refused'), reason);
        await run('drop table bad');
        await rm(path.join(folder, 'refused'), { force: true });
      }
    } finally {
      await database.close();
      await target.drop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
