/**
 * A server that is killed again and again while it runs releases of 500 documents, for longer than `npm test`. By hand:
 *
 *     node test/release-kills.ts
 *
 * A failure names its seed. Each number can be set in the environment, as `RELEASE_KILLS=20 node test/release-kills.ts`.
 */
const numbers = { RELEASE_KILLS: '100', RELEASE_SEED: String(Date.now() % 1_000_000) };
for (const [name, value] of Object.entries(numbers)) process.env[name] ??= value;
process.argv.splice(2, Infinity, 'test/feature/releases/killed-run.test.ts');
await import('./run.ts');
