/**
 * Builds the administration app into `admin/dist`, and compresses all files.
 *
 * With `--if-changed` it does nothing if the sources are those of the last build. If the tools are not installed, as
 * after `npm ci --omit=dev`, it reports that and changes nothing; Galley then serves only its API.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const ADMIN = path.join(import.meta.dirname, '..');
const DIST = path.join(ADMIN, 'dist');
/** Holds the fingerprint of the sources of the last build. */
const BUILT_FROM = path.join(DIST, 'built-from.txt');
/** The sources of a build, besides the packages in the lock file. */
const SOURCES = [
  'src',
  'index.html',
  'samples.html',
  'vite.config.ts',
  'package.json',
  'build/build.ts',
  'build/chunks.ts',
  '../package-lock.json',
];
/** Files that compress. Others are compressed already. */
const TEXT = /\.(?:js|css|html|svg)$/;
/** The size in bytes below which compression does not pay off. */
const WORTH_IT = 512;

await main(process.argv.includes('--if-changed'));

async function main(ifChanged: boolean): Promise<void> {
  const sources = await fingerprint();
  if (ifChanged && existsSync(BUILT_FROM) && (await readFile(BUILT_FROM, 'utf8')) === sources) return;
  const vite = await import('vite').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  });
  if (!vite) {
    process.stdout.write('The administration app is not built: what it is built with is not installed.\n');
    return;
  }
  const started = performance.now();
  await vite.build({ configFile: path.join(ADMIN, 'vite.config.ts'), logLevel: 'warn' });
  await Promise.all((await filesBelow(DIST)).filter((file) => TEXT.test(file)).map(compress));
  await writeFile(BUILT_FROM, sources);
  process.stdout.write(`admin/dist built in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
}

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.length < WORTH_IT) return;
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  await Promise.all([
    promisify(brotliCompress)(bytes, quality).then((packed) => writeFile(`${file}.br`, packed)),
    promisify(gzip)(bytes, { level: 9 }).then((packed) => writeFile(`${file}.gz`, packed)),
  ]);
}

/** A hash of all sources. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    for (const file of await filesBelow(path.join(ADMIN, source))) {
      hash.update(path.relative(ADMIN, file)).update('\0');
      hash.update(await readFile(file)).update('\0');
    }
  }
  return hash.digest('hex');
}

/** A file, or all files of a folder, sorted. Empty if it does not exist: packages contain no lock file. */
async function filesBelow(place: string): Promise<string[]> {
  if (!existsSync(place)) return [];
  try {
    const names = await readdir(place, { recursive: true, withFileTypes: true });
    return names
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return [place];
    throw error;
  }
}
