/** `galley types`: writes TypeScript declarations of the project's documents. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadConfig } from '../config/load.ts';
import { UsageError } from '../errors.ts';
import { readCatalog } from '../project.ts';
import { declarationsOf, TYPES_FILE } from '../schema/declarations.ts';
import { type Command, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';

export const typesCommand: Command = {
  name: 'types',
  summary: 'write TypeScript types of the documents',
  help: `galley types [DIR] [--out FILE]

Writes TypeScript declarations of all content types and components, as documents are read and as they are written, from the
schema files of the project in DIR (default: the working folder). A program that includes the file has a typed
app.documents('api::article.article'). The command opens no database.

  --out FILE  the file to write (default: ${TYPES_FILE} in DIR); - writes to stdout`,
  run,
};

async function run(args: readonly string[], { env, print, warn }: Surroundings): Promise<number> {
  const { flag, positionals } = readArguments('types', args, { out: { type: 'string' } }, ['DIR']);
  const config = await loadConfig(positionals[0] ?? WORKING_FOLDER, { env });
  const { dir } = config;
  const text = declarationsOf(await readCatalog(config));
  const out = flag('out') ?? path.join(dir, TYPES_FILE);
  if (out === '-') {
    print(text.trimEnd());
    return 0;
  }
  try {
    writeFileSync(out, text);
  } catch (error) {
    throw new UsageError(`cannot write ${out}: ${(error as Error).message}`, 1);
  }
  warn(`wrote ${out}`);
  return 0;
}
