/** The settings of accounts and mail: `config/plugins` `users-permissions` and `email`, and environment. */
import { UsageError } from '../errors.ts';
import { secondsOf } from '../lifespan.ts';
import type { CorsConfig, EmailConfig, SessionsConfig, UsersConfig } from './config.ts';
import { type ConfigFile, type ConfigFiles, isTree } from './config-file.ts';
import type { Variables } from './environment.ts';
import { booleanAt, integerAt, textAt, textVariable, valueAt, wrong, wrongAddress } from './values.ts';

/** The settings of the plugins' entries that are read, as dotted paths. */
export const USERS_KEYS: readonly string[] = [
  'enabled',
  'config.jwtSecret',
  'config.jwt.expiresIn',
  'config.jwtManagement',
  'config.sessions.accessTokenLifespan',
  'config.sessions.maxRefreshTokenLifespan',
  'config.sessions.idleRefreshTokenLifespan',
  'config.sessions.httpOnly',
  'config.sessions.cookie',
  'config.ratelimit.enabled',
  'config.ratelimit.max',
  'config.ratelimit.interval',
  'config.register.allowedFields',
  'config.validationRules.validatePassword',
];
export const EMAIL_KEYS: readonly string[] = [
  'enabled',
  'config.provider',
  'config.providerOptions',
  'config.settings.defaultFrom',
  'config.settings.defaultReplyTo',
];

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Defaults. `docs/reference/configuration.md` lists the same values. */
const DEFAULTS = {
  jwtLifespan: 30 * DAY,
  accessTokenLifespan: 10 * MINUTE,
  maxRefreshTokenLifespan: 30 * DAY,
  idleRefreshTokenLifespan: 14 * DAY,
  cookie: 'strapi_up_refresh',
  requests: 10,
  windowMs: MINUTE * 1000,
} as const;

/** Mail providers whose options name an SMTP server. */
const SMTP_PROVIDERS = ['nodemailer', '@strapi/provider-email-nodemailer'];

/** The settings of accounts. @throws UsageError, naming the key, for a wrong value. */
export function usersConfig({ server, plugins }: ConfigFiles, variables: Variables): UsersConfig {
  const at = (key: string) => `users-permissions.config.${key}`;
  const jwtManagement = valueAt(plugins, at('jwtManagement')) ?? 'legacy-support';
  if (jwtManagement !== 'legacy-support' && jwtManagement !== 'refresh') {
    throw wrong(plugins, at('jwtManagement'), "'legacy-support' or 'refresh'");
  }
  const validatePassword = valueAt(plugins, at('validationRules.validatePassword'));
  if (validatePassword !== undefined && typeof validatePassword !== 'function') {
    throw wrong(plugins, at('validationRules.validatePassword'), 'a function');
  }
  return {
    jwtLifespan: lifespanAt(plugins, at('jwt.expiresIn'), DEFAULTS.jwtLifespan),
    jwtManagement,
    sessions: sessionsConfig(plugins, at('sessions')),
    rateLimit: rateLimitAt(plugins, at('ratelimit'), { max: DEFAULTS.requests, windowMs: DEFAULTS.windowMs }),
    registerFields: namesAt(plugins, at('register.allowedFields')),
    validatePassword: validatePassword as UsersConfig['validatePassword'],
    publicUrl: publicUrl(server, variables),
    isProduction: isProduction(variables),
    email: emailConfig(plugins, variables),
  };
}

/** Warnings about mail that is not sent. */
export function mailWarnings({ email }: UsersConfig): string[] {
  const { transport, unsupported } = email;
  const named =
    unsupported === undefined
      ? []
      : [`config/plugins sends mail with ${unsupported}, which Galley does not have: ${smtpOf(unsupported)}.`];
  if (transport !== 'none') return named;
  const advice = unsupported === undefined ? ': name an SMTP server with SMTP_URL, or in config/plugins (email).' : '.';
  return [...named, `No mail is sent${advice} Until then users cannot reset their password or confirm their address.`];
}

