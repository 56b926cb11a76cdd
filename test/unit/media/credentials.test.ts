/** Where keys of the object store are looked for when the configuration has none. */
import { deepStrictEqual, match, rejects, strictEqual, throws } from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, it } from 'node:test';
import { chainedCredentials } from '../../../src/media/storage/credentials/chain.ts';
import { parseSections } from '../../../src/media/storage/credentials/profiles.ts';
import { credentialsOf } from '../../../src/media/storage/credentials/sources.ts';
import { CurrentCredentials, cachedCredentials } from '../../../src/media/storage/s3-credentials.ts';

interface Seen {
  readonly request: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
interface Answer {
  readonly status?: number;
  readonly body?: string;
}

const ENDS = '2030-01-02T03:04:05.000Z';
const JSON_KEYS = JSON.stringify({ AccessKeyId: 'J', SecretAccessKey: 'js', Token: 'jt', Expiration: ENDS });
const FROM_JSON = { accessKeyId: 'J', secretAccessKey: 'js', sessionToken: 'jt', expiration: new Date(ENDS) };
const stsAnswer = (action: string) => `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <${action}Result><Credentials><AccessKeyId>R</AccessKeyId><SecretAccessKey>r/+=</SecretAccessKey>
  <SessionToken>rt&amp;</SessionToken><Expiration>2030-01-02T03:04:05Z</Expiration></Credentials></${action}Result>
  </${action}Response>`;
const FROM_ROLE = { accessKeyId: 'R', secretAccessKey: 'r/+=', sessionToken: 'rt&', expiration: new Date(ENDS) };
const fixed = (accessKeyId: string, secretAccessKey: string, sessionToken?: string) => ({
  accessKeyId,
  secretAccessKey,
  sessionToken,
});

describe('keys of the object store that the configuration does not have', () => {
  let home: string;
  let server: Server;
  let origin: string;
  let answers: Record<string, Answer | ((seen: Seen) => Answer)>;
  const seen: Seen[] = [];

  before(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'galley-keys-'));
    await mkdir(path.join(home, '.aws'));
    server = createServer(async (request, response) => {
      const entry = {
        request: `${request.method} ${request.url}`,
        headers: request.headers,
        body: await text(request),
      };
      seen.push(entry);
      const found = answers[entry.request] ?? { status: 404 };
      const { status = 200, body = '' } = typeof found === 'function' ? found(entry) : found;
      response.writeHead(status).end(body);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    server?.close();
    await rm(home, { recursive: true, force: true });
  });
  beforeEach(async () => {
    answers = {};
    seen.length = 0;
    await write('', '');
  });

  const write = async (config: string, credentials: string) => {
    await writeFile(path.join(home, '.aws/config'), config);
    await writeFile(path.join(home, '.aws/credentials'), credentials);
  };
  /** No test asks the metadata service of the machine that it runs on. */
  const find = (env: Record<string, string> = {}) => {
    const elsewhere = { HOME: home, AWS_EC2_METADATA_SERVICE_ENDPOINT: origin, AWS_ENDPOINT_URL_STS: origin };
    return chainedCredentials('eu-test-1', { ...elsewhere, ...env })();
  };

  it('are those of the environment, unless a profile is named', async () => {
    await write('', '[other]\naws_access_key_id = P\naws_secret_access_key = ps\n');
    const env = { AWS_ACCESS_KEY_ID: 'E', AWS_SECRET_ACCESS_KEY: 'es', AWS_SESSION_TOKEN: 'et' };
    deepStrictEqual(await find(env), fixed('E', 'es', 'et'));
    deepStrictEqual(await find({ ...env, AWS_PROFILE: 'other' }), fixed('P', 'ps'));
  });

  it('are those of a profile in either file, of which that of keys counts first', async () => {
    await write(
      '[default]\naws_access_key_id=C\naws_secret_access_key=cs\n[profile a.b/c]\naws_access_key_id=D\naws_secret_access_key=d=/+\n',
      '[default]\naws_access_key_id=K\naws_secret_access_key=ks\naws_session_token=kt\n',
    );
    deepStrictEqual(await find(), fixed('K', 'ks', 'kt'));
    deepStrictEqual(await find({ AWS_PROFILE: 'a.b/c' }), fixed('D', 'd=/+'));
    const file = path.join(home, 'elsewhere');
    await writeFile(file, '[default]\naws_access_key_id=X\naws_secret_access_key=xs\n');
    deepStrictEqual(await find({ AWS_SHARED_CREDENTIALS_FILE: file }), fixed('X', 'xs'));
  });

  it('are those of a role that a profile takes with the keys of another', async () => {
    await write(
      '[profile app]\nrole_arn=arn:aws:iam::1:role/app\nsource_profile=base\nexternal_id=x y\nregion=eu-west-9\nduration_seconds=900\nrole_session_name=me\n',
      '[base]\naws_access_key_id=B\naws_secret_access_key=bs\n',
    );
    answers['POST /'] = { body: stsAnswer('AssumeRole') };
    deepStrictEqual(await find({ AWS_PROFILE: 'app' }), FROM_ROLE);
    const [{ headers, body }] = seen as [Seen];
    deepStrictEqual(Object.fromEntries(new URLSearchParams(body)), {
      Action: 'AssumeRole',
      Version: '2011-06-15',
      RoleArn: 'arn:aws:iam::1:role/app',
      RoleSessionName: 'me',
      ExternalId: 'x y',
      DurationSeconds: '900',
    });
    match(headers.authorization!, /^AWS4-HMAC-SHA256 Credential=B\/\d{8}\/eu-west-9\/sts\/aws4_request, /);
    answers['POST /'] = {
      status: 403,
      body: '<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>',
    };
    await rejects(find({ AWS_PROFILE: 'app' }), { name: 'AccessDenied', status: 403 });
    strictEqual(seen.length, 2);
  });

  it('may come through several roles, and not in a circle', async () => {
    await write(
      `[profile a]\nrole_arn=arn:a\nsource_profile=b\n[profile b]\nrole_arn=arn:b\nsource_profile=c
[profile c]\nrole_arn=arn:c\nsource_profile=c\naws_access_key_id=C\naws_secret_access_key=cs
[profile x]\nrole_arn=arn:x\nsource_profile=y\n[profile y]\nrole_arn=arn:y\nsource_profile=x
[profile code]\nrole_arn=arn:z\nsource_profile=c\nmfa_serial=arn:mfa
[profile place]\nrole_arn=arn:p\ncredential_source=Environment
[profile nowhere]\nrole_arn=arn:p\ncredential_source=Moon\n`,
      '',
    );
    answers['POST /'] = { body: stsAnswer('AssumeRole') };
    deepStrictEqual(await find({ AWS_PROFILE: 'a' }), FROM_ROLE);
    deepStrictEqual(
      seen.map(({ body }) => new URLSearchParams(body).get('RoleArn')),
      ['arn:b', 'arn:a'],
    );
    deepStrictEqual(await find({ AWS_PROFILE: 'c' }), FROM_ROLE);
    await rejects(find({ AWS_PROFILE: 'x' }), /its own source/);
    await rejects(find({ AWS_PROFILE: 'code' }), /multi-factor code/);
    await rejects(find({ AWS_PROFILE: 'nowhere' }), /credential_source must be/);
    seen.length = 0;
    const env = { AWS_ACCESS_KEY_ID: 'E', AWS_SECRET_ACCESS_KEY: 'es' };
    deepStrictEqual(await find({ AWS_PROFILE: 'place', ...env }), FROM_ROLE);
    match(seen[0]!.headers.authorization!, /Credential=E\//);
  });

  it('are those that a program of a profile prints', async () => {
    const keys = JSON.stringify({ Version: 1, AccessKeyId: 'Q', SecretAccessKey: 'qs', Expiration: ENDS });
    const file = path.join(home, 'keys.json');
    await writeFile(file, keys);
    await write(
      `[profile run]\ncredential_process = cat "${file}"\n[profile broken]\ncredential_process = echo '{}'\n`,
      '',
    );
    deepStrictEqual(await find({ AWS_PROFILE: 'run' }), { ...fixed('Q', 'qs'), expiration: new Date(ENDS) });
    await rejects(find({ AWS_PROFILE: 'broken' }), /without AccessKeyId/);
  });

  it("are those that AWS's command line returns for a profile with a sign-in", async () => {
    const bin = path.join(home, 'bin');
    await mkdir(bin, { recursive: true });
    const keys = JSON.stringify({ AccessKeyId: 'S', SecretAccessKey: 'ss', SessionToken: 'st', Expiration: ENDS });
    await writeFile(
      path.join(bin, 'aws'),
      `#!/bin/sh\n[ "$*" = 'configure export-credentials --profile office' ] && echo '${keys}'\n`,
      { mode: 0o755 },
    );
    await write(
      '[profile office]\nsso_session = o\nsso_account_id = 1\nsso_role_name = r\n[sso-session o]\nsso_region=x\n',
      '',
    );
    const before = process.env['PATH'];
    process.env['PATH'] = `${bin}${path.delimiter}${before}`;
    try {
      const found = await find({ AWS_PROFILE: 'office' });
      deepStrictEqual(found, { ...fixed('S', 'ss', 'st'), expiration: new Date(ENDS) });
    } finally {
      process.env['PATH'] = before;
    }
  });

  it('are those of a web identity', async () => {
    const file = path.join(home, 'token');
    await writeFile(file, 'the.token\n');
    let failures = 0;
    answers['POST /'] = () => (failures++ === 0 ? { status: 500 } : { body: stsAnswer('AssumeRoleWithWebIdentity') });
    const env = { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: 'arn:w', AWS_ROLE_SESSION_NAME: 'pod' };
    deepStrictEqual(await find(env), FROM_ROLE);
    const { headers, body } = seen.at(-1)!;
    deepStrictEqual(Object.fromEntries(new URLSearchParams(body)), {
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: 'arn:w',
      RoleSessionName: 'pod',
      WebIdentityToken: 'the.token',
    });
    deepStrictEqual([headers.authorization, failures], [undefined, 2]);
  });

  it('are those of the container, requested with its token', async () => {
    answers['GET /keys'] = (request) => (request.headers.authorization === 'T' ? { body: JSON_KEYS } : { status: 401 });
    const full = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${origin}/keys` };
    deepStrictEqual(await find({ ...full, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'T' }), FROM_JSON);
    const file = path.join(home, 'container-token');
    await writeFile(file, 'T\n');
    deepStrictEqual(await find({ ...full, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file }), FROM_JSON);
    await rejects(find(full), /answered 401/);
  });

  it('are not requested from an unknown host, whose owner would learn the token', async () => {
    for (const host of ['10.0.0.1', 'metadata.example.com', '169.254.170.2.example.com', '127.0.0.1.example.com']) {
      const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://${host}/keys`, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'T' };
      await rejects(find(env), /must be https/, host);
    }
  });

