/** The types of a project's configuration. `load.ts` reads it once; the result is frozen. */
import type { SettingSources } from './setting-sources.ts';

/** Missing indexes are created, suggested, or ignored. */
export type IndexMode = 'auto' | 'suggest' | 'off';

/** The modes of ordinary indexes and of search indexes. */
export interface IndexModes {
  readonly learn: IndexMode;
  readonly search: IndexMode;
}

export type DatabaseConfig =
  | {
      readonly client: 'sqlite';
      readonly filename: string;
      /** Milliseconds that a read may take; 0 for no limit. */
      readonly readTimeout: number;
    }
  | {
      readonly client: 'postgres';
      readonly connectionString: string | undefined;
      readonly host: string | undefined;
      readonly port: number | undefined;
      readonly database: string | undefined;
      readonly user: string | undefined;
      readonly password: string | undefined;
      readonly ssl: boolean | Readonly<Record<string, unknown>>;
      readonly schema: string | undefined;
      readonly poolMin: number;
      readonly poolMax: number;
      /** Milliseconds that a read may take; 0 for no limit. */
      readonly readTimeout: number;
      /** Milliseconds that any other statement may take; 0 for no limit. */
      readonly statementTimeout: number;
      /** Milliseconds after which tokens, roles, accounts and locales are read again, for changes by other programs. */
      readonly recheckInterval: number;
    };

export interface RestConfig {
  /** Path prefix of the content API: `/api`. */
  readonly prefix: string;
  readonly defaultLimit: number;
  /** Null for no maximum. */
  readonly maxLimit: number | null;
  readonly withCount: boolean;
  /** Whether content requests with unknown parameters are refused. */
  readonly strictParams: boolean;
  /** Whether `required` applies to relations and media: `documents.strictRelations`. */
  readonly strictRelations: boolean;
  /** Whether types with drafts have `firstPublishedAt`: `future.experimental_firstPublishedAt` of `config/features`. */
  readonly firstPublishedAt: boolean;
  /** Whether `strapi.documents` refuses parameters with wrong values: `documents.strictParams`. */
  readonly strictDocuments: boolean;
  readonly createdStatus: 200 | 201;
  /** The action needed besides `update` to add a locale; `update` for none, as in Strapi (docs/differences.md). */
  readonly localizationPermission: 'createLocalization' | 'update';
  /** Names of attributes that are private in every type and component: `responses.privateAttributes`. */
  readonly privateAttributes: readonly string[];
  /** The most operations of one batch request. Galley's own. */
  readonly maxBatch: number;
  /** Bytes of the longest answer that the database may build. Galley's own. */
  readonly maxAnswerSize: number;
  /** The cache of answers. Galley's own. */
  readonly answerCache: {
    /** Bytes of all cached answers; 0 for no cache. */
    readonly size: number;
    /** Bytes of the longest cached answer. */
    readonly largest: number;
  };
}

/** The file service: `config/plugins` `upload`, and environment. */
export interface UploadConfig {
  /** Bytes of one file. */
  readonly sizeLimit: number;
  /** Files, fields, and bytes of all fields together, in one request. */
  readonly maxFiles: number;
  readonly maxFields: number;
  readonly maxFieldsSize: number;
  /** Media types that may be uploaded, including patterns like `image/*`; undefined for all. */
  readonly allowedTypes: readonly string[] | undefined;
  /** Media types that may not be uploaded. */
  readonly deniedTypes: readonly string[];
  readonly images: ImagesConfig;
  /** Image sizes on request; undefined if there are none. */
  readonly sizes: SizesConfig | undefined;
  readonly storage: StorageConfig;
}

/** How images are processed. */
export interface ImagesConfig {
  /** Squares, in pixels; an image that is larger gets a format that fits into the square. */
  readonly breakpoints: readonly { readonly key: string; readonly size: number }[];
  /** Pixels of an image, including all frames of an animation. */
  readonly limitInputPixels: number;
  /** Bytes of memory for all images being processed, estimated from their headers. */
  readonly memoryLimit: number;
  /** Images processed at once. */
  readonly concurrency: number;
  /** Images that may wait. */
  readonly queue: number;
  /** Milliseconds for one image. */
  readonly timeout: number;
}

/** How a resized image fills the requested size. */
export const FITS = ['cover', 'contain', 'fill', 'inside', 'outside'] as const;
/** Kinds of raster images that are processed. */
export const RASTER_KINDS = ['jpeg', 'png', 'webp', 'tiff', 'gif', 'avif'] as const;

