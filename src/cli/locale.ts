/** `galley locale …`: the locales that content may be written in. */
import { statSync } from 'node:fs';
import type { App } from '../app.ts';
import {
  createLocale,
  defaultLocale,
  deleteLocale,
  documentsIn,
  type Locale,
  listLocales,
  updateLocale,
} from '../content/locales/locales.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { ContentError, UsageError } from '../errors.ts';
import { isKnownCode, nearestCode } from '../locale-codes.ts';
import { nearest } from '../nearest.ts';
import { type Command, readArguments, type Surroundings } from './command.ts';
import { changeProject } from './in-project.ts';
import { listing } from './table.ts';

export const localeListCommand: Command = {
  name: 'locale list',
  summary: 'list the locales',
  help: `galley locale list [--json] [DIR]

Lists the locales of the project in DIR (default: the working folder): code, name, how many documents have a version in
it, and which one is the default.

  --json  a JSON object a line`,
  async run(args, { env, print, warn }) {
    const { switched, positionals } = readArguments('locale list', args, { json: { type: 'boolean' } }, ['DIR']);
    const locales = await inLocales(positionals[0], { env, warn }, async (app, db) => {
      const chosen = await defaultLocale(db);
      const shown: { code: string; name: string; documents: number; isDefault: boolean }[] = [];
      for (const { code, name } of await listLocales(db)) {
        const types = await documentsIn(db, app.catalog, app.layout, code);
        const documents = types.reduce((sum, { count }) => sum + count, 0);
        shown.push({ code, name, documents, isDefault: code === chosen });
      }
      return shown;
    });
    const lines = listing(locales, switched('json'), {
      heads: ['code', 'name', 'documents', ''],
      cells: ({ code, name, documents, isDefault }) => [code, name, String(documents), isDefault ? 'default' : ''],
    });
    for (const line of lines) print(line);
    return 0;
  },
};

export const localeAddCommand: Command = {
  name: 'locale add',
  summary: 'add a locale',
  help: `galley locale add CODE [NAME] [DIR] [--unknown]

Adds a locale to the project in DIR (default: the working folder). CODE is such as en, pt-BR or zh-Hant; without NAME it
gets the usual one, "French (fr)". What stands alone behind CODE is DIR if it is a folder, and else NAME.

  --unknown  add it even if CODE means no language, such as en-UK (for English in Britain it is en-GB)`,
  async run(args, surroundings) {
    const options = { unknown: { type: 'boolean' } } as const;
    const { positionals, switched } = readArguments('locale add', args, options, ['CODE', 'NAME', 'DIR']);
    const [code, second, third] = positionals;
    const [name, dir] = third === undefined && isFolder(second) ? [undefined, second] : [second, third];
    if (code === undefined) throw new UsageError('galley locale add needs a CODE; see galley locale add --help');
    if (!switched('unknown') && !isKnownCode(code)) {
      const hint = nearestCode(code);
      const told = hint === undefined ? '--unknown adds it all the same' : `did you mean ${hint}?`;
      throw new UsageError(`${code} is not the code of a language: ${told}`, 1);
    }
    const added = await inLocales(dir, surroundings, async (_, tx) => {
      const { granted } = await createLocale(tx, { code, name });
      const locale = (await listLocales(tx)).find((one) => one.code === code)!;
      return { name: locale.name, granted };
    });
    surroundings.print(`added ${code}: ${added.name}`);
    for (const sentence of added.granted) surroundings.print(sentence);
    return 0;
  },
};

const isFolder = (name: string | undefined): boolean =>
  name !== undefined && statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;

export const localeDefaultCommand: Command = {
  name: 'locale default',
  summary: 'choose the default locale',
  help: `galley locale default CODE [DIR]

Makes a locale the default one of the project in DIR (default: the working folder): what requests without a locale read
and write.`,
  run: (args, surroundings) =>
    change('locale default', args, surroundings, async (_, tx, locale) => {
      await updateLocale(tx, locale, { isDefault: true });
      return `${locale.code} is the default locale`;
    }),
};

export const localeRemoveCommand: Command = {
  name: 'locale remove',
  summary: 'remove a locale without content',
  help: `galley locale remove CODE [DIR]

Removes a locale of the project in DIR (default: the working folder). The default one stays, and so does one that
documents have versions in: delete those before.`,
  run: (args, surroundings) =>
    change('locale remove', args, surroundings, async (app, tx, locale) => {
      await deleteLocale(tx, app, locale);
      return `removed ${locale.code}`;
    }),
};

type Change = (app: App, tx: Transaction, locale: Locale) => Promise<string>;

/** Reads CODE and DIR, and runs a change of that locale in a transaction. */
async function change(
  name: string,
  args: readonly string[],
  surroundings: Surroundings,
  work: Change,
): Promise<number> {
  const { positionals } = readArguments(name, args, {}, ['CODE', 'DIR']);
  const [code, dir] = positionals;
  if (code === undefined) throw new UsageError(`galley ${name} needs a CODE; see galley ${name} --help`);
  const done = await inLocales(dir, surroundings, async (app, tx) => {
    const known = await listLocales(tx);
    const locale = known.find((other) => other.code === code);
    if (!locale) {
      const codes = known.map((other) => other.code);
      const hint = nearest(code, codes);
      throw new UsageError(
        `no locale ${code}: ${hint === undefined ? `there are ${codes.join(', ')}` : `did you mean ${hint}?`}`,
      );
    }
    return work(app, tx, locale);
  });
  surroundings.print(done);
  return 0;
}

/** Runs something in one transaction of a project; what the content rules refuse becomes a line. */
async function inLocales<T>(...of: Parameters<typeof changeProject<T>>): Promise<T> {
  try {
    return await changeProject(...of);
  } catch (error) {
    if (error instanceof ContentError) throw new UsageError(error.message, 1);
    throw error;
  }
}