  it("are those of the machine's role, with a token where the service gives one", async () => {
    const roles = 'GET /latest/meta-data/iam/security-credentials/';
    answers['PUT /latest/api/token'] = { body: 'session' };
    answers[roles] = (request) =>
      request.headers['x-aws-ec2-metadata-token'] === 'session' ? { body: 'web\n' } : { status: 401 };
    answers[`${roles}web`] = { body: JSON_KEYS };
    deepStrictEqual(await find(), FROM_JSON);
    strictEqual(seen.at(-1)!.headers['x-aws-ec2-metadata-token'], 'session');
    answers['PUT /latest/api/token'] = { status: 404 };
    answers[roles] = { body: 'web' };
    deepStrictEqual(await find(), FROM_JSON);
    await rejects(find({ AWS_EC2_METADATA_V1_DISABLED: 'true' }), /^Error: No keys/);
    seen.length = 0;
    await rejects(find({ AWS_EC2_METADATA_DISABLED: 'true' }), /^Error: No keys/);
    deepStrictEqual(seen, []);
  });

  it('are read from files as AWS writes them', () => {
    const text = [
      'stray = 1\n# comment\n; comment\n[default] # the usual\r\nregion = eu-west-1 # where\r',
      "[profile 'two words']\nkey = a;b#c\ns3 =\n  max_concurrent_requests = 20\n  region = inner\n[ profile  x ]\n=none\n",
    ].join('\n');
    deepStrictEqual(
      [...parseSections(text)].map(([name, values]) => [name, { ...values }]),
      [
        ['default', { region: 'eu-west-1' }],
        ['profile two words', { key: 'a;b#c', s3: '' }],
        ['profile  x', {}],
      ],
    );
  });
});

