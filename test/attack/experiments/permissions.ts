/** A caller with hundreds of permissions beside one with three. */
import { Agent } from 'node:http';
import { contentType } from '../../support/servers/project.ts';
import { ask } from '../client.ts';
import type { Experiment } from '../experiment.ts';

const TYPES = 50;
const ROUNDS = 1500;
/** How much more of the time of a request 250 permissions may take than three. */
const MOST = 1.5;

const nameOf = (n: number): string => `kind-${String.fromCharCode(97 + Math.floor(n / 26), 97 + (n % 26))}`;
const names = Array.from({ length: TYPES }, (_, n) => nameOf(n));
const actionsOf = (name: string): string[] =>
  ['find', 'findOne', 'create', 'update', 'delete'].map((action) => `api::${name}.${name}.${action}`);

const median = (times: number[]): number => times.sort((a, b) => a - b)[times.length >> 1]!;

export const experiment: Experiment = {
  name: 'permissions',
  async run(trial) {
    const contentTypes = Object.fromEntries(
      names.map((name) => [name, contentType(name, { title: { type: 'string' } })]),
    );
    const customTokens = { few: actionsOf(names[0]!).slice(0, 3), many: names.flatMap(actionsOf) };
    const { url, tokens } = await trial.serveMade({ contentTypes, customTokens });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const path = `/api/${names[0]}s?filters[title]=x&fields=title`;
    const times: Record<'few' | 'many', number[]> = { few: [], many: [] };
    let wrong = 0;
    for (let n = 0; n < ROUNDS; n++) {
      for (const name of ['few', 'many'] as const) {
        // a shape of its own now and then: what is kept is found by the rights as well
        const { status, ms } = await ask(url, { path: n % 3 ? path : `${path}&x=${n}`, token: tokens[name]!, agent });
        if (status !== 200) wrong++;
        times[name].push(ms);
      }
    }
    agent.destroy();
    const [few, many] = [median(times.few), median(times.many)];
    trial.figure(
      many <= few * MOST && wrong === 0,
      `a request takes ${(few * 1000).toFixed(0)} µs with 3 permissions, ${(many * 1000).toFixed(0)} µs with ${customTokens.many.length}${wrong ? `, ${wrong} refused` : ''}`,
    );
  },
};
