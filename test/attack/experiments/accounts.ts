/** Floods of the account endpoints, from one address: the cost for other callers, and the remaining memory. */
import { contentType } from '../../support/servers/project.ts';
import { type Asked, besiege, longest, statuses } from '../client.ts';
import type { Experiment } from '../experiment.ts';
import { ms } from '../trial.ts';

const MOST_TIME = 20_000;
const LONG = 'x'.repeat(50_000);

const post = (path: string, body: unknown): Asked => ({ method: 'POST', path: `/api/auth/${path}`, body });

const ASKED: Readonly<Record<string, (n: number) => Asked>> = {
  logins: (n) => post('local', { identifier: `user${n}@example.com`, password: `password${n}` }),
  registrations: (n) =>
    post('local/register', { username: `u${n}`, email: `u${n}@example.com`, password: `password${n}` }),
  'forgotten passwords': (n) => post('forgot-password', { email: `user${n}@example.com` }),
  'long identifiers': (n) => post('local', { identifier: `${n}${LONG}`, password: LONG }),
  'tokens of nobody': (n) => ({ path: '/api/articles?pagination[pageSize]=1', token: `${n}`.padEnd(256, 'a') }),
  'sessions of nobody': (n) => ({
    path: '/api/users/me',
    token: `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${Buffer.from(`{"id":${n}}`).toString('base64url')}.${'x'.repeat(43)}`,
  }),
};

async function flood(url: string, seconds: number): Promise<{ told: string; isFine: boolean }> {
  const told: string[] = [];
  let isFine = true;
  for (const [what, asked] of Object.entries(ASKED)) {
    const replies = await besiege(url, 30, seconds, asked);
    isFine &&= longest(replies) < MOST_TIME && replies.every(({ status }) => status !== 0 && status !== 500);
    told.push(`${what} ${statuses(replies)}, longest ${ms(longest(replies))}`);
  }
  return { told: told.join('; '), isFine };
}

export const experiment: Experiment = {
  name: 'accounts',
  async run(trial) {
    const { url } = await trial.serveGrown();
    const { told, isFine } = await flood(url, 1);
    trial.figure(isFine, `on 30 connections: ${told}`);
    // the same from so many addresses that no rate limit of an address counts
    const files = {
      'config/plugins.js': `module.exports = { 'users-permissions': { config: { jwtSecret: 's', ratelimit: { enabled: false } } } };`,
    };
    const publicActions = ['callback', 'register', 'forgotPassword'].map(
      (name) => `plugin::users-permissions.auth.${name}`,
    );
    const contentTypes = { note: contentType('note', { title: { type: 'string' } }) };
    const unlimited = await trial.serveMade({ files, contentTypes, publicActions });
    const second = await flood(unlimited.url, 1);
    trial.figure(second.isFine, `without limits of an address: ${second.told}`);
  },
};
