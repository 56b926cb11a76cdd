/** The file by which workers on SQLite tell one another of commits (db/sqlite/commit-signal.ts), in a temporary folder. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export class SignalFile {
  /** Undefined where none can be made: workers do without. */
  readonly path: string | undefined;

  constructor() {
    try {
      const file = path.join(fs.mkdtempSync(path.join(tmpdir(), 'galley-workers-')), 'commits');
      fs.writeFileSync(file, '');
      this.path = file;
    } catch {
      // no temporary folder can be written to
    }
  }

  remove(): void {
    if (this.path !== undefined) fs.rmSync(path.dirname(this.path), { recursive: true, force: true });
  }
}
