/** The project's configuration, read at once and frozen. */
import type { EmailConfig } from './mail/mail-types.ts';
import type { StorageConfig } from './uploads/storage-types.ts';

/** What is done about indexes that slow reads lack: they are made, told of, or not looked for. */
export type IndexMode = 'auto' | 'suggest' | 'off';

/** The same of ordinary indexes and of search indexes. */
export interface IndexModes {
  readonly learn: IndexMode;
  readonly search: IndexMode;
}

export type DatabaseConfig =
  | {
      readonly client: 'sqlite';
      readonly filename: string;
      /** Milliseconds that a read may take; 0: any time. */
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
      /** Milliseconds that a read may take; 0: any time. */
      readonly readTimeout: number;
      /** Milliseconds that one statement may take; 0: any time. */
      readonly statementTimeout: number;
      /**
       * Milliseconds after which tokens, roles, accounts and locales are read again in case another program has changed
       * them.
       */
      readonly recheckInterval: number;
    };

export interface RestConfig {
  /** Path prefix of the content API: `/api`. */
  readonly prefix: string;
  readonly defaultLimit: number;
  /** Null: no maximum. */
  readonly maxLimit: number | null;
  readonly withCount: boolean;
  /** Whether requests for content with parameters that nobody knows are refused. */
  readonly strictParams: boolean;
  /** Whether `required` counts for relations and media: `documents.strictRelations`. */
  readonly strictRelations: boolean;
  /** Whether types with drafts have `firstPublishedAt`: `future.experimental_firstPublishedAt` of `config/features`. */
  readonly firstPublishedAt: boolean;
  /** Whether `strapi.documents` refuses parameters with wrong values: `documents.strictParams`. */
  readonly strictDocuments: boolean;
  readonly createdStatus: 200 | 201;
  /**
   * The action that making a new locale version needs besides `update`; `update`: none, as in Strapi
   * (docs/differences.md).
   */
  readonly localizationPermission: 'createLocalization' | 'update';
  /** Names of attributes that are private in every type and component: `responses.privateAttributes`. */
  readonly privateAttributes: readonly string[];
  /** The most operations that one batch request may contain; ours. */
  readonly maxBatch: number;
  /** Bytes of the longest answer that the database may make; ours. */
  readonly maxAnswerSize: number;
  /** Answers that are kept in memory; ours. */
  readonly answerCache: {
    /** Bytes of all of them; 0: none is kept. */
    readonly size: number;
    /** Bytes of the longest one that is kept. */
    readonly largest: number;
  };
}

/** The file service: `config/plugins` `upload`, and environment. */
export interface UploadConfig {
  /** Bytes that one file may have. */
  readonly sizeLimit: number;
  /** Files, fields, and bytes of all fields together, that one request may have. */
  readonly maxFiles: number;
  readonly maxFields: number;
  readonly maxFieldsSize: number;
  /** Media types that may be uploaded, `image/*` and the like included; undefined: all. */
  readonly allowedTypes: readonly string[] | undefined;
  /** Media types that may not be uploaded. */
  readonly deniedTypes: readonly string[];
  readonly images: ImagesConfig;
  /** Sizes made when they are asked for; undefined: none. */
  readonly sizes: SizesConfig | undefined;
  readonly storage: StorageConfig;
}

/** How images are processed. */
export interface ImagesConfig {
  /** Squares, in pixels, that larger images get a format inside of. */
  readonly breakpoints: readonly { readonly key: string; readonly size: number }[];
  /** Pixels that an image may have, all frames of a moving one together. */
  readonly limitInputPixels: number;
  /** Bytes of memory that the images being processed may take, estimated from their headers. */
  readonly memoryLimit: number;
  /** Images at once. */
  readonly concurrency: number;
  /** Images that may wait for their turn. */
  readonly queue: number;
  /** Milliseconds that one image may take. */
  readonly timeout: number;
}

