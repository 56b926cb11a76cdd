/** `galley media move`: moves the media library between the local disk and the object store. */
import { openProject } from '../app.ts';
import { counted } from '../counted.ts';
import { UsageError } from '../errors.ts';
import { failureText, type MoveProgress, moveLibrary, removeMoved, type UnmovedFile } from '../media/move.ts';
import { meant } from '../nearest.ts';
import { secretsIfNew } from '../new-secrets.ts';
import { type Command, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';

export const mediaMoveCommand: Command = {
  name: 'media move',
  summary: 'move all files to the object store, or back',
  help: `galley media move --to s3|local [DIR] [--remove-source]

Copies every file of the project in DIR (default: the working folder) from the local disk to the configured object store,
or back. It compares each copy with the original by SHA-256 before it updates the record, so addresses work at any time and
a server can run meanwhile. A further run continues where this one stopped. New files go to the store that the
configuration names, so first change that (UPLOAD_PROVIDER). The command lists files that it cannot move and leaves them as
they are; the exit code is then 1.

  --to s3|local     the target
  --remove-source   then removes the old files, if this run or an earlier one has moved every file`,
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
    if (!s3) throw new UsageError('no object store is configured: set S3_BUCKET, or configure one in config/plugins');
    const local = stores.find(({ name }) => name === 'local')!;
    const bucket = stores.find(({ name }) => name === s3.provider)!;
    const [from, to] = target === 's3' ? [local, bucket] : [bucket, local];
    const progress = progressLine(surroundings);
    const { database, writer, media } = app;
    // finishes interrupted replacements, whose files must not be copied
    await media.settle();
    const request = { database, writer, leases: media.leases, from, to, onProgress: progress.show };
    const { files, bytes, unmoved } = await moveLibrary(request).catch((error: unknown) => {
      progress.end();
      throw new UsageError(`moving the files failed: ${failureText(error)}; run the command again to continue`, 1);
    });
    progress.end();
    print(`moved ${counted(files, 'file')} to ${target}, copied ${megabytes(bytes)}`);
    if (store !== target) print(`new files still go to ${store}: set UPLOAD_PROVIDER=${target} and restart the server`);
    if (unmoved.length > 0) return reportUnmoved(unmoved, switched('remove-source'), warn);
    if (switched('remove-source')) print(`removed ${counted(await removeMoved(request), 'old file')}`);
    return 0;
  } finally {
    await app.close();
  }
}

function reportUnmoved(unmoved: readonly UnmovedFile[], wantedRemoval: boolean, warn: Surroundings['warn']): number {
  warn(`${counted(unmoved.length, 'file')} could not be moved:`);
  for (const { id, name, reason } of unmoved) warn(`  ${id}  ${name}: ${reason}`);
  if (wantedRemoval) warn('nothing was removed');
  return 1;
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

/** Characters of the progress bar. */
const WIDTH = 24;
/** Without a terminal the command prints a line after each such part of the work. */
const STEP = 0.1;

/** Shows progress: a bar at a terminal, otherwise a line for each tenth of the work. */
function progressLine({ terminal, warn }: Surroundings) {
  let printed = 0;
  return {
    show({ done: moved, files, bytes }: MoveProgress) {
      const fraction = moved / files;
      const text = `${moved} of ${counted(files, 'file')}, ${megabytes(bytes)}`;
      if (terminal) {
        const done = Math.round(fraction * WIDTH);
        terminal(`\r\u001b[K[${'#'.repeat(done)}${'.'.repeat(WIDTH - done)}] ${text}`);
      } else if (fraction >= printed + STEP || fraction === 1) {
        printed = fraction;
        warn(text);
      }
    },
    /** Clears the line of the bar. */
    end: () => terminal?.('\r\u001b[K'),
  };
}
