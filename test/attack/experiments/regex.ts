/** Patterns of a schema that explode on a text that nearly fits. */
import { contentType } from '../../support/servers/project.ts';
import { ask, statuses } from '../client.ts';
import type { Experiment } from '../experiment.ts';
import { ms } from '../trial.ts';

const PATTERNS = ['^(a+)+$', '^(a|aa)+$', '^(.*a){15}b$', '^([a-z]+)*[0-9]$', '^(?=(a+)+b)a+c$', '^(a*)*\\1b$'];
const LENGTHS = [28, 100, 1000];
/** Milliseconds that a value may take. */
const MOST_TIME = 500;

export const experiment: Experiment = {
  name: 'regex',
  async run(trial) {
    const attributes = Object.fromEntries(PATTERNS.map((regex, n) => [`p${n}`, { type: 'string', regex }]));
    const { url, tokens } = await trial.serveMade({ contentTypes: { word: contentType('word', attributes) } });
    const post = (data: unknown) =>
      ask(url, { method: 'POST', path: '/api/words', token: tokens.writer, body: { data } });
    await post({});
    const replies = [];
    const slow: string[] = [];
    for (const length of LENGTHS) {
      for (const [n, pattern] of PATTERNS.entries()) {
        const reply = await post({ [`p${n}`]: `${'a'.repeat(length)}!` });
        replies.push(reply);
        if (reply.ms > MOST_TIME)
          slow.push(`${pattern} on ${length} characters ${reply.status || 'none'} in ${ms(reply.ms)}`);
        if (reply.status === 0) {
          trial.figure(false, slow.join(', '));
          return;
        }
      }
    }
    const isRefused = replies.every(({ status }) => status === 400);
    trial.figure(
      slow.length === 0 && isRefused,
      `${replies.length} values: ${statuses(replies)}${slow.map((text) => `, ${text}`).join('')}`,
    );
  },
};
