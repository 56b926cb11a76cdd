/**
 * Loaded into a server's process (`--import`): at SIGUSR2 it collects garbage, the first time and every other time all of
 * it, in between only what is young, and writes to standard output how many bytes are left in the old generation.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { readonly type: 'major' | 'minor' }) => void;
let times = 0;

process.on('SIGUSR2', () => {
  collect({ type: times++ % 2 === 0 ? 'major' : 'minor' });
  const old = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')!;
  process.stdout.write(`old memory: ${old.space_used_size}\n`);
});