/** SMTP servers of services that Strapi projects use with other providers. */
const SMTP_SERVERS: Readonly<Record<string, string>> = {
  'amazon-ses': 'smtps://USER:PASSWORD@email-smtp.REGION.amazonaws.com, with credentials for SMTP',
  sendgrid: 'smtps://apikey:KEY@smtp.sendgrid.net',
  mailgun: 'smtps://USER:PASSWORD@smtp.mailgun.org',
  mailjet: 'smtps://KEY:SECRET@in-v3.mailjet.com',
  postmark: 'smtp://TOKEN:TOKEN@smtp.postmarkapp.com',
  brevo: 'smtp://USER:KEY@smtp-relay.brevo.com',
  sendmail: 'smtp://127.0.0.1, where a mail server of this machine listens',
};

/** What to set instead of a provider. */
function smtpOf(provider: string): string {
  const name = Object.keys(SMTP_SERVERS).find((service) => provider.includes(service));
  return `set SMTP_URL to its SMTP server${name === undefined ? '' : `, such as ${SMTP_SERVERS[name]}`}`;
}

/** Warnings about the cookie of refresh tokens. */
export function cookieWarnings({ jwtManagement, sessions }: UsersConfig, cors: CorsConfig | undefined): string[] {
  if (jwtManagement !== 'refresh' || sessions.cookie.sameSite !== 'none' || cors?.origins !== '*') return [];
  return [
    "sessions.cookie.sameSite of users-permissions is 'none', which lets pages of every site send the cookie: it is accepted from the server's own origin alone until strapi::cors lists other origins.",
  ];
}

function sessionsConfig(file: ConfigFile, at: string): SessionsConfig {
  const sameSite = valueAt(file, `${at}.cookie.sameSite`) ?? 'lax';
  if (sameSite !== 'lax' && sameSite !== 'strict' && sameSite !== 'none') {
    throw wrong(file, `${at}.cookie.sameSite`, "'lax', 'strict' or 'none'");
  }
  const seconds = (key: 'accessTokenLifespan' | 'maxRefreshTokenLifespan' | 'idleRefreshTokenLifespan') =>
    integerAt(file, `${at}.${key}`, DEFAULTS[key], 1);
  const name = textAt(file, `${at}.cookie.name`) ?? DEFAULTS.cookie;
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw wrong(file, `${at}.cookie.name`, 'the name of a cookie');
  const secure = valueAt(file, `${at}.cookie.secure`);
  return {
    accessTokenLifespan: seconds('accessTokenLifespan'),
    maxRefreshTokenLifespan: seconds('maxRefreshTokenLifespan'),
    idleRefreshTokenLifespan: seconds('idleRefreshTokenLifespan'),
    httpOnly: booleanAt(file, `${at}.httpOnly`, false),
    cookie: {
      name,
      secure: secure === undefined ? undefined : booleanAt(file, `${at}.cookie.secure`, false),
      sameSite,
      path: cookieText(file, `${at}.cookie.path`) ?? '/',
      domain: cookieText(file, `${at}.cookie.domain`),
      maxAge: integerAt(file, `${at}.cookie.maxAge`, undefined, 0),
    },
  };
}

function cookieText(file: ConfigFile, path: string): string | undefined {
  const text = textAt(file, path);
  if (text !== undefined && !/^[!-:<-~]+$/.test(text)) throw wrong(file, path, 'a string without spaces or semicolons');
  return text;
}

/** A lifespan in seconds: a number, or a text such as `7d`. */
function lifespanAt(file: ConfigFile, path: string, fallback: number): number {
  const value = valueAt(file, path);
  if (value === undefined || value === null || value === '') return fallback;
  const whole = secondsOf(value);
  if (whole === undefined || whole < 1) throw wrong(file, path, "seconds, or a string such as '7d'");
  return whole;
}

/** A rate limit in the reference's form; null if it is disabled. */
export function rateLimitAt(
  file: ConfigFile,
  path: string,
  { max, windowMs }: NonNullable<UsersConfig['rateLimit']>,
): UsersConfig['rateLimit'] {
  if (!booleanAt(file, `${path}.enabled`, true)) return null;
  const most = integerAt(file, `${path}.max`, max, 1);
  return { max: most, windowMs: windowAt(file, `${path}.interval`, windowMs) };
}

