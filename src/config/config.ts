/** The project's configuration, read once at start and frozen. */

export type DatabaseConfig =
  | { readonly client: 'sqlite'; readonly filename: string }
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
      /** Milliseconds that one statement may take; 0: any time. */
      readonly statementTimeout: number;
    };

export interface RestConfig {
  /** Path prefix of the content API: `/api`. */
  readonly prefix: string;
  readonly defaultLimit: number;
  /** Null: no maximum. */
  readonly maxLimit: number | null;
  readonly withCount: boolean;
  readonly createdStatus: 200 | 201;
  /** The action that making a new locale version takes beside `update`; `update`: none, as in Strapi (decisions.md). */
  readonly localizationPermission: 'createLocalization' | 'update';
  /** The most operations that one batch request may hold; ours. */
  readonly maxBatch: number;
}

/** The file service: `config/plugins` `upload`, and environment. */
export interface UploadConfig {
  /** Bytes that one file may have. */
  readonly sizeLimit: number;
}

/** Accounts: `config/plugins` `users-permissions` and `email`, and environment. */
export interface UsersConfig {
  /** How long a user token lives, in seconds. */
  readonly jwtLifespan: number;
}

/** What the server does around every request: `config/server`, `config/middlewares`, and environment. */
export interface HttpConfig {
  /** Whether `X-Forwarded-*` headers are believed, and of whom: as Fastify's `trustProxy`. */
  readonly trustProxy: boolean | number | readonly string[];
}

export interface Config {
  /** Absolute path of the project folder. */
  readonly dir: string;
  readonly host: string;
  readonly port: number;
  readonly database: DatabaseConfig;
  readonly rest: RestConfig;
  readonly upload: UploadConfig;
  readonly users: UsersConfig;
  readonly http: HttpConfig;
  /** `admin.apiToken.salt`: keys the HMAC of stored API tokens. */
  readonly apiTokenSalt: string;
  /** `admin.secrets.encryptionKey`: encrypts the recoverable copy of token secrets; undefined: none is kept. */
  readonly encryptionKey: string | undefined;
  /** `plugin::users-permissions.jwtSecret`. */
  readonly jwtSecret: string;
  /** Absolute path of the folder whose `uploads` is served: `<dir>/public`. */
  readonly publicDir: string;
  /** Statement log: `GALLEY_LOG=sql`. */
  readonly logSql: boolean;
  /** Sentences for the start-up warning: configuration keys not honoured, custom code not run. */
  readonly warnings: readonly string[];
}