/** What requests for image sizes may ask for; an empty list permits nothing. */
export interface SizesConfig {
  readonly widths: readonly number[];
  readonly heights: readonly number[];
  readonly fits: readonly (typeof FITS)[number][];
  readonly formats: readonly (typeof RASTER_KINDS)[number][];
  readonly qualities: readonly number[];
  /** Bytes of the cache on disk. */
  readonly cacheSize: number;
}

/** Accounts: `config/plugins` `users-permissions` and `email`, and environment. */
export interface UsersConfig {
  /** Seconds that a user token is valid. */
  readonly jwtLifespan: number;
  /** `refresh`: short-lived tokens with a refresh token; `legacy-support`: one token valid for `jwtLifespan`. */
  readonly jwtManagement: 'legacy-support' | 'refresh';
  readonly sessions: SessionsConfig;
  /** Requests of one address to one account endpoint; null for no limit. */
  readonly rateLimit: { readonly max: number; readonly windowMs: number } | null;
  /** Attributes that a registration may set besides username, email and password. */
  readonly registerFields: readonly string[];
  /** Validates a new password: code of the project. */
  readonly validatePassword: ((password: string) => unknown) | undefined;
  /** The public address of the server without trailing slash; undefined: the address that it listens at. */
  readonly publicUrl: string | undefined;
  /** In production, cookies are `Secure` unless configured otherwise. */
  readonly isProduction: boolean;
  readonly email: EmailConfig;
}

/** Sessions with refresh tokens. Lifespans are in seconds. */
export interface SessionsConfig {
  readonly accessTokenLifespan: number;
  /** Since the login. */
  readonly maxRefreshTokenLifespan: number;
  /** Since the last refresh. */
  readonly idleRefreshTokenLifespan: number;
  /** Whether refresh tokens are sent as a cookie that scripts cannot read. */
  readonly httpOnly: boolean;
  readonly cookie: {
    readonly name: string;
    /** Undefined: true in production. */
    readonly secure: boolean | undefined;
    readonly sameSite: 'lax' | 'strict' | 'none';
    readonly path: string;
    readonly domain: string | undefined;
    /** Milliseconds; undefined: until the browser closes. */
    readonly maxAge: number | undefined;
  };
}

/** The sending of webhooks. */
export interface WebhooksConfig {
  /** Headers of every request. */
  readonly defaultHeaders: Readonly<Record<string, string>>;
  /** Whether bodies contain related entries. */
  readonly populateRelations: boolean;
  /** Milliseconds in which a webhook must answer. Galley's own. */
  readonly timeout: number;
  /** Whether addresses in private networks are permitted. Galley's own. */
  readonly allowPrivateNetworks: boolean;
  /** Bytes of an entry that is sent completely. Galley's own. */
  readonly maxEntrySize: number;
}

/** How long replaced versions of a document are stored. */
export interface Retention {
  readonly days: number;
  /** The most versions of one document and locale; 0: none are recorded. */
  readonly versions: number;
}

/** The history of documents. */
export interface HistoryConfig extends Retention {
  /** Milliseconds within which changes by the same actor are recorded as one. */
  readonly interval: number;
  /** Types with values of their own, by uid. */
  readonly types: Readonly<Record<string, Retention>>;
}

/** Deleted documents that can be restored. */
export interface TrashConfig {
  /** How long they can be; 0: not at all. */
  readonly days: number;
  /** The most of them. */
  readonly documents: number;
}

/** Event streams. */
export interface EventsConfig {
  /** Open streams in total and per caller. */
  readonly listeners: number;
  readonly perCaller: number;
  /** Milliseconds after which a listener that reads nothing is disconnected. */
  readonly patience: number;
}

/** The log of actions. */
export interface AuditConfig {
  /** How long entries are stored, and how many. */
  readonly days: number;
  readonly entries: number;
  /** Receives new entries in batches. */
  readonly webhook:
    | {
        readonly url: string;
        readonly headers: Readonly<Record<string, string>>;
        /** The key of signatures. */
        readonly secret: string | undefined;
      }
    | undefined;
  /** Receives new entries as messages of RFC 5424. */
  readonly syslog:
    | {
        readonly host: string;
        readonly port: number;
        readonly protocol: 'udp' | 'tcp' | 'tls';
        /** Certificates in PEM that are trusted instead of those of Node; undefined: Node's. */
        readonly ca: string | undefined;
      }
    | undefined;
}

