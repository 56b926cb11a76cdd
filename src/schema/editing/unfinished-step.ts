/**
 * The record of a change of schema files that is being made: a file of the project with the texts of before and after,
 * from which a start finishes or reverts the change of a process that ended.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../plain-values.ts';
import type { FileChange } from './editing.ts';
import { currentText, removeTemporary, replaceFile, UnsafePath } from './write-files.ts';

/** The record, inside the project. */
export const STEP_FILE = '.galley-schema-change.json';

export interface UnfinishedStep {
  /** The database has this id once it has the content at its new places. */
  readonly id: string;
  /** The name of the process that makes the change. */
  readonly process: string;
  readonly files: readonly FileChange[];
}

/** Records a change before its first file is written. */
export function recordStep(dir: string, process: string, files: readonly FileChange[]): UnfinishedStep {
  const step = { id: randomBytes(16).toString('hex'), process, files };
  replaceFile(join(dir, STEP_FILE), JSON.stringify(step));
  return step;
}

/** Ends a change: all of its files, and the content, are as they have to be. */
export function endStep(dir: string): void {
  rmSync(join(dir, STEP_FILE), { force: true });
}

/** The change that has begun in a project and has not ended; undefined if there is none. */
export function unfinishedStep(dir: string): UnfinishedStep | undefined {
  const path = join(dir, STEP_FILE);
  if (!existsSync(path)) return undefined;
  try {
    const step: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isObject(step) && Array.isArray(step['files'])) return step as unknown as UnfinishedStep;
  } catch {
    // reported below
  }
  return { id: '', process: '', files: [] };
}

/**
 * Finishes a change or reverts it, and removes its temporary files.
 *
 * @param isDone whether the database has the content at its new places.
 * @returns the files that were changed by others since. Nothing is written then.
 */
export function settleFiles(dir: string, { files }: UnfinishedStep, isDone: boolean): string[] {
  const all = files.map(({ file, before, after }) => {
    const [from, to] = isDone ? [before, after] : [after, before];
    return { file, from, to, now: textNow(dir, file) };
  });
  const changed = all.filter(({ now, from, to }) => now !== from && now !== to);
  if (changed.length > 0) return changed.map(({ file }) => file);
  for (const { file, to, now } of all) {
    removeTemporary(dir, file);
    if (now !== to || to === null) replaceFile(join(dir, file), to, dir);
  }
  return [];
}

/** The text of a file; undefined if it may not be written. */
function textNow(dir: string, file: string): string | null | undefined {
  try {
    return currentText(dir, file);
  } catch (error) {
    if (error instanceof UnsafePath) return undefined;
    throw error;
  }
}
