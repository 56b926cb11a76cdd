/** The file by which workers on SQLite tell one another of commits (db/sqlite/commit-signal.ts), in a temporary folder. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Makes one, in a folder of its own, and gives its path; undefined where none can be made: workers do without. */
export function makeSignalFile(): string | undefined {
  let file: string | undefined;
  try {
    file = path.join(fs.mkdtempSync(path.join(tmpdir(), 'galley-workers-')), 'commits');
    // not empty: to write the byte again takes no room, whatever becomes of the disk
    fs.writeFileSync(file, '.');
    return file;
  } catch {
    removeSignalFile(file);
    return undefined;
  }
}

/** Removes one and its folder, where that is possible. */
export function removeSignalFile(file: string | undefined): void {
  if (file === undefined) return;
  try {
    fs.rmSync(path.dirname(file), { recursive: true, force: true });
  } catch {
    // the folder cannot be changed any more: what is left is a byte
  }
}
