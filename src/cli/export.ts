/** `galley export`: writes content, files and settings as an archive in Strapi's format. */
import path from 'node:path';
import { loadConfig } from '../config/load.ts';
import { counted } from '../counted.ts';
import { UsageError } from '../errors.ts';
import { openStorage } from '../media/storage/open-storage.ts';
import { choices } from '../nearest.ts';
import { secretsIfNew } from '../new-secrets.ts';
import { openSnapshot } from '../open-database.ts';
import { readProject } from '../project.ts';
import { Schemas } from '../runtime/schemas/schemas.ts';
import type { Catalog } from '../schema/catalog.ts';
import { archiveCipher, EXPORTED_PARTS, type ExportedPart, exportArchive } from '../transfer/archive/export.ts';
import { createArchive } from '../transfer/archive/write.ts';
import { type Command, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';

/** The version of the format that archives name. */
const VERSION = '5.54.0';

export const exportCommand: Command = {
  name: 'export',
  summary: "write an archive in Strapi's format",
  help: `galley export [FILE|FOLDER] [DIR] [--only WHAT] [--exclude WHAT] [--key KEY]

Writes the content, files and settings of the project in DIR (default: the working folder) as an archive that strapi import
reads, as they are at one moment, while a server may run. The name of FILE ends with .tar or .tar.gz, and with .enc if it is
encrypted; any other name is a new folder. The default is export-TIME.tar.gz.

WHAT is content, files, config, or the uid of a content type; several are separated by commas.

Administrators, their roles and tokens, API tokens, releases and the history are not part of the format: galley backup
contains everything.

  --only WHAT     exports only this
  --exclude WHAT  leaves this out
  --key KEY       encrypts the archive, in the format of newer versions of Strapi, which does not authenticate it

  galley export site.tar.gz
  galley export articles.tar --only api::article.article,files
  galley export site.tar.gz.enc --key KEY`,
  run,
};

async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { env, print, warn, terminal } = surroundings;
  const several = { type: 'string', multiple: true } as const;
  const options = { only: several, exclude: several, key: { type: 'string' } } as const;
  const { flag, flags, positionals } = readArguments('export', args, options, ['FILE', 'DIR']);
  const key = flag('key');
  const [name = defaultName(key !== undefined), dir = WORKING_FOLDER] = positionals;
  if (name.endsWith('.enc') !== (key !== undefined))
    throw new UsageError('names of encrypted archives, and of no others, end with .enc: use --key with them');
  const config = await loadConfig(dir, { env, newSecrets: secretsIfNew });
  const project = await readProject(config);
  const { catalog, layout } = project;
  const stores = await openStorage(config);
  try {
    const chosen = chosenParts(catalog, split(flags('only')), split(flags('exclude')));
    const target = path.resolve(name);
    const snapshot = await openSnapshot(config.database);
    try {
      const writer = await createArchive(target, key === undefined ? undefined : await archiveCipher(key));
      const onProgress = ({ entities, files }: { entities: number; files: number }) =>
        terminal?.(`\r\u001b[K${counted(entities, 'row')}, ${counted(files, 'file')}`);
      const request = { snapshot, catalog, layout, schemas: schemasOf(catalog, layout), stores: stores.stores, writer };
      const exported = await exportArchive({ ...request, ...chosen, version: VERSION, onProgress }).catch(
        async (error: unknown) => {
          await writer.discard();
          throw error;
        },
      );
      terminal?.('\r\u001b[K');
      const { entities, links, files, missing, elsewhere } = exported;
      print(
        `${path.relative('.', target)}: ${counted(entities, 'row')}, ${counted(links, 'link')}, ${counted(files, 'file')}`,
      );
      if (missing > 0)
        warn(`${counted(missing, 'file')} that the database names ${missing === 1 ? 'does' : 'do'} not exist`);
      if (elsewhere > 0)
        warn(`${counted(elsewhere, 'file')} of other stores ${elsewhere === 1 ? 'is' : 'are'} left out`);
      return 0;
    } finally {
      await snapshot.close();
    }
  } finally {
    await project.code.close();
    await Promise.all(stores.stores.map((store) => store.close()));
  }
}

const defaultName = (isEncrypted: boolean): string =>
  `export-${new Date().toISOString().replace(/\.\d+/, '').replaceAll(':', '-')}.tar.gz${isEncrypted ? '.enc' : ''}`;

const split = (values: readonly string[]): string[] =>
  values.flatMap((value) => value.split(',')).map((value) => value.trim());

/** @throws UsageError for a word that is neither a part nor a type. */
function chosenParts(catalog: Catalog, only: readonly string[], without: readonly string[]) {
  const uids = [...catalog.contentTypes.keys()].filter((uid) => !uid.startsWith('admin::'));
  const isPart = (word: string): word is ExportedPart => EXPORTED_PARTS.includes(word as ExportedPart);
  for (const word of [...only, ...without]) {
    if (isPart(word) || uids.includes(word)) continue;
    throw new UsageError(`there is no ${word} to export${choices(word, [...EXPORTED_PARTS, ...uids])}`);
  }
  const onlyTypes = new Set(only.filter((word) => !isPart(word)));
  const parts = only.length === 0 ? EXPORTED_PARTS : EXPORTED_PARTS.filter((part) => only.includes(part));
  const wanted = onlyTypes.size > 0 ? (['content', ...parts] as const) : parts;
  return {
    parts: new Set(wanted.filter((part) => !without.includes(part))),
    hasType: (uid: string) =>
      !without.includes(uid) && (onlyTypes.size === 0 || onlyTypes.has(uid) || only.includes('content')),
  };
}

/** Keys of the schemas in archives, in their order. */
const KEYS = ['collectionName', 'info', 'options', 'pluginOptions', 'attributes', 'kind', 'modelType', 'plugin'];

/** The schemas of all types and components in the reference's form. */
function schemasOf(catalog: Catalog, layout: Parameters<Schemas['fill']>[1]): object[] {
  const schemas = new Schemas();
  schemas.fill(catalog, layout);
  const all = [...Object.values(schemas.contentTypes), ...Object.values(schemas.components)];
  return all.map((schema) => {
    const named = [...KEYS, 'modelName', 'uid', 'globalId'].flatMap((key) => {
      const value = key === 'attributes' ? attributesOf(catalog, schema) : schema[key];
      return value === undefined || (schema.modelType === 'component' && OF_TYPES.has(key)) ? [] : [[key, value]];
    });
    return Object.fromEntries(named);
  });
}

/** Keys that schemas of components do not have in archives. */
const OF_TYPES = new Set(['options', 'pluginOptions', 'kind']);

/** The attributes of a schema; those of the locale are private where there are no locales. */
function attributesOf(catalog: Catalog, { uid, attributes }: Schemas['contentTypes'][string]): object {
  const type = catalog.contentTypes.get(uid);
  if (!type?.localized) return attributes;
  const shown = (name: string) => ({ ...attributes[name], private: false });
  return { ...attributes, locale: shown('locale'), localizations: shown('localizations') };
}
