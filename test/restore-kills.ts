/**
 * A server that is killed again and again while it restores versions and deleted documents with hundreds of links, for
 * longer than `npm test`. By hand:
 *
 *     node test/restore-kills.ts
 *
 * A failure names its seed. Each number can be set in the environment, as `RESTORE_KILLS=20 node test/restore-kills.ts`.
 */
const numbers = { RESTORE_KILLS: '100', RESTORE_SEED: String(Date.now() % 1_000_000) };
for (const [name, value] of Object.entries(numbers)) process.env[name] ??= value;
process.argv.splice(2, Infinity, 'test/feature/writing/killed-restores.test.ts');
await import('./run.ts');
