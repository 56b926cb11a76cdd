/**
 * The tests that draw what they do at random, for longer than `npm test`, from a new seed each time: a server that is
 * killed while it writes, and random writes against the model of the rules. By hand:
 *
 *     npm run test:long
 *
 * A failure names its seed. Each number can be set in the environment, as `CRASH_KILLS=50 npm run test:long`.
 */
const seed = String(Date.now() % 1_000_000);
const numbers = { CRASH_KILLS: '20', CRASH_SEED: seed, MODEL_RUNS: '40', MODEL_SEED: seed };
for (const [name, value] of Object.entries(numbers)) process.env[name] ??= value;
process.argv.splice(2, Infinity, 'test/feature/database/crash.test.ts', 'test/feature/writing/model.test.ts');
await import('./run.ts');