/** Milliseconds, or the reference's object form: `{ min: 5 }`. */
function windowAt(file: ConfigFile, path: string, fallback: number): number {
  const value = valueAt(file, path);
  if (!isTree(value)) return integerAt(file, path, fallback, 1);
  const units: Readonly<Record<string, number>> = { ms: 1, sec: 1000, min: 60_000, hour: HOUR * 1000, day: DAY * 1000 };
  let milliseconds = 0;
  for (const unit of Object.keys(value)) {
    if (!Object.hasOwn(units, unit)) throw wrong(file, path, 'milliseconds, or an object of sec, min, hour and day');
    milliseconds += units[unit]! * integerAt(file, `${path}.${unit}`, 0, 0);
  }
  if (milliseconds < 1) throw wrong(file, path, 'longer than zero');
  return milliseconds;
}

function namesAt(file: ConfigFile, path: string): readonly string[] {
  const value = valueAt(file, path) ?? [];
  const names = Array.isArray(value) ? (value as unknown[]) : undefined;
  if (!names?.every((name) => typeof name === 'string')) throw wrong(file, path, 'a list of attribute names');
  return names;
}

/** `PUBLIC_URL`, or an absolute `server.url`. */
function publicUrl(server: ConfigFile, variables: Variables): string | undefined {
  const url = textVariable(variables, 'PUBLIC_URL') ?? textAt(server, 'url');
  // a path, where a proxy mounts the server, does not suffice for links in mails
  if (url === undefined || url.startsWith('/')) return undefined;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    const expected = 'an http or https URL';
    throw variables['PUBLIC_URL'] ? wrongAddress('PUBLIC_URL', expected) : wrong(server, 'url', expected);
  }
  return url.replace(/\/+$/, '');
}

function emailConfig(plugins: ConfigFile, variables: Variables): EmailConfig {
  const transport = transportOf(plugins, variables);
  const provider = textAt(plugins, 'email.config.provider');
  const isServer = Boolean(variables['SMTP_URL']) || isTree(transport);
  const isKnown = provider === undefined || SMTP_PROVIDERS.includes(provider);
  return {
    transport,
    provider: isServer ? undefined : provider,
    unsupported: isServer || isKnown ? undefined : provider,
    defaultFrom: textVariable(variables, 'EMAIL_FROM') ?? textAt(plugins, 'email.config.settings.defaultFrom'),
    defaultReplyTo:
      textVariable(variables, 'EMAIL_REPLY_TO') ?? textAt(plugins, 'email.config.settings.defaultReplyTo'),
  };
}

function transportOf(plugins: ConfigFile, variables: Variables): EmailConfig['transport'] {
  const url = textVariable(variables, 'SMTP_URL');
  if (url !== undefined) {
    // the value may contain a password, so it is not quoted
    if (!/^smtps?:\/\//i.test(url) || !URL.canParse(url)) throw wrongAddress('SMTP_URL', 'an smtp or smtps URL');
    return url;
  }
  const provider = textAt(plugins, 'email.config.provider');
  const options = valueAt(plugins, 'email.config.providerOptions');
  if (provider !== undefined && SMTP_PROVIDERS.includes(provider) && isTree(options)) {
    if (typeof options['host'] === 'string' && options['host'] !== '') return smtpOptions(plugins, options);
  }
  return isProduction(variables) ? 'none' : 'log';
}

const isProduction = (variables: Variables): boolean => variables['NODE_ENV'] === 'production';

/** The options of an SMTP connection. Other options of nodemailer would let it read files and URLs. */
const SMTP_OPTIONS = ['host', 'port', 'secure', 'auth', 'ignoreTLS', 'requireTLS', 'tls', 'name', 'authMethod'];

function smtpOptions(
  plugins: ConfigFile,
  options: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const taken = Object.fromEntries(SMTP_OPTIONS.flatMap((key) => (key in options ? [[key, options[key]]] : [])));
  try {
    // the options are sent to another thread
    return structuredClone(taken);
  } catch {
    throw new UsageError(`${plugins.path}: email.config.providerOptions must contain plain values, not functions`);
  }
}
