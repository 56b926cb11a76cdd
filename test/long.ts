/**
 * The tests that draw what they do at random, for longer than `npm test`, from a new seed each time: servers that are
 * killed while they write or publish, random writes against the model of the rules, and previews of releases against what
 * these do. By hand:
 *
 *     npm run test:long
 *
 * A failure names its seed. Each number can be set in the environment, as `CRASH_KILLS=50 npm run test:long`.
 */
const seed = String(Date.now() % 1_000_000);
const numbers = {
  ...{ CRASH_KILLS: '20', CRASH_SEED: seed },
  SCHEDULE_KILLS: '50',
  ...{ MODEL_RUNS: '40', MODEL_SEED: seed },
  ...{ PREVIEW_ROUNDS: '10', PREVIEW_SEED: seed },
};
for (const [name, value] of Object.entries(numbers)) process.env[name] ??= value;
const files = [
  ...['feature/database/crash', 'feature/writing/model', 'feature/schedule/killed-servers', 'feature/releases/preview'],
];
process.argv.splice(2, Infinity, ...files.map((file) => `test/${file}.test.ts`));
await import('./run.ts');
