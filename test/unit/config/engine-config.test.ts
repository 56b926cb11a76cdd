/** What of a configuration stays with the engine when the project is read again. */
import { deepStrictEqual, notDeepStrictEqual, strictEqual } from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Config } from '../../../src/config/config.ts';
import { engineChanges, withEngineOf } from '../../../src/config/engine-config.ts';
import { loadConfig } from '../../../src/config/load.ts';

/** A value with every text, number and truth in it changed, and something where there was nothing. */
function changed(value: unknown): unknown {
  if (typeof value === 'string') return `${value}x`;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (value === undefined) return 'x';
  if (Array.isArray(value)) return [...value.map(changed), 'x'];
  if (typeof value !== 'object' || value === null || value instanceof Map || value instanceof Set) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, changed(part)]));
}

describe('the configuration of an engine', () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'galley-config-'));
    await mkdir(path.join(dir, 'config'));
  });
  after(() => rm(dir, { recursive: true, force: true }));

  const load = (env = {}) => loadConfig(dir, { env, again: true });
  const SECRETS = { API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' };

  it('does not report a change when files with functions are evaluated again', async () => {
    await writeFile(
      path.join(dir, 'config/database.js'),
      'module.exports = { connection: { client: "postgres", connection: { host: "db", ssl: { checkServerIdentity: () => undefined } } } };',
    );
    deepStrictEqual(engineChanges(await load(SECRETS), await load(SECRETS)), []);
  });

  it('lists its changed parts by name', async () => {
    const own = await load(SECRETS);
    const names = async (env: object) => engineChanges(own, await load({ ...SECRETS, ...env }));
    deepStrictEqual(await names({ PORT: '4000', HOST: '::1' }), ['the host', 'the port']);
    deepStrictEqual(await names({ JWT_SECRET: 'other' }), ['the secrets']);
    deepStrictEqual(await names({ DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: 'other.db' }), ['the database']);
    deepStrictEqual(await names({ METRICS_PORT: '9000' }), ['the metrics']);
  });

  it('keeps all settings that are reported as changed', async () => {
    const own = await load(SECRETS);
    const wanted = changed(own) as Config;
    strictEqual(engineChanges(own, wanted).length > 10, true);
    deepStrictEqual(engineChanges(own, withEngineOf(own, wanted)), []);
    deepStrictEqual(withEngineOf(own, wanted).rest, wanted.rest);
    notDeepStrictEqual(withEngineOf(own, wanted).rest, own.rest);
  });
});

describe('a configuration that is read again', () => {
  const KINDS = {
    js: [`const { name } = require('./names.js'); module.exports = `, `exports.name = `],
    cjs: [`const { name } = require('./names.cjs'); module.exports = `, `exports.name = `],
    mjs: [`import { name } from './names.mjs'; export default `, `export const name = `],
    ts: [`import { name } from './names.ts'; export default `, `export const name: string = `],
  };
  for (const [ending, [api, names]] of Object.entries(KINDS)) {
    it(`reads imports of a .${ending} file again`, async () => {
      const dir = await mkdtemp(path.join(tmpdir(), 'galley-config-'));
      try {
        await mkdir(path.join(dir, 'config'));
        await writeFile(path.join(dir, `config/api.${ending}`), `${api}{ responses: { privateAttributes: [name] } };`);
        for (const name of ['one', 'two', 'three']) {
          await writeFile(path.join(dir, `config/names.${ending}`), `${names}'${name}';`);
          const { rest } = await loadConfig(dir, { env: {}, again: name !== 'one' });
          deepStrictEqual(rest.privateAttributes, [name]);
        }
      } finally {
        await rm(dir, { recursive: true, force: true });
      }
    });
  }
});
