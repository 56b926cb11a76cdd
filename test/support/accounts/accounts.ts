/** Servers with accounts: roles of a new project, no rate limits by default, and readable mail. */
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { DatabaseConfig } from '../../../src/config/config.ts';
import type { Engine } from '../databases/databases.ts';
import { type ConfigFilesOfTest, writeConfig } from '../servers/configured.ts';
import { type Answer, CONFORMANCE_DIR, copyProject } from '../servers/project.ts';
import { type SeededServer, serveSeeded } from '../servers/seeded.ts';
import { until } from '../wait.ts';

/** A mail as the SMTP server took it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body, quoted-printable undone. */
  readonly text: string;
}

export interface Mailbox {
  readonly url: string;
  readonly mails: ReceivedMail[];
  close(): Promise<void>;
}

interface SmtpSession {
  readonly envelope: {
    readonly mailFrom: { readonly address: string };
    readonly rcptTo: { readonly address: string }[];
  };
}

/** An SMTP server that takes every mail. */
export async function openMailbox(): Promise<Mailbox> {
  // the library has no types
  const { SMTPServer } = createRequire(import.meta.url)('smtp-server');
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream: NodeJS.ReadableStream, { envelope }: SmtpSession, done: () => void) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('latin1').replaceAll('=\r\n', '');
        const bytes = raw.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
          String.fromCharCode(Number.parseInt(hex, 16)),
        );
        const text = Buffer.from(bytes, 'latin1').toString('utf8');
        mails.push({ from: envelope.mailFrom.address, to: envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

export interface AccountsServer extends SeededServer {
  readonly mailbox: Mailbox;
  /** The environment that it was opened in, for another server on the same database. */
  readonly env: Readonly<Record<string, string>>;
  post(target: string, body?: unknown, token?: string, headers?: Record<string, string>): Promise<Answer>;
  /** Registers an account whose password is `secret1`, and gives what the answer holds. */
  register(username: string, more?: object): Promise<{ jwt: string; refreshToken?: string; user: { id: number } }>;
  login(identifier: string, password: string): Promise<Answer>;
  /** Changes entries of the settings that the reference's panel shows. */
  advanced(settings: object): Promise<void>;
  /** The next mail to an address, which is then forgotten. */
  nextMail(to: string): Promise<ReceivedMail>;
}

const ACCOUNT_ACTIONS = {
  public: [
    'callback',
    'register',
    'forgotPassword',
    'resetPassword',
    'emailConfirmation',
    'sendEmailConfirmation',
    'refresh',
  ],
  authenticated: ['logout', 'getSessions', 'revokeSession', 'changePassword'],
};
const auth = (name: string) => `plugin::users-permissions.auth.${name}`;

export interface AccountsOptions {
  /** `config` of the entry `users-permissions` in `config/plugins`. */
  readonly users?: object;
  readonly files?: ConfigFilesOfTest;
  readonly env?: Readonly<Record<string, string>>;
  readonly roles?: Readonly<Record<string, readonly string[]>>;
  /** Schema of an extended user type, laid over the project. */
  readonly projectFiles?: Readonly<Record<string, unknown>>;
}

/** The schema file of a user type that has attributes beside those of the reference. */
export function extendedUser(attributes: object): Readonly<Record<string, unknown>> {
  const role = { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.role' };
  const schema = {
    kind: 'collectionType',
    collectionName: 'up_users',
    info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
    options: { draftAndPublish: false },
    attributes: {
      username: { type: 'string', minLength: 3, unique: true, required: true },
      email: { type: 'email', minLength: 6, required: true },
      provider: { type: 'string' },
      password: { type: 'password', minLength: 6, private: true },
      resetPasswordToken: { type: 'string', private: true },
      confirmationToken: { type: 'string', private: true },
      confirmed: { type: 'boolean', default: false },
      blocked: { type: 'boolean', default: false },
      role: { ...role, inversedBy: 'users' },
      ...attributes,
    },
  };
  return { 'src/extensions/users-permissions/content-types/user/schema.json': schema };
}

export async function serveAccounts(engine: Engine, options: AccountsOptions = {}): Promise<AccountsServer> {
  const folder = await copyProject(CONFORMANCE_DIR);
  const mailbox = await openMailbox();
  const config = { ratelimit: { enabled: false }, ...options.users };
  for (const [name, value] of Object.entries(options.projectFiles ?? {})) {
    const file = path.join(folder.dir, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(value));
  }
  await writeConfig(folder.dir, { plugins: { 'users-permissions': { config } }, ...options.files });
  const fixture = {
    locales: [{ code: 'en', name: 'English (en)', default: true }],
    tokens: [
      { name: 'full', type: 'full-access' },
      { name: 'read', type: 'read-only' },
      { name: 'manager', type: 'custom', permissions: ['create', 'update', 'find', 'destroy'].map(userAction) },
    ],
    roles: {
      public: ACCOUNT_ACTIONS.public.map(auth),
      authenticated: [...ACCOUNT_ACTIONS.authenticated.map(auth), userAction('me')],
      ...options.roles,
    },
  };
  const env = { SMTP_URL: mailbox.url, EMAIL_FROM: 'Galley <galley@example.com>', ...options.env };
  const server = await serveSeeded(engine, folder, fixture, env);
  const post: AccountsServer['post'] = (target, body, token, headers = {}) =>
    server.request('POST', `/api${target}`, { token, headers, ...(body === undefined ? {} : { body }) });
  return {
    ...server,
    mailbox,
    env: { ...env, ...databaseEnv(server.app.config.database) },
    post,
    async register(username, more = {}) {
      const body = { username, email: `${username}@example.com`, password: 'secret1', ...more };
      const answer = await post('/auth/local/register', body);
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.body;
    },
    login: (identifier, password) => post('/auth/local', { identifier, password }),
    async advanced(settings) {
      const { database } = server.app;
      await database.transaction(async (tx) => {
        const key = `'plugin_users-permissions_advanced'`;
        const [row] = await tx.rows(`select "value" from strapi_core_store_settings where "key" = ${key}`, []);
        const value = JSON.stringify({ ...JSON.parse(String(row![0])), ...settings });
        const slot = database.dialect.placeholder(1);
        await tx.rows(`update strapi_core_store_settings set "value" = ${slot} where "key" = ${key}`, [value]);
      });
    },
    nextMail: (to) =>
      until(`a mail to ${to} arrives`, () => {
        const at = mailbox.mails.findIndex((mail) => mail.to.includes(to));
        return at < 0 ? undefined : mailbox.mails.splice(at, 1)[0];
      }),
    async stop() {
      await server.stop();
      await mailbox.close();
    },
  };
}

function userAction(name: string): string {
  return `plugin::users-permissions.user.${name}`;
}

/** The code in a mail's link. */
export function codeOf({ text }: ReceivedMail): string {
  const code = /(?:code|confirmation)=([0-9a-f]{20,})/.exec(text)?.[1];
  if (code === undefined) throw new Error(`no code in ${text}`);
  return code;
}

function databaseEnv(database: DatabaseConfig): Record<string, string> {
  return database.client === 'sqlite'
    ? { DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: database.filename }
    : { DATABASE_CLIENT: 'postgres', DATABASE_URL: database.connectionString! };
}
