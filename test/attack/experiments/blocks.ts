/** Bodies that are wrong in every part: refusals stay small. */
import { type Asked, ask } from '../client.ts';
import type { Experiment } from '../experiment.ts';
import { ms, size } from '../trial.ts';

/** Bytes of a refusal, and milliseconds that one may take to make, for a body of a megabyte to be parsed first. */
const MOST_BYTES = 64_000;
const MOST_TIME = 1000;

const filled = <T>(bytes: number, one: T): T[] =>
  Array.from({ length: Math.floor(bytes / (JSON.stringify(one).length + 1)) }, () => one);

/** Data by what is wrong with it, for a body of about so many bytes. */
const WRONG: Readonly<Record<string, (bytes: number) => unknown>> = {
  'blocks of unknown types': (bytes) => ({ blocks: filled(bytes, { type: 'nope' }) }),
  'blocks with wrong children': (bytes) => ({
    blocks: [{ type: 'paragraph', children: filled(bytes, { type: 'text', text: 1 }) }],
  }),
  'nested lists in blocks': (bytes) => ({
    blocks: filled(bytes, { type: 'list', format: 'no', children: [{ type: 'list', children: [{ type: 'x' }] }] }),
  }),
  components: (bytes) => ({ links: filled(bytes, { label: 1, url: [], target: 'nope' }) }),
  'components of a zone': (bytes) => ({
    zone: filled(bytes, { __component: 'blocks.hero', title: 1, buttons: [{ label: {}, url: 2 }] }),
  }),
  'a long text': (bytes) => ({ title: 'x'.repeat(bytes) }),
  'JSON in a text': (bytes) => ({ title: filled(bytes, { a: 1 }), views: filled(1000, 1) }),
  'unknown keys': (bytes) => Object.fromEntries(filled(bytes, 'key000000000000').map((_, n) => [`key${n}`, n])),
  'links that are none': (bytes) => ({ tags: { connect: filled(Math.min(bytes, 90_000), { id: -1 }) } }),
  'documents that are not there': (bytes) => ({
    tags: filled(bytes, 'x')
      .map((_, n) => `nope${n}`.padEnd(24, 'x'))
      .slice(0, 10_000),
  }),
};

export const experiment: Experiment = {
  name: 'blocks',
  async run(trial) {
    const { url, tokens } = await trial.serveGrown();
    const post = (body: unknown): Asked => ({ method: 'POST', path: '/api/articles', token: tokens.writer, body });
    await ask(url, post({ data: { title: 1 } }));
    for (const kilobytes of [30, 240, 720]) {
      const worst = { bytes: 0, of: '', ms: 0, slowest: '' };
      const wrong: string[] = [];
      for (const [what, dataOf] of Object.entries(WRONG)) {
        const data = { title: 'attack', ...(dataOf(kilobytes * 1000) as object) };
        const reply = await ask(url, post({ data }));
        if (reply.status === 0) {
          trial.figure(false, `${kilobytes} KB of ${what}: no answer within ${ms(reply.ms)}`);
          return;
        }
        if (reply.status !== 400) wrong.push(`${what}: ${reply.status || 'none'}`);
        if (reply.bytes > worst.bytes) Object.assign(worst, { bytes: reply.bytes, of: what });
        if (reply.ms > worst.ms) Object.assign(worst, { ms: reply.ms, slowest: what });
      }
      trial.figure(
        worst.bytes <= MOST_BYTES && worst.ms <= MOST_TIME && wrong.length === 0,
        `${kilobytes} KB: largest answer ${size(worst.bytes)} (${worst.of}), longest ${ms(worst.ms)} (${worst.slowest})${wrong.map((text) => `, ${text}`).join('')}`,
      );
    }
  },
};
