/** Where the bytes of files go, as the configuration says it. */

/** Keys of an account of the object store. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary keys. */
  readonly sessionToken?: string | undefined;
  /** When temporary keys end. */
  readonly expiration?: Date | undefined;
}

/** A bucket of an S3-compatible object store. */
export interface S3Config {
  /** What `files.provider` says of its files. */
  readonly provider: string;
  readonly bucket: string;
  readonly region: string;
  /** `https://host:port`; undefined: that of AWS in the region. */
  readonly endpoint: string | undefined;
  /** In front of every key, without slashes at its ends; may be empty. */
  readonly prefix: string;
  /** Whether the bucket is in the path of addresses; undefined: if it cannot be part of the host name. */
  readonly pathStyle: boolean | undefined;
  /** Whether objects can be read only with signed addresses. */
  readonly private: boolean;
  /** Canned ACL of new objects; undefined: the bucket's own. */
  readonly acl: string | undefined;
  /** Where objects are served instead of the store itself: `https://cdn.example.com`. */
  readonly baseUrl: string | undefined;
  /** Seconds that a signed address lives. */
  readonly signedUrlExpires: number;
  /** Undefined: where AWS's own programs look for them. */
  readonly credentials: S3Credentials | (() => Promise<S3Credentials>) | undefined;
}

/** A provider of uploads that is code. It is run when it is first asked for. */
export interface ProviderCode {
  /** What `config/plugins` calls it, as records of files do. */
  readonly name: string;
  /** What it is loaded from. */
  readonly module: string;
  /** What its `init` gives. @throws Error for a module that is no provider; whatever its code throws. */
  start(): Readonly<Record<string, unknown>>;
  /** What a method is given besides the file. */
  optionsOf(method: string): unknown;
}

/** Where the bytes of files are. */
export interface StorageConfig {
  /** Where new files go; `unsupported`: a provider that Galley has not, whose files is read-only. */
  readonly store: 'local' | 's3' | 'code' | 'unsupported';
  /** The provider's name, as records have it. */
  readonly provider: string;
  /** The object store that is configured, even where new files go elsewhere. */
  readonly s3: S3Config | undefined;
  /** The provider that is code of the project, where new files go to that. */
  readonly code?: ProviderCode | undefined;
}
