/** `galley media move`: a whole library from the local disk to the object store, or back. */
import { openProject } from '../app.ts';
import { counted } from '../counted.ts';
import { UsageError } from '../errors.ts';
import { failureText, type LeftFile, type MoveProgress, moveLibrary, removeMoved } from '../media/move.ts';
import { meant } from '../nearest.ts';
import { secretsIfNew } from '../new-secrets.ts';
import { type Command, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';

export const mediaMoveCommand: Command = {
  name: 'media move',
  summary: 'move all files to the object store, or back',
  help: `galley media move --to s3|local [DIR] [--remove-source]

Copies every file of the project in DIR (default: the working folder) from the local disk to the object store that is
configured, or back, checks each copy by its SHA-256, and then changes its record: addresses work at any time, so a
server may run meanwhile. What was copied is not copied again by another run, which goes on where this one ended. New
files go where the configuration says: change that first (UPLOAD_PROVIDER), so that no more come to the old store. Files
whose bytes are missing, or that cannot be moved, are listed and stay as they are, and the exit code is 1.

  --to s3|local     where to
  --remove-source   then removes the old bytes, if every file was moved, in this run or an earlier one`,
  run,
};

async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { print, warn, env } = surroundings;
  const options = { to: { type: 'string' }, 'remove-source': { type: 'boolean' } } as const;
  const { flag, switched, positionals } = readArguments('media move', args, options, ['DIR']);
  const target = flag('to');
  if (target !== 's3' && target !== 'local') {
    const hint = target ? `, not ${target}${meant(target, ['s3', 'local'])}` : '';
    throw new UsageError(`galley media move needs --to s3 or --to local${hint}`);
  }
  const app = await openProject(positionals[0] ?? WORKING_FOLDER, { env, newSecrets: secretsIfNew });
  try {
    const { stores } = app.stores;
    const { s3, store } = app.config.upload.storage;
    if (!s3) throw new UsageError('no object store is configured: set S3_BUCKET, or name one in config/plugins');
    const local = stores.find(({ name }) => name === 'local')!;
    const bucket = stores.find(({ name }) => name === s3.provider)!;
    const [from, to] = target === 's3' ? [local, bucket] : [bucket, local];
    const progress = progressLine<MoveProgress>(surroundings, lineOf);
    const { database, writer, media } = app;
    // what a replacement that was cut off has overwritten must not be copied
    await media.settle();
    const request = { database, writer, leases: media.leases, from, to, onProgress: progress.show };
    const { files, bytes, left } = await moveLibrary(request).catch((error: unknown) => {
      progress.end();
      throw new UsageError(`the files cannot be moved: ${failureText(error)}; run it again to continue`, 1);
    });
    progress.end();
    print(`${counted(files, 'file')} moved to ${target}, ${megabytes(bytes)} copied`);
    if (store !== target)
      print(`new files still go to ${store}: set UPLOAD_PROVIDER=${target} and start the server again`);
    if (left.length > 0) return tellLeft(left, switched('remove-source'), warn);
    if (switched('remove-source')) print(`${counted(await removeMoved(request), 'old object')} removed`);
    return 0;
  } finally {
    await app.close();
  }
}

function tellLeft(left: readonly LeftFile[], wantedRemoval: boolean, warn: Surroundings['warn']): number {
  warn(`${counted(left.length, 'file')} not moved:`);
  for (const { id, name, reason } of left) warn(`  ${id}  ${name}: ${reason}`);
  if (wantedRemoval) warn('nothing was removed');
  return 1;
}

const lineOf = ({ done, files, bytes }: MoveProgress) => ({
  fraction: done / files,
  text: `${done} of ${counted(files, 'file')}, ${megabytes(bytes)}`,
});

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

/** Characters of the bar. */
const WIDTH = 24;
/** Without a terminal: a line for each such part of the whole. */
const STEP = 0.1;

export interface Progress<T> {
  readonly show: (state: T) => void;
  /** Clears the bar's line. */
  readonly end: () => void;
}

/** Shows states as `describe` puts them: how much is done, from 0 to 1, and words. */
export function progressLine<T>(
  { terminal, warn }: Surroundings,
  describe: (state: T) => { readonly fraction: number; readonly text: string },
): Progress<T> {
  let told = 0;
  return {
    show(state) {
      const { fraction, text } = describe(state);
      if (terminal) {
        const done = Math.round(fraction * WIDTH);
        terminal(`\r\u001b[K[${'#'.repeat(done)}${'.'.repeat(WIDTH - done)}] ${text}`);
      } else if (fraction >= told + STEP || fraction === 1) {
        told = fraction;
        warn(text);
      }
    },
    end: () => terminal?.('\r\u001b[K'),
  };
}