/** The administration app. */
export interface AdminConfig {
  /** False: the app and its API do not exist. */
  readonly enabled: boolean;
  /** The path of the app, such as `/admin`. */
  readonly path: string;
  /** Scheme and host for browsers; undefined: those of the request. */
  readonly origin: string | undefined;
  /** Attempts to sign in to one account from one network; null for no limit. */
  readonly rateLimit: { readonly max: number; readonly windowMs: number } | null;
  /** Lifespans of sessions with and without "remember me". */
  readonly sessions: { readonly remembered: SessionLifespan; readonly passing: SessionLifespan };
  readonly preview: PreviewConfig;
}

/** Milliseconds since the last use, and in total. */
export interface SessionLifespan {
  readonly idle: number;
  readonly whole: number;
}

/** Previews of drafts on the site. */
export interface PreviewConfig {
  /** Address patterns by uid; names in braces stand for values of the draft. */
  readonly urls: ReadonlyMap<string, string>;
  /** Origins that may be shown in a frame. */
  readonly origins: readonly string[];
}

/** Cross-origin requests: the settings of `strapi::cors`. */
export interface CorsConfig {
  /** Permitted origins; `*` for all; a function computes them from a request's context. */
  readonly origins: '*' | ReadonlySet<string> | ((ctx: object) => unknown);
  readonly methods: string;
  /** Permitted request headers; undefined: the reference's and those that this server reads. */
  readonly headers: string | undefined;
  /** Response headers that scripts may read. */
  readonly expose: string;
  readonly credentials: boolean;
  /** Seconds that browsers may cache a preflight answer; undefined: their default. */
  readonly maxAge: string | undefined;
}

/** Files of the project that are served at paths without a route. */
export interface PublicConfig {
  /** Serves `publicDir`; seconds that browsers cache a file. Undefined: not served. */
  readonly files: { readonly maxAge: number } | undefined;
  /** The favicon: its path in the project, and seconds that browsers cache it. Undefined: not served. */
  readonly icon: { readonly path: string; readonly maxAge: number } | undefined;
  /** The content security policy of pages; undefined for none. */
  readonly policy: string | undefined;
}

