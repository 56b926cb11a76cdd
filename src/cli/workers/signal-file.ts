/** The temporary file through which workers on SQLite signal commits (db/sqlite/commit-signal.ts). */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Creates the file in a folder of its own, and returns its path; undefined if that fails. Workers do not depend on it. */
export function makeSignalFile(): string | undefined {
  let file: string | undefined;
  try {
    file = path.join(fs.mkdtempSync(path.join(tmpdir(), 'galley-workers-')), 'commits');
    // one byte, so that later writes need no space on a full disk
    fs.writeFileSync(file, '.');
    return file;
  } catch {
    removeSignalFile(file);
    return undefined;
  }
}

/** Removes the file and its folder if possible. */
export function removeSignalFile(file: string | undefined): void {
  if (file === undefined) return;
  try {
    fs.rmSync(path.dirname(file), { recursive: true, force: true });
  } catch {
    // the remaining file has one byte
  }
}
