/**
 * Imports of an archive that are killed again and again, for longer than `npm test`. By hand:
 *
 *     node test/import-kills.ts
 *
 * A failure names its seed. Each number can be set in the environment, as `IMPORT_KILLS=50 node test/import-kills.ts`.
 */
const numbers = { IMPORT_KILLS: '20', IMPORT_SEED: String(Date.now() % 1_000_000) };
for (const [name, value] of Object.entries(numbers)) process.env[name] ??= value;
process.argv.splice(2, Infinity, 'test/feature/transfer/killed-imports.test.ts');
await import('./run.ts');