describe('keys that end', () => {
  const keys = (number: number, seconds: number) => ({
    ...fixed(`T${number}`, 's'),
    expiration: new Date(Date.now() + seconds * 1000),
  });
  /** What was begun beside is over. */
  const settled = () => new Promise(setImmediate);

  it('are requested once at a time, and again shortly before they expire', async () => {
    let asked = 0;
    const kept = cachedCredentials(async () => keys(++asked, asked === 1 ? 200 : 3600));
    const [first, second] = await Promise.all([kept(), kept()]);
    deepStrictEqual([first.accessKeyId, second.accessKeyId], ['T1', 'T1']);
    strictEqual((await kept()).accessKeyId, 'T1');
    await settled();
    deepStrictEqual([(await kept()).accessKeyId, (await kept()).accessKeyId, asked], ['T2', 'T2', 2]);
  });

  it('are returned while they are valid, without waiting for a silent provider', async () => {
    let asked = 0;
    const kept = cachedCredentials(() => (++asked === 1 ? Promise.resolve(keys(1, 200)) : new Promise(() => {})));
    for (let request = 0; request < 4; request++) strictEqual((await kept()).accessKeyId, 'T1');
    strictEqual(asked, 2);
  });

  it('are renewed once in 30 seconds at most while the provider fails, or gives keys that end soon', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-01-02T03:00:00Z') });
    for (const later of [() => Promise.reject(new Error('nobody is there')), async () => keys(2, 200)]) {
      let asked = 0;
      const kept = cachedCredentials(() => (++asked === 1 ? Promise.resolve(keys(1, 200)) : later()));
      for (const [elapsed, expected] of [
        [0, 1],
        [0, 2],
        [29_000, 2],
        [1000, 3],
        [0, 3],
      ] as const) {
        t.mock.timers.tick(elapsed);
        await kept();
        await settled();
        strictEqual(asked, expected);
      }
    }
  });

  it('are used to their end when they cannot be renewed, and no longer', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-01-02T03:00:00Z') });
    let asked = 0;
    const kept = cachedCredentials(async () => {
      if (++asked > 1) throw new Error('nobody is there');
      return keys(1, 200);
    });
    await kept();
    t.mock.timers.tick(199_000);
    strictEqual((await kept()).accessKeyId, 'T1');
    await rejects(kept(true), /nobody is there/);
    t.mock.timers.tick(1000);
    await rejects(kept(), /nobody is there/);
  });

  it('must say when by a date, wherever they come from', async () => {
    const noDate = /an expiration that is not a date/;
    const env = { AWS_ACCESS_KEY_ID: 'E', AWS_SECRET_ACCESS_KEY: 'es', AWS_CREDENTIAL_EXPIRATION: 'soon' };
    await rejects(chainedCredentials('eu-test-1', env)(), noDate);
    for (const Expiration of ['soon', '', 5, {}, false]) {
      throws(() => credentialsOf(JSON.stringify({ AccessKeyId: 'J', SecretAccessKey: 'js', Expiration })), noDate);
    }
    for (const expiration of [new Date('soon'), '2030-01-02', null]) {
      const provider = async () => ({ ...fixed('F', 'fs'), expiration: expiration as unknown as Date });
      await rejects(cachedCredentials(provider)(), noDate);
      await rejects(CurrentCredentials.fetched(provider), noDate);
    }
  });

  it('stay if the next ones have an invalid expiration, and are requested again after a pause', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.parse('2026-01-02T03:00:00Z') });
    t.mock.method(process.stderr, 'write', () => true);
    let asked = 0;
    const current = await CurrentCredentials.fetched(async () =>
      ++asked === 1 ? keys(1, 3600) : { ...keys(asked, 3600), expiration: new Date('soon') },
    );
    t.mock.timers.tick(55 * 60_000);
    await settled();
    t.mock.timers.tick(29_000);
    await settled();
    deepStrictEqual([current.value.accessKeyId, asked], ['T1', 2]);
    t.mock.timers.tick(1000);
    strictEqual(asked, 3);
    current.close();
  });
});
