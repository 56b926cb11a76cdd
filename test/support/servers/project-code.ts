/** What the code of a small project closes: two types and a single type, with files of their own. */
import type { CodeConfig } from '../../../src/config/config.ts';
import { galleyText } from '../../../src/config/galley-config.ts';
import { type SourceFile, sourceFile } from '../../../src/extend/source-files.ts';
import { type Understood, understand } from '../../../src/extend/understand.ts';
import { loadCatalog } from '../../../src/schema/load.ts';
import { contentType, makeProject, type ProjectFolder } from './project.ts';

export const NO_CONFIG: CodeConfig = {
  file: 'config/galley.js',
  place: 'config/galley.js',
  written: (lists) => galleyText('config/galley.js', lists),
  run: false,
  settings: async () => ({}),
  giveStrapi: () => {},
  hasTasks: false,
  serve: [],
  safeToSkip: [],
  middlewares: [],
  middlewaresFile: 'config/middlewares.js',
  plugins: [],
  foreign: [],
};

export interface ReadCode {
  readonly folder: ProjectFolder;
  /** What is understood of files, by their paths. */
  read(files: Readonly<Record<string, string>>, config?: Partial<CodeConfig>): Promise<Understood>;
  understood(files: readonly SourceFile[], config?: Partial<CodeConfig>): Promise<Understood>;
  /** Closed actions of the types of the project, as `a.find`; `*` stands for every action there is. */
  closedBy(files: Readonly<Record<string, string>>, config?: Partial<CodeConfig>): Promise<string>;
}

/** A project with the types `a` (which links to `b`), `b` (with drafts) and the single type `home`. */
export async function readCode(): Promise<ReadCode> {
  const text = { type: 'string' };
  const author = { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.user' };
  const folder = await makeProject({
    contentTypes: {
      a: contentType('a', { text, author, b: { type: 'relation', relation: 'manyToOne', target: 'api::b.b' } }),
      b: contentType('b', { text }, { options: { draftAndPublish: true } }),
      home: contentType('home', { text }, { kind: 'singleType' }),
    },
  });
  const catalog = loadCatalog(folder.dir);
  const understood: ReadCode['understood'] = (files, config = {}) =>
    understand(files, { ...NO_CONFIG, ...config }, catalog);
  const read: ReadCode['read'] = (files, config) =>
    understood(
      Object.entries(files).map(([path, source]) => sourceFile(path, source)),
      config,
    );
  const closedBy: ReadCode['closedBy'] = async (files, config) => {
    const { closed } = await read(files, config);
    if (closed.has('plugin::users-permissions.auth.callback') && closed.has('api::home.home.find')) return '*';
    return [...closed.keys()]
      .filter((action) => !/\.(publish|unpublish|discardDraft)$/.test(action))
      .map((action) => action.replace(/^api::\w+\./, '').replace('plugin::', ''))
      .sort()
      .join(' ');
  };
  return { folder, read, understood, closedBy };
}
