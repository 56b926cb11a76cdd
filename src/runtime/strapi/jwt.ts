/**
 * `strapi.plugin('users-permissions').service('jwt')`: tokens of accounts, created synchronously as in the reference.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { secondsOf } from '../../lifespan.ts';
import type { NewSession } from '../../users/sessions/sessions.ts';
import type { Params } from '../documents/lifecycles.ts';
import { unsupported } from '../guarded.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import { UnitOfWork } from '../unit-of-work.ts';

/** The session of a new token: the token ends with the session. */
const BEGUN = new AsyncLocalStorage<NewSession>();

/** Runs code that makes the token of a session. */
export const issuedFor = <T>(session: NewSession, work: () => T): T => BEGUN.run(session, work);

/** Receives the tokens that are verified while a caller is identified. */
const LOOKED_UP = new AsyncLocalStorage<(token: string) => void>();

/** Runs code that identifies a caller. @param found receives each verified token of the server. */
export const lookingUp = <T>(found: (token: string) => void, work: () => T): T => LOOKED_UP.run(found, work);

const HEADER = encoded({ alg: 'HS256', typ: 'JWT' });

export function jwtService({ config, tokens }: Pick<RuntimeContext, 'config' | 'tokens'>) {
  return {
    /** A token with a payload: `{ id: user.id }` signs the account in. */
    issue(payload: Params, { expiresIn, ...others }: Params = {}): string {
      UnitOfWork.currentOrOutside.check();
      if (tokens.refreshes) unsupported("service('jwt').issue() where tokens are renewed (jwtManagement: 'refresh')");
      const iat = Math.floor(Date.now() / 1000);
      const lifespan = expiresIn === undefined ? config.users.jwtLifespan : secondsOf(expiresIn);
      if (lifespan === undefined) throw new Error(`expiresIn must be seconds, or a text such as '1h'`);
      if (payload['exp'] !== undefined) throw new Error('the payload cannot set exp: use expiresIn');
      const claims = claimsOf(others);
      const begun = BEGUN.getStore();
      const own = begun && payload['id'] === begun.userId ? { sid: begun.id } : {};
      const body = `${HEADER}.${encoded({ ...payload, ...claims, ...own, iat, exp: iat + lifespan })}`;
      return `${body}.${createHmac('sha256', config.jwtSecret).update(body).digest('base64url')}`;
    },
    /** The payload of a token. @throws Error for an invalid one. */
    async verify(token: string): Promise<Params> {
      if (!tokens.refreshes) {
        const { sid, ...payload } = payloadOf(token, config.jwtSecret);
        LOOKED_UP.getStore()?.(token);
        // tokens of accounts name their session, which Strapi does not have
        return typeof payload['id'] === 'number' || sid === undefined ? payload : { ...payload, sid };
      }
      const claims = await tokens.verifyAccess(token);
      if (!claims) throw new Error('Invalid token.');
      LOOKED_UP.getStore()?.(token);
      return { id: claims.userId, sessionId: claims.sessionId };
    },
    /** The payload of a request's token; null without one. */
    async getToken(ctx: { readonly request: { get(name: string): string } }): Promise<Params | null> {
      const [scheme, token] = ctx.request.get('authorization').split(' ');
      return scheme?.toLowerCase() === 'bearer' && token ? this.verify(token) : null;
    },
  };
}

/** Claims by the options that give a token one. */
const CLAIMS: Readonly<Record<string, string>> = { subject: 'sub', issuer: 'iss', audience: 'aud', jwtid: 'jti' };

/** The claims of the options. @throws Unsupported for an option that sets no claim. */
function claimsOf(options: Params): Params {
  const entries = Object.entries(options).filter(([name, value]) => !(name === 'algorithm' && value === 'HS256'));
  return Object.fromEntries(
    entries
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [CLAIMS[name] ?? unsupported(`the option ${name} of service('jwt').issue()`), value]),
  );
}

/** The payload of a token from `issue`. @throws Error for an invalid one. */
function payloadOf(token: string, secret: string): Params {
  const [header = '', payload = '', signature = '', ...others] = String(token).split('.');
  const wanted = createHmac('sha256', secret).update(`${header}.${payload}`).digest();
  const received = Buffer.from(signature, 'base64url');
  const isGood = others.length === 0 && received.length === wanted.length && timingSafeEqual(received, wanted);
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Params;
  if (!isGood || read(header)['alg'] !== 'HS256') throw new Error('Invalid token.');
  const claims = read(payload);
  const { exp } = claims;
  if (exp !== undefined && !(Number(exp) > Date.now() / 1000)) throw new Error('Invalid token.');
  return claims;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
