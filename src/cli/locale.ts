/** `galley locale list|add|default|remove`: the locales of a project. */
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
import { meant } from '../nearest.ts';
import { argumentCommand, type Command, missingArgument, readArguments } from './command.ts';
import { changeProject } from './in-project.ts';
import { listCommand } from './lists.ts';

const localeListCommand = listCommand({
  name: 'locale list',
  summary: 'list the locales',
  about: `Lists the locales of the project in DIR (default: the working folder): code, name, how many documents have a version in
the locale, and which locale is the default.`,
  read: async ({ catalog, layout }, db) => {
    const chosen = await defaultLocale(db);
    const shown: { code: string; name: string; documents: number; isDefault: boolean }[] = [];
    for (const { code, name } of await listLocales(db)) {
      const types = await documentsIn(db, catalog, layout, code);
      const documents = types.reduce((sum, { count }) => sum + count, 0);
      shown.push({ code, name, documents, isDefault: code === chosen });
    }
    return shown;
  },
  heads: ['code', 'name', 'documents', ''],
  cells: ({ code, name, documents, isDefault }) => [code, name, String(documents), isDefault ? 'default' : ''],
});

const localeAddCommand: Command = {
  name: 'locale add',
  summary: 'add a locale',
  help: `galley locale add CODE [NAME] [DIR] [--unknown]

Adds a locale to the project in DIR (default: the working folder). CODE is for example en, pt-BR or zh-Hant. Without NAME
the locale gets its usual name, such as "French (fr)". A single argument after CODE is DIR if it is a folder, otherwise NAME.

  --unknown  adds a CODE that no language has, such as en-UK (English in Britain is en-GB)`,
  async run(args, surroundings) {
    const options = { unknown: { type: 'boolean' } } as const;
    const { positionals, switched } = readArguments('locale add', args, options, ['CODE', 'NAME', 'DIR']);
    const [code, second, third] = positionals;
    const [name, dir] = third === undefined && isFolder(second) ? [undefined, second] : [second, third];
    if (code === undefined) throw missingArgument('locale add', 'a CODE');
    if (!switched('unknown') && !isKnownCode(code)) {
      const hint = nearestCode(code);
      const advice = hint === undefined ? 'to add it anyway, use --unknown' : `did you mean ${hint}?`;
      throw new UsageError(`${code} is not the code of a language: ${advice}`, 1);
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

const localeDefaultCommand = changing({
  verb: 'default',
  summary: 'set the default locale',
  about: `Sets the default locale of the project in DIR (default: the working folder). Requests that name no locale read and write
this one.`,
  change: async (_, tx, locale) => {
    await updateLocale(tx, locale, { isDefault: true });
    return `${locale.code} is now the default locale`;
  },
});

const localeRemoveCommand = changing({
  verb: 'remove',
  summary: 'remove a locale without content',
  about: `Removes a locale from the project in DIR (default: the working folder). The default locale cannot be removed, nor one in
which documents have versions: delete those first.`,
  change: async (app, tx, locale) => {
    await deleteLocale(tx, app, locale);
    return `removed ${locale.code}`;
  },
});

interface Change {
  readonly verb: string;
  readonly summary: string;
  /** The help after the usage. */
  readonly about: string;
  /** Changes the locale, and returns the line to print. */
  readonly change: (app: App, tx: Transaction, locale: Locale) => Promise<string>;
}

/** A command that takes CODE and DIR, and changes that locale in a transaction. */
function changing({ verb, summary, about, change }: Change): Command {
  return argumentCommand({
    name: `locale ${verb}`,
    summary,
    argument: 'CODE',
    about,
    run: async (code, dir, surroundings) => {
      const line = await inLocales(dir, surroundings, async (app, tx) => {
        const locales = await listLocales(tx);
        const locale = locales.find((one) => one.code === code);
        if (locale) return change(app, tx, locale);
        const codes = locales.map((one) => one.code);
        throw new UsageError(`no locale ${code}${meant(code, codes) || `: there are ${codes.join(', ')}`}`);
      });
      surroundings.print(line);
      return 0;
    },
  });
}

/** Runs `work` in one transaction of a project. An error of the content rules becomes a line. */
async function inLocales<T>(...of: Parameters<typeof changeProject<T>>): Promise<T> {
  try {
    return await changeProject(...of);
  } catch (error) {
    if (error instanceof ContentError) throw new UsageError(error.message, 1);
    throw error;
  }
}

export const localeCommands: readonly Command[] = [
  localeListCommand,
  localeAddCommand,
  localeDefaultCommand,
  localeRemoveCommand,
];
