/** How much code of a project is read at start (docs/reference/limits.md). What is beyond counts as code that refuses. */
export interface SourceLimits {
  /** Files and folders below `src`, and below `config`, those behind links counted under each path. */
  readonly paths: number;
  /** Bytes of one file. */
  readonly file: number;
  /** Bytes of all files. */
  readonly bytes: number;
  /** Bytes of all files of one plugin that is a package. */
  readonly plugin: number;
}

export const SOURCE_LIMITS: SourceLimits = {
  paths: 20_000,
  file: 1024 ** 2,
  bytes: 16 * 1024 ** 2,
  plugin: 4 * 1024 ** 2,
};
