/** `galley types`: a declaration file of the project's documents, for code that embeds the server. */
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

Writes a declaration file from the schema files of the project in DIR (default: the working folder): what is read of
each content type and component and what may be written. With it among the files of a program,
app.documents('api::article.article') is typed. It opens no database.

  --out FILE  where to write it (default: ${TYPES_FILE} in DIR); - writes to stdout`,
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
    throw new UsageError(`${out} cannot be written: ${(error as Error).message}`, 1);
  }
  warn(`wrote ${out}`);
  return 0;
}