/** Compression of answers. */
export interface CompressionConfig {
  /** Bytes of the shortest body that is compressed. */
  readonly threshold: number;
  /** zlib's level; undefined for no gzip. */
  readonly gzip: number | undefined;
  /** Brotli's quality; undefined for no brotli. */
  readonly brotli: number | undefined;
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ['json', 'text'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Patterns that are searched in addresses. */
export interface AddressRules {
  /** Undefined: all addresses that are not refused. */
  readonly allowed: readonly RegExp[] | undefined;
  readonly refused: readonly RegExp[];
}

/** What the server does around every request: `config/server`, `config/middlewares`, and environment. */
export interface HttpConfig {
  /**
   * Which proxies may set `X-Forwarded-For`: none (false), the nearest proxy and private addresses (true), a number of
   * proxies, or a list of addresses.
   */
  readonly trustProxy: boolean | number | readonly string[];
  /** A request is answered only if all of these permit its address. */
  readonly addresses: readonly AddressRules[];
  /** Undefined: no cross-origin requests. */
  readonly cors: CorsConfig | undefined;
  /** Headers of every answer. */
  readonly securityHeaders: Readonly<Record<string, string>>;
  /** Undefined: answers are not compressed. */
  readonly compression: CompressionConfig | undefined;
  readonly publicFiles: PublicConfig;
  /** Bytes of a JSON body. */
  readonly jsonLimit: number;
  /** Bytes of a form. */
  readonly formLimit: number;
  /** Bytes of a text body, which only code of the project accepts. */
  readonly textLimit: number;
  /** Whether code of the project can read the raw text of a body, which signatures need. */
  readonly includeUnparsed: boolean;
  /** `Cache-Control` of public content by uid. */
  readonly cacheControl: ReadonlyMap<string, string>;
  /** Requests of one caller; undefined for no limit. */
  readonly rateLimit: { readonly max: number; readonly windowMs: number } | undefined;
  /** At `info` and below, every request is logged. */
  readonly logLevel: LogLevel;
  /** The level for lines of the project's code: `info` by default. */
  readonly codeLogLevel: LogLevel;
  /** The format of the log: for programs or for people. */
  readonly logFormat: LogFormat;
  /** The address of `/metrics`; undefined: not served. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** Limits on answers that clients read slowly. */
  readonly answers: {
    /** Milliseconds after which a connection that reads nothing is closed. */
    readonly timeout: number;
    /** Bytes of all answers that are built and not sent yet. */
    readonly memory: number;
  };
  readonly shutdown: {
    /** Milliseconds between the first 503 of `/_ready` and the end of listening. */
    readonly delay: number;
    /** Milliseconds that open requests get to finish. */
    readonly timeout: number;
  };
}

/** A global middleware of the project. */
export interface OwnMiddleware {
  /** Its name, or its resolved path in the project. */
  readonly name: string;
  /** The `resolve` setting as written; undefined if it has a name. */
  readonly resolve?: string | undefined;
  /** The path of its file in the project; undefined if there is none. */
  readonly path?: string | undefined;
}

/** The settings of the project's code. */
export interface CodeConfig {
  /** For messages: the path of `config/galley`. */
  readonly file: string;
  /** The file that its lists are to be written into, whether it is there or not. */
  readonly place: string;
  /** The whole text of that file with some lists, in one line. */
  readonly written: (lists: Pick<CodeConfig, 'serve' | 'without' | 'safeToSkip'>) => string;
  /** Actions that are served although code that may guard them is not run; ours. */
  readonly serve: readonly string[];
  /** Code that is not run: files, and names of plugins and global middlewares. What it may guard is closed; ours. */
  readonly without: readonly string[];
  /** Code that is not run and that closes nothing; ours. */
  readonly safeToSkip: readonly string[];
  /** Whether the project's code is run; ours. */
  readonly run: boolean;
  /** What all files of `config` give, by their names; those that Galley has no use for are evaluated now. */
  readonly settings: () => Promise<Readonly<Record<string, unknown>>>;
  /** Sets `strapi` in functions of the files of `config`, such as cron tasks. */
  readonly giveStrapi: (strapi: object) => void;
  /** Whether `config/server` has cron tasks. */
  readonly hasTasks: boolean;
  /** Global middlewares of the project's own. */
  readonly middlewares: readonly OwnMiddleware[];
  readonly middlewaresFile: string;
  readonly pluginsFile: string;
  /** The entries of `config/plugins`. */
  readonly plugins: readonly {
    readonly name: string;
    readonly enabled: boolean;
    /** The folder or the package of its code. */
    readonly resolve: string | undefined;
  }[];
}

export interface Config {
  /** Absolute path of the project folder. */
  readonly dir: string;
  /** The project's name. */
  readonly name: string;
  /** The version of `package.json`, or 1.0.0. */
  readonly version: string;
  readonly host: string;
  readonly port: number;
  /** The number of serving processes; `auto`: one per core. */
  readonly workers: number | 'auto';
  readonly database: DatabaseConfig;
  /** `database.indexes`. */
  readonly indexes: IndexModes;
  /** `database.settings`: whether the files of `database/migrations` run, and whether they are TypeScript. */
  readonly migrations: { readonly run: boolean; readonly typescript: boolean };
  readonly rest: RestConfig;
  readonly upload: UploadConfig;
  readonly users: UsersConfig;
  readonly http: HttpConfig;
  readonly admin: AdminConfig;
  readonly webhooks: WebhooksConfig;
  readonly events: EventsConfig;
  readonly history: HistoryConfig;
  readonly trash: TrashConfig;
  /** Undefined: nothing is recorded. */
  readonly audit: AuditConfig | undefined;
  readonly backup: BackupConfig;
  readonly code: CodeConfig;
  /** `admin.apiToken.salt`: the key of the HMAC of stored API tokens. */
  readonly apiTokenSalt: string;
  /** `admin.secrets.encryptionKey`: encrypts recoverable copies of token secrets; undefined: no copies are stored. */
  readonly encryptionKey: string | undefined;
  /** `plugin::users-permissions.jwtSecret`. */
  readonly jwtSecret: string;
  /** Absolute path of the folder of public files, including `uploads`: `<dir>/public`. */
  readonly publicDir: string;
  /** The default locale of a new database. */
  readonly initialLocale: string;
  /** Statement log: `GALLEY_LOG=sql`. */
  readonly logSql: boolean;
  /** Where settings of the site come from. */
  readonly sources: SettingSources;
  /** Warnings at start: settings that have no effect, among others. */
  readonly warnings: readonly string[];
}

/** Backups: `backup` of `config/galley`. */
export interface BackupConfig {
  /** When a backup is created, as a cron expression in UTC; undefined: only by the command. */
  readonly cron: string | undefined;
  /** The number of scheduled backups that stay. */
  readonly keep: number;
  /** Where they go: a folder, or `s3://bucket/prefix`. */
  readonly to: string;
  /** Whether they contain the files of the media library. */
  readonly files: boolean;
  /** Encrypts backups: `GALLEY_BACKUP_KEY`. */
  readonly key: string | undefined;
  /** Who receives a mail when a scheduled backup fails. */
  readonly mail: string | undefined;
  /** The object store of `s3://` addresses. */
  readonly s3: S3Access;
}

/** A mail provider that is code. */
export interface MailProvider {
  /** Its name in `config/plugins`. */
  readonly name: string;
  /** The module or package that it is loaded from. */
  readonly module: string;
  /** Loads it if necessary. @throws Error for a module that is no provider; errors of its code. */
  begin(): void;
  /** Sends a mail in the reference's form. Rejects with the provider's error. */
  send(options: object): Promise<void>;
  /** Texts of its options, which may be secret and must not be shown. */
  readonly secrets: readonly string[];
}

export interface EmailConfig {
  /**
   * An SMTP server as nodemailer takes it (a URL or options), `log`: standard error, `code`: the provider that is code,
   * or `none`: no mail is sent.
   */
  readonly transport: string | Readonly<Record<string, unknown>> | 'log' | 'code' | 'none';
  /** The provider that is code, if `transport` is `code`. */
  readonly code?: MailProvider | undefined;
  /** The configured provider, if it is no SMTP server. */
  readonly provider?: string | undefined;
  /** A configured provider that does not exist; undefined if mail does not depend on it. */
  readonly unsupported?: string | undefined;
  readonly defaultFrom: string | undefined;
  readonly defaultReplyTo: string | undefined;
}

/** Keys of an object store account. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Only of temporary keys. */
  readonly sessionToken?: string | undefined;
  /** When temporary keys expire. */
  readonly expiration?: Date | undefined;
}

/** A bucket of an S3-compatible object store. */
export interface S3Config extends S3Access {
  /** The `files.provider` of its files. */
  readonly provider: string;
  readonly bucket: string;
  /** The prefix of every key, without slashes at its ends; may be empty. */
  readonly prefix: string;
  /** Whether objects can only be read with signed addresses. */
  readonly private: boolean;
  /** Canned ACL of new objects; undefined: the bucket's default. */
  readonly acl: string | undefined;
  /** Where objects are served, if not by the store: `https://cdn.example.com`. */
  readonly baseUrl: string | undefined;
  /** Seconds that a signed address is valid. */
  readonly signedUrlExpires: number;
}

/** How an object store is reached. */
export interface S3Access {
  readonly region: string;
  /** `https://host:port`; undefined: AWS in the region. */
  readonly endpoint: string | undefined;
  /** Whether addresses have the bucket in their path; undefined: if it cannot be part of the host name. */
  readonly pathStyle: boolean | undefined;
  /** Undefined: the places where AWS's own programs look. */
  readonly credentials: S3Credentials | (() => Promise<S3Credentials>) | undefined;
}

/** An upload provider that is code. It is run when it is first needed. */
export interface ProviderCode {
  /** Its name in `config/plugins` and in records of files. */
  readonly name: string;
  /** The module or package that it is loaded from. */
  readonly module: string;
  /** The result of its `init`. @throws Error for a module that is no provider; errors of its code. */
  start(): Readonly<Record<string, unknown>>;
  /** The configured options of a method. */
  optionsOf(method: string): unknown;
  /** Texts of its options, which may be secret and must not be shown. */
  readonly secrets: readonly string[];
}

/** The storage of files. */
export interface StorageConfig {
  /** Where new files go; `unsupported`: the provider does not exist, its files are read-only. */
  readonly store: 'local' | 's3' | 'code' | 'unsupported';
  /** The provider's name in records. */
  readonly provider: string;
  /** The configured object store, even if new files go elsewhere. */
  readonly s3: S3Config | undefined;
  /** The provider that is code, if `store` is `code`. */
  readonly code?: ProviderCode | undefined;
}
