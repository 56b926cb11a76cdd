/**
 * Attacks on a server, each a program of its own, with a line of figures each. By hand:
 *
 *     npm run test:attack [-- --only NAME] [--engine sqlite|postgres]
 *
 * `--only` takes the beginning of a name, or several separated by commas. The exit code is 1 when a figure is not as it
 * should be.
 */
import { readdirSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type EngineName, type Experiment, MOST_TIME } from './experiment.ts';
import { Lab } from './lab.ts';
import { Trial } from './trial.ts';

const FOLDER = path.join(import.meta.dirname, 'experiments');
const ENGINES: readonly EngineName[] = ['sqlite', 'postgres'];
/** Milliseconds that all experiments may take together. */
const MOST = 30 * 60_000;

async function experimentsOf(only: string | undefined): Promise<Experiment[]> {
  const files = readdirSync(FOLDER).sort();
  const modules = await Promise.all(files.map((file) => import(path.join(FOLDER, file)) as Promise<Module>));
  const wanted = only?.split(',');
  return modules
    .map(({ experiment }) => experiment)
    .filter(({ name }) => !wanted || wanted.some((beginning) => name.startsWith(beginning)));
}

interface Module {
  readonly experiment: Experiment;
}

/** Rejects when the time is over; the servers that are ended then end what is still under way. */
async function inTime(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${milliseconds / 1000} s`)), milliseconds);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs an experiment, prints its line, and tells whether everything is as it should be. */
async function conduct(lab: Lab, engine: EngineName, experiment: Experiment, left: number): Promise<boolean> {
  const trial = new Trial(lab, engine, experiment);
  const started = performance.now();
  try {
    const work = experiment.run(trial);
    // what still fails after the time is over has been told already
    work.catch(() => {});
    await inTime(Math.min(experiment.mostTime ?? MOST_TIME, left), work);
  } catch (error) {
    trial.figure(false, (error as Error).message);
  }
  try {
    await trial.close();
  } catch (error) {
    trial.figure(false, (error as Error).message);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const isFine = trial.figures.every((figure) => figure.isFine);
  const figures = trial.figures.map((figure) => (figure.isFine ? figure.text : `NOT FINE: ${figure.text}`));
  const load = loadavg()[0]!.toFixed(0);
  console.log(
    `${isFine ? 'ok  ' : 'FAIL'} ${experiment.name} (${engine}, ${seconds} s, load ${load}): ${figures.join('; ')}`,
  );
  return isFine;
}

const { values: options } = parseArgs({ options: { only: { type: 'string' }, engine: { type: 'string' } } });
const chosen = ENGINES.filter((engine) => options.engine === undefined || engine === options.engine);
const experiments = await experimentsOf(options.only);
if (experiments.length === 0 || chosen.length === 0) {
  const names = (await experimentsOf(undefined)).map(({ name }) => name);
  console.error(`there are the engines ${ENGINES.join(', ')} and the experiments ${names.join(', ')}`);
  process.exit(2);
}
console.log(`${availableParallelism()} processors; a load above that is of other programs too`);
const lab = new Lab();
process.on('exit', () => lab.close());
const started = performance.now();
const failed: string[] = [];
for (const experiment of experiments) {
  for (const engine of chosen) {
    if (experiment.engines && !experiment.engines.includes(engine)) continue;
    const left = MOST - (performance.now() - started);
    if (left < 1000 || !(await conduct(lab, engine, experiment, left))) failed.push(`${experiment.name} (${engine})`);
  }
}
console.log(failed.length === 0 ? 'all as it should be' : `not as it should be: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
