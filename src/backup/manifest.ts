/**
 * The form of a backup: a tar archive, in gzip, of the database (`database`), the files (`files/<provider>/<key>`), the
 * checksums of these entries as sha256sum writes them (`checksums.txt`), and `backup.json` at the end. A backup without
 * its end is cut off.
 */
import type { TableRows } from '../db/interface/database-copies.ts';
import { UsageError } from '../errors.ts';

export const DATABASE_ENTRY = 'database';
export const FILES_FOLDER = 'files/';
export const CHECKSUMS_ENTRY = 'checksums.txt';
export const MANIFEST_ENTRY = 'backup.json';
/** The most bytes of the manifest, which has a line for each table. */
export const LARGEST_MANIFEST = 4 * 1024 * 1024;

/** The version of the form. */
const VERSION = 1;

/** The last entry of a backup. */
export interface Manifest {
  readonly galleyBackup: number;
  /** ISO 8601. */
  readonly createdAt: string;
  /** The version of Galley. */
  readonly galley: string;
  readonly database: {
    /** `DatabaseCopies.form` */
    readonly form: string;
    readonly rows: TableRows;
  };
  readonly files: { readonly count: number; readonly bytes: number; readonly missing: number };
  /** The SHA-256 of `checksums.txt`. */
  readonly checksums: string;
}

/** Writes the manifest. */
export const manifestText = (manifest: Omit<Manifest, 'galleyBackup'>): Buffer =>
  Buffer.from(`${JSON.stringify({ galleyBackup: VERSION, ...manifest }, null, 2)}\n`);

/** Reads a manifest. @throws UsageError if it is none, or of a later version. */
export function parseManifest(text: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const manifest = value as Manifest | null | undefined;
  if (typeof manifest?.galleyBackup !== 'number') throw new UsageError('its backup.json is none of a backup', 1);
  if (manifest.galleyBackup > VERSION) throw new UsageError('the backup is of a later version of Galley', 1);
  return manifest;
}

/** The line of an entry in `checksums.txt`. Names have no line breaks. */
export const checksumLine = (sha256: string, name: string): string => `${sha256}  ${name}\n`;
