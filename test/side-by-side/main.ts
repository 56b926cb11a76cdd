/**
 * Strapi and Galley as two servers of one database, both written to for a while: which writes fail, what one reads of
 * what the other has written, and whether both read the same at the end. The figures are those of
 * docs/strapi-side-by-side.md.
 *
 * Needs an installation of Strapi: BENCH_STRAPI_DIR names a folder with its node_modules; without it Strapi is installed
 * into a temporary folder, which takes minutes and 700 MB.
 */
import { parseArgs } from 'node:util';
import { openPostgres, openSqlite } from './pair.ts';
import { type Load, printed, runPhase } from './phases.ts';
import { differences } from './reading.ts';

const HELP = `npm run test:side-by-side -- [--engine sqlite|postgres] [--seconds N]

  --engine E   one of them; both when left out
  --seconds N  how long each phase lasts (default: 20)`;

/** Editors there and sites here, the same without sites, writers here, and writers on both sides, few and many. */
const LOADS: readonly Load[] = [
  { strapi: 2, galley: 0, readers: 4 },
  { strapi: 2, galley: 0, readers: 0 },
  { strapi: 0, galley: 2, readers: 0 },
  { strapi: 1, galley: 1, pause: 500, readers: 0 },
  { strapi: 1, galley: 1, readers: 0 },
  { strapi: 2, galley: 2, readers: 0 },
];

const { values } = parseArgs({
  options: { engine: { type: 'string' }, seconds: { type: 'string', default: '20' }, help: { type: 'boolean' } },
});
if (values.help) console.log(HELP);
else process.exitCode = await main();

/** Gives 0 where both read the same all the time and none of Galley's writes failed, else 1. */
async function main(): Promise<number> {
  let isFine = true;
  for (const [engine, open] of Object.entries({ sqlite: openSqlite, postgres: openPostgres })) {
    if (values.engine !== undefined && values.engine !== engine) continue;
    const pair = await open();
    try {
      console.log(`\n${engine}`);
      for (const load of LOADS) {
        const figures = await runPhase(pair, load, Number(values.seconds));
        for (const line of printed(load, figures)) console.log(`  ${line}`);
        const { compared, differing } = await differences(pair);
        console.log(`    read by both: ${compared} versions of documents, ${differing.length} of them differently`);
        for (const line of differing.slice(0, 5)) console.log(`      ${line}`);
        const { strapi, galley, reads } = figures;
        const lost = differing.length + galley.failed + galley.stale + strapi.stale + reads.failed;
        isFine &&= lost === 0;
      }
    } finally {
      await pair.stop();
    }
  }
  return isFine ? 0 : 1;
}