/** How a resized image fills the sizes asked for. */
export const FITS = ['cover', 'contain', 'fill', 'inside', 'outside'] as const;
/** Kinds of raster images that are processed. */
export const RASTER_KINDS = ['jpeg', 'png', 'webp', 'tiff', 'gif', 'avif'] as const;

/** What may be asked of images on the fly; an empty list: nothing of that. */
export interface SizesConfig {
  readonly widths: readonly number[];
  readonly heights: readonly number[];
  readonly fits: readonly (typeof FITS)[number][];
  readonly formats: readonly (typeof RASTER_KINDS)[number][];
  readonly qualities: readonly number[];
  /** Bytes of made sizes that are kept on disk. */
  readonly cacheSize: number;
}

/** Accounts: `config/plugins` `users-permissions` and `email`, and environment. */
export interface UsersConfig {
  /** How long a user token lives, in seconds. */
  readonly jwtLifespan: number;
  /** `refresh`: short tokens that a refresh token renews; `legacy-support`: one token that lives `jwtLifespan`. */
  readonly jwtManagement: 'legacy-support' | 'refresh';
  readonly sessions: SessionsConfig;
  /** Requests to one account endpoint by one address; null: any number. */
  readonly rateLimit: { readonly max: number; readonly windowMs: number } | null;
  /** Attributes that a registration may set besides user name, e-mail address and password. */
  readonly registerFields: readonly string[];
  /** Whether a new password is good enough, as the project's own code says. */
  readonly validatePassword: ((password: string) => unknown) | undefined;
  /** Where clients reach the server, without a slash at the end; undefined: the address that it listens at. */
  readonly publicUrl: string | undefined;
  /** Whether cookies are for encrypted connections only, unless the configuration says so. */
  readonly isProduction: boolean;
  readonly email: EmailConfig;
}

/** Sessions with refresh tokens; lifespans in seconds. */
export interface SessionsConfig {
  readonly accessTokenLifespan: number;
  /** From the login on. */
  readonly maxRefreshTokenLifespan: number;
  /** From the last refresh on. */
  readonly idleRefreshTokenLifespan: number;
  /** Whether refresh tokens are given as a cookie that scripts cannot read. */
  readonly httpOnly: boolean;
  readonly cookie: {
    readonly name: string;
    /** Undefined: in production. */
    readonly secure: boolean | undefined;
    readonly sameSite: 'lax' | 'strict' | 'none';
    readonly path: string;
    readonly domain: string | undefined;
    /** Milliseconds; undefined: until the browser ends. */
    readonly maxAge: number | undefined;
  };
}

/** How webhooks are sent. */
export interface WebhooksConfig {
  /** Headers of every request. */
  readonly defaultHeaders: Readonly<Record<string, string>>;
  /** Whether bodies show what relations lead to. */
  readonly populateRelations: boolean;
  /** Milliseconds in which a webhook has to answer; ours. */
  readonly timeout: number;
  /** Whether addresses of private networks are sent to; ours. */
  readonly allowPrivateNetworks: boolean;
  /** Bytes of an entry that is sent as a whole; ours. */
  readonly maxEntrySize: number;
}

/** Streams of changes. */
export interface EventsConfig {
  /** How many may be open, altogether and of one caller. */
  readonly listeners: number;
  readonly perCaller: number;
  /** Milliseconds after which one who takes nothing of what waits for it is cut off. */
  readonly patience: number;
}

/** The administration app. */
export interface AdminConfig {
  /** False: neither the app nor its API is there. */
  readonly enabled: boolean;
  /** Where the app is, with a slash in front and none behind: `/admin`. */
  readonly path: string;
  /** Scheme and host under which browsers reach it; undefined: those of their requests. */
  readonly origin: string | undefined;
  /** Attempts to sign in to one account from one network; null: no limit. */
  readonly rateLimit: { readonly max: number; readonly windowMs: number } | null;
  /** How long a session lives that the browser remembers, and one that it does not. */
  readonly sessions: { readonly remembered: SessionLifespan; readonly passing: SessionLifespan };
  readonly preview: PreviewConfig;
}

/** In milliseconds: from its last use on, and altogether. */
export interface SessionLifespan {
  readonly idle: number;
  readonly whole: number;
}

