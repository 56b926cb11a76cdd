/**
 * Replays the scenarios by hand, on a fresh database:
 *
 *   node test/conformance/run.ts [--engine sqlite|postgres] [--only TEXT] [--quiet] [FILE...]
 *
 * FILE is a name below `scenarios/`, such as `10-filters`; without one, all are replayed. Exits 1 when one fails.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { replay, serveConformance } from '../support/conformance/conformance.ts';
import { engines } from '../support/databases/databases.ts';

const { values, positionals } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    only: { type: 'string' },
    quiet: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const engine = engines.find(({ name }) => name === values.engine);
if (!engine) throw new Error(`--engine is ${engines.map(({ name }) => name).join(' or ')}`);

const conformance = await serveConformance(engine);
try {
  const outcomes = await replay(conformance, {
    engine: engine.name,
    only: values.only,
    files: positionals.length > 0 ? positionals.map((file) => path.basename(file, '.json')) : undefined,
    onLine: (line) => {
      if (!values.quiet || !line.startsWith('ok - ')) console.log(line);
    },
  });
  process.exitCode = outcomes.every(({ passed }) => passed) ? 0 : 1;
} finally {
  await conformance.server.stop();
}
// A PostgreSQL server of this process would keep it alive; it ends with it.
process.exit();
