/** The part of `galley doctor` that compares stored files with their records. */
import type { App } from '../../app.ts';
import { UsageError } from '../../errors.ts';
import {
  examineFiles,
  type FileFindings,
  type Orphan,
  removeOrphans,
  type Subject,
} from '../../media/doctor/stored-files.ts';
import { table } from '../table.ts';

/** Lines printed of one problem; the rest is counted. */
const LISTED = 50;

const ORPHANS: Readonly<Record<Orphan['kind'], { readonly problem: string; readonly remedy: string }>> = {
  left: { problem: 'stored file without a record', remedy: '--fix: remove it' },
  recent: {
    problem: 'stored file without a record yet',
    remedy: 'look again in an hour: it may be an upload under way',
  },
  elsewhere: {
    problem: 'stored file whose record points elsewhere',
    remedy: 'is the store configured as it was? after a move: galley media move --remove-source',
  },
  unclaimed: {
    problem: 'stored file in a library without records',
    remedy: 'is this its database? after a move: galley media move --remove-source',
  },
  foreign: { problem: 'stored file that is no upload', remedy: 'left alone: only you can tell what it is' },
};
const MISSING = {
  problem: 'record whose bytes are missing',
  remedy: 'restore the file, replace it, or delete the record',
};

/** Prints the problems of stored files, repairs them if that is wanted, and returns whether any are left. */
export async function examineStored(app: App, fix: boolean, print: (line: string) => void): Promise<'fine' | 'wrong'> {
  const { database, layout, stores } = app;
  const subject: Subject = { db: database, layout, stores: stores.stores };
  const findings = await reaching(examineFiles(subject));
  const { orphans, missing } = findings;
  // a file that nobody uploaded breaks nothing
  const problems = orphans.filter(({ kind }) => kind !== 'foreign').length + missing.length;
  printFiles(findings, print);
  if (!fix || problems === 0) return problems === 0 ? 'fine' : 'wrong';
  const removed = await reaching(removeOrphans(subject, orphans));
  if (removed.length > 0) {
    const bytes = removed.reduce((sum, { object }) => sum + object.size, 0);
    print(`removed ${removed.length} stored ${removed.length === 1 ? 'file' : 'files'}, ${sizeText(bytes)}`);
  }
  return removed.length === problems ? 'fine' : 'wrong';
}

async function reaching<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new UsageError(`the stored files cannot be listed: ${(error as Error).message}`, 1);
  }
}

function printFiles({ orphans, missing }: FileFindings, print: (line: string) => void): void {
  for (const [kind, texts] of Object.entries(ORPHANS)) {
    const found = orphans.filter((orphan) => orphan.kind === kind);
    const rows = found.map(({ storage, object }) => ({ place: storage.name, file: object.key, size: object.size }));
    printProblem(texts, rows, print);
  }
  const rows = missing.map(({ recordId, name, provider, url, size }) => {
    return { place: provider, file: `${url} (id ${recordId}, ${name})`, size };
  });
  printProblem(MISSING, rows, print);
}

function printProblem(
  { problem, remedy }: { readonly problem: string; readonly remedy: string },
  files: readonly { readonly place: string; readonly file: string; readonly size: number }[],
  print: (line: string) => void,
): void {
  if (files.length === 0) return;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  print(`${problem}: ${files.length}, ${sizeText(bytes)} (${remedy})`);
  const rows = files.slice(0, LISTED).map(({ place, file, size }) => [`  ${place}`, file, sizeText(size)]);
  for (const line of table(['  store', 'file', 'size'], rows)) print(line);
  if (files.length > LISTED) print(`  and ${files.length - LISTED} more`);
}

/** Bytes for a person: `14.2 KB`. */
function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const exponent = Math.min(4, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** exponent).toFixed(1)} ${['B', 'KB', 'MB', 'GB', 'TB'][exponent]}`;
}