/** Where the site shows drafts. */
export interface PreviewConfig {
  /** Addresses by uid, with names in braces for values of the draft. */
  readonly urls: ReadonlyMap<string, string>;
  /** Origins that the app may show in a frame. */
  readonly origins: readonly string[];
}

/** What pages of other origins may do: the settings of `strapi::cors`. */
export interface CorsConfig {
  /** Origins that are answered; `*`: every one; a function of a request's context gives them for that request. */
  readonly origins: '*' | ReadonlySet<string> | ((ctx: object) => unknown);
  readonly methods: string;
  /** The headers that a request may have; undefined: the reference's, and those that this server reads. */
  readonly headers: string | undefined;
  /** The headers of answers that scripts may read. */
  readonly expose: string;
  readonly credentials: boolean;
  /** Seconds that browsers may remember an answer; undefined: as they like. */
  readonly maxAge: string | undefined;
}

/** Files of the project that are served at paths which nothing else answers. */
export interface PublicConfig {
  /** Those of `publicDir`, and for how many seconds browsers keep them; undefined: none. */
  readonly files: { readonly maxAge: number } | undefined;
  /** The favicon, by its path from the project's folder, and for how many seconds; undefined: none. */
  readonly icon: { readonly path: string; readonly maxAge: number } | undefined;
  /** What pages among them may load; undefined: anything. */
  readonly policy: string | undefined;
}

