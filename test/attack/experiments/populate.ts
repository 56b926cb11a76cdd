/** A few names that many types share, which stand for millions of relations. */
import { contentType } from '../../support/servers/project.ts';
import { ask, longest, statuses } from '../client.ts';
import type { Experiment } from '../experiment.ts';
import { ms } from '../trial.ts';

const NAMES = Array.from({ length: 10 }, (_, n) => `kind${'abcdefghij'[n]}`);
/** Milliseconds that a refusal or an answer may take. */
const MOST_TIME = 2000;

/** Every type has a cover, whose file is related to every type; and relations of one name in a ring. */
const contentTypes = Object.fromEntries(
  NAMES.map((name, n) => {
    const next = NAMES[(n + 1) % NAMES.length]!;
    const attributes = {
      title: { type: 'string' },
      cover: { type: 'media', multiple: false },
      any: { type: 'relation', relation: 'morphToMany' },
      near: { type: 'relation', relation: 'manyToMany', target: `api::${next}.${next}` },
      parts: { type: 'component', component: 'shared.part', repeatable: true },
      zone: { type: 'dynamiczone', components: ['shared.part', 'shared.piece'] },
    };
    return [name, contentType(name, attributes)];
  }),
);
const part = (name: string) => ({
  collectionName: `components_shared_${name}s`,
  info: { displayName: name },
  attributes: {
    label: { type: 'string' },
    cover: { type: 'media', multiple: true },
    any: { type: 'relation', relation: 'morphToMany' },
  },
});

/** `count` names in turn, one behind the other. */
const chain = (count: number, ...names: string[]): string =>
  Array.from({ length: count }, (_, n) => names[n % names.length]).join('.');
/** The same as nested parameters. */
const nested = (count: number, ...names: string[]): string =>
  `populate${Array.from({ length: count }, (_, n) => `[${names[n % names.length]}]`).join('[populate]')}[populate]=*`;

const QUERIES = [11, 13, 20].flatMap((count) => [
  `populate=${chain(count, 'cover', 'related')}`,
  `populate=${chain(count, 'any')}`,
  `populate=${chain(count, 'zone', 'any')}`,
  `populate=${chain(count, 'near', 'any', 'parts', 'cover', 'related')}`,
  `populate=${Array.from({ length: 40 }, (_, n) => chain(count - (n % 9), 'cover', 'related', 'near')).join()}`,
  nested(Math.min(count, 9), 'cover', 'related'),
  nested(Math.min(count, 9), 'zone', 'any'),
  `filters${`[cover][related]`.repeat(Math.min(count, 9))}[title]=x`,
  `filters${`[near]`.repeat(Math.min(count, 18))}[title]=x`,
  `sort=${chain(count, 'near')}.title`,
  `sort=${Array.from({ length: 60 }, (_, n) => `${chain(1 + (n % 14), 'near')}.title`).join()}`,
  `populate=*&${Array.from({ length: 30 }, (_, n) => `populate[${n}]=${chain(count, 'any', 'cover', 'related')}`).join('&')}`,
]);

export const experiment: Experiment = {
  name: 'populate',
  async run(trial) {
    const publicActions = NAMES.map((name) => `api::${name}.${name}.find`);
    const project = { contentTypes, components: { 'shared.part': part('part'), 'shared.piece': part('piece') } };
    const path = `/api/${NAMES[0]}s`;
    const { url } = await trial.serveMade({ ...project, publicActions }, { cheap: `/api/${NAMES[9]}s` });
    await ask(url, { path });
    const replies = [];
    for (const query of QUERIES) {
      const reply = await ask(url, { path: `${path}?${query}` });
      replies.push(reply);
      if (reply.ms > MOST_TIME || (reply.status !== 200 && reply.status !== 400)) {
        trial.figure(false, `${query.slice(0, 80)}: ${reply.status || 'none'} in ${ms(reply.ms)}`);
      }
      if (reply.status === 0) return;
    }
    trial.figure(
      true,
      `${replies.length} queries of 11 to 20 names: ${statuses(replies)}, longest ${ms(longest(replies))}`,
    );
  },
};
