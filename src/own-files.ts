/**
 * Where the files of this package are. The compiled program is bundled: what a module was written next to tells nothing of
 * where it runs. This module lies in `src`, and what contains it in `dist`, so only this one asks where it is.
 */
import path from 'node:path';

/** The folder of the running program: `src`, or `dist` where it is compiled. */
export const PROGRAM_FOLDER = import.meta.dirname;

/** The folder of the package, in a checkout as where it is installed. */
export const PACKAGE_FOLDER = path.dirname(PROGRAM_FOLDER);

/** Modules that start as threads and processes of their own, by their paths without endings. Each is built as a file. */
export const ENTRIES = [
  'main',
  'content/validation/password-worker',
  'db/sqlite/readers/parent-watch',
  'db/sqlite/readers/reader-process',
  'media/images/image-process',
  'users/mail/mail-worker',
] as const;

/** The file of such a module: source or compiled, as what runs is. */
export const entryFile = (entry: (typeof ENTRIES)[number]): string =>
  path.join(PROGRAM_FOLDER, `${entry}${path.extname(import.meta.filename)}`);