/** How answers are compressed. */
export interface CompressionConfig {
  /** Bytes of the shortest body that is compressed. */
  readonly threshold: number;
  /** zlib's level; undefined: clients get no gzip. */
  readonly gzip: number | undefined;
  /** Brotli's quality; undefined: clients get no brotli. */
  readonly brotli: number | undefined;
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ['json', 'text'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Patterns of addresses, looked for anywhere in them. */
export interface AddressRules {
  /** Undefined: all are let in that are not refused. */
  readonly allowed: readonly RegExp[] | undefined;
  readonly refused: readonly RegExp[];
}

/** What the server does around every request: `config/server`, `config/middlewares`, and environment. */
export interface HttpConfig {
  /**
   * Whose `X-Forwarded-For` is trusted: none; that of the nearest proxy and of private addresses (true); of as
   * many proxies; of these addresses.
   */
  readonly trustProxy: boolean | number | readonly string[];
  /** Whose requests are answered; a request must be let in by each of these. */
  readonly addresses: readonly AddressRules[];
  /** Undefined: other origins are not answered. */
  readonly cors: CorsConfig | undefined;
  /** Headers that every answer carries. */
  readonly securityHeaders: Readonly<Record<string, string>>;
  /** Undefined: answers are not compressed. */
  readonly compression: CompressionConfig | undefined;
  readonly publicFiles: PublicConfig;
  /** Bytes of a JSON body. */
  readonly jsonLimit: number;
  /** Bytes of a form. */
  readonly formLimit: number;
  /** Bytes of a text, which code of the project alone takes. */
  readonly textLimit: number;
  /** Whether code of the project gets the text of a body beside what it says: signatures are of the text. */
  readonly includeUnparsed: boolean;
  /** `Cache-Control` of what the public reads, by uid of the content type. */
  readonly cacheControl: ReadonlyMap<string, string>;
  /** Requests that one caller may make; undefined: any number. */
  readonly rateLimit: { readonly max: number; readonly windowMs: number } | undefined;
  /** From `info` on, every request has a line. */
  readonly logLevel: LogLevel;
  /** From which level on lines of the project's code are logged: `info` where no level is set. */
  readonly codeLogLevel: LogLevel;
  /** Whether lines of the log are for programs or for people. */
  readonly logFormat: LogFormat;
  /** Where `/metrics` is served; undefined: nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** Limits on answers that clients do not read. */
  readonly answers: {
    /** Milliseconds after which a connection is closed that took nothing of what it is sent. */
    readonly timeout: number;
    /** Bytes of all answers that are made and not taken yet. */
    readonly memory: number;
  };
  readonly shutdown: {
    /** Milliseconds between `/_ready` telling the end and the end of listening. */
    readonly delay: number;
    /** Milliseconds that requests in flight get to end. */
    readonly timeout: number;
  };
}

/** A global middleware of the project's own. */
export interface OwnMiddleware {
  /** Its name, or the path in the project that it is resolved to. */
  readonly name: string;
  /** What is to be resolved, as it is written; undefined for one that has a name. */
  readonly resolve?: string | undefined;
  /** The path of the file that this is, in the project; undefined where there is none. */
  readonly path?: string | undefined;
}

/** Code of the project, which is not run, as the configuration knows it. */
export interface CodeConfig {
  /** For messages: the path of `config/galley`. */
  readonly file: string;
  /** The file that its lists are to be written into, whether it is there or not. */
  readonly place: string;
  /** The whole text of that file with some lists, in one line. */
  readonly written: (lists: Pick<CodeConfig, 'serve' | 'safeToSkip'>) => string;
  /** Actions that are served although code that guards them is not run; ours. */
  readonly serve: readonly string[];
  /** Code that nothing is closed for: files, and names of global middlewares; ours. */
  readonly safeToSkip: readonly string[];
  /** Files of which a start has found that they ask for what is not there, with what and where. */
  readonly refused?: ReadonlyMap<string, string>;
  /** Whether the project's code is run; ours. */
  readonly run: boolean;
  /** What all files of `config` give, by their names; those that Galley has no use for are evaluated now. */
  readonly settings: () => Promise<Readonly<Record<string, unknown>>>;
  /** Has the name `strapi` mean something in what the files of `config` have given, such as cron tasks. */
  readonly giveStrapi: (strapi: object) => void;
  /** Whether `config/server` has cron tasks. */
  readonly hasTasks: boolean;
  /** Global middlewares of the project's own. */
  readonly middlewares: readonly OwnMiddleware[];
  readonly middlewaresFile: string;
  /** The entries of `config/plugins`. */
  readonly plugins: readonly {
    readonly name: string;
    readonly enabled: boolean;
    /** The folder or the package of its code. */
    readonly resolve: string | undefined;
  }[];
  /** What is asked to be run and is not there, in words. */
  readonly foreign: readonly string[];
}

export interface Config {
  /** Absolute path of the project folder. */
  readonly dir: string;
  /** What the project is called. */
  readonly name: string;
  /** What its `package.json` says, or 1.0.0. */
  readonly version: string;
  readonly host: string;
  readonly port: number;
  /** Processes that serve it; `auto`: as many as there are cores. */
  readonly workers: number | 'auto';
  readonly database: DatabaseConfig;
  /** `database.indexes`. */
  readonly indexes: IndexModes;
  /** `database.settings`: whether the files of `database/migrations` are run, and whether they are TypeScript. */
  readonly migrations: { readonly run: boolean; readonly typescript: boolean };
  readonly rest: RestConfig;
  readonly upload: UploadConfig;
  readonly users: UsersConfig;
  readonly http: HttpConfig;
  readonly admin: AdminConfig;
  readonly webhooks: WebhooksConfig;
  readonly events: EventsConfig;
  readonly code: CodeConfig;
  /** `admin.apiToken.salt`: keys the HMAC of stored API tokens. */
  readonly apiTokenSalt: string;
  /** `admin.secrets.encryptionKey`: encrypts the recoverable copy of token secrets; undefined: none is kept. */
  readonly encryptionKey: string | undefined;
  /** `plugin::users-permissions.jwtSecret`. */
  readonly jwtSecret: string;
  /** Absolute path of the folder whose files, `uploads` among them, are served: `<dir>/public`. */
  readonly publicDir: string;
  /** Code of the default locale of a new database. */
  readonly initialLocale: string;
  /** Statement log: `GALLEY_LOG=sql`. */
  readonly logSql: boolean;
  /** Sentences for the start-up warning: configuration keys that have no effect. */
  readonly warnings: readonly string[];
}
