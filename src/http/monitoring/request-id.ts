/** Request ids: a client or proxy may give one, so that its log and ours can be laid side by side. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What an id may be: short, and harmless in logs, headers and shells. */
const WELL_FORMED = /^[\w.:-]{1,128}$/;

/** Gives each request an id: that of its `X-Request-Id` if it is well-formed, else one of our own. */
export function requestIds(): (request: Pick<IncomingMessage, 'headers'>) => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return ({ headers }) => {
    const given = headers['x-request-id'];
    if (typeof given === 'string' && WELL_FORMED.test(given)) return given;
    count++;
    return `${prefix}-${count.toString(36)}`;
  };
}
