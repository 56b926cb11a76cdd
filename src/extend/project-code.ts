/**
 * The code of a project that Galley does not run. What it might have refused, filtered or changed is closed until
 * `config/galley` says that it is safe (docs/reference/project-code.md).
 */

import { actionsOf } from '../access/actions.ts';
import type { CodeConfig, Config } from '../config/config.ts';
import type { Catalog } from '../schema/catalog.ts';
import type { AttributeChange } from '../schema/files.ts';
import { STORED_FILES } from './closed.ts';
import { isOwnCode } from './galley/own-file.ts';
import { otherMigrations } from './migrations/migration-files.ts';
import { notRunMessage, othersNotRun, withReason } from './not-run.ts';
import type { OwnPlugin } from './plugins/own-plugins.ts';
import { findPlugins } from './plugins/plugin-packages.ts';
import { possiblePlugins } from './plugins/possible-plugins.ts';
import { serverFiles, unusedServerFiles } from './plugins/server-files.ts';
import { projectSources } from './reading/elsewhere.ts';
import type { SourceFile } from './source-files.ts';
import type { Understood } from './understand.ts';

export interface ProjectCode extends Omit<Understood, 'notRun'> {
  /** Why files of the project's `public` folder are closed, as the administrator's log says it; undefined where they are not. */
  readonly publicClosed: string | undefined;
}

/** What a project without code of its own comes to. */
const NOTHING: Understood = {
  closed: new Map(),
  guarded: new Map(),
  routes: new Map(),
  problems: [],
  opening: undefined,
  leftOut: undefined,
  warnings: [],
  notRun: [],
  actions: [],
  standing: () => [],
  own: [],
  computed: [],
  runnable: undefined,
};

/** What of a project is known before its code is read. */
export interface KnownCode {
  /** The plugins of the project itself. */
  readonly own?: readonly OwnPlugin[];
  /** What the catalog has of its extensions. */
  readonly changes?: readonly AttributeChange[];
  /** The files of its code. */
  readonly sources?: readonly SourceFile[];
}

/** Reads the code of a project to find out what it would do to requests. Nothing of it is run. */
export async function readProjectCode(
  { dir, code, migrations }: Pick<Config, 'dir' | 'code' | 'migrations'>,
  catalog: Catalog,
  { own = [], changes = [], sources }: KnownCode = {},
): Promise<ProjectCode> {
  const known = sources ?? (await projectSources({ dir, plugins: code.plugins, middlewares: code.middlewares }));
  // that file is loaded by itself: where it names strapi, it may do what other code may
  const isRead = ({ path, text }: SourceFile) => !isOwnCode(path) || (code.run && text.includes('strapi'));
  const files = [...known.filter(isRead), ...serverFiles(dir)];
  const plugins = findPlugins(dir, code);
  const asks = plugins.length + code.middlewares.length + code.serve.length + code.safeToSkip.length > 0;
  const needed =
    asks || code.hasTasks || files.some(({ generated }) => !generated) || !routesEverything(files, catalog);
  // what reads code is not loaded for projects that have none
  const { notRun, ...understood } = needed
    ? await (await import('./understand.ts')).understand(files, code, catalog, {
        ...{ plugins, own, changes },
        mayHave: possiblePlugins(dir, code),
      })
    : NOTHING;
  const declared = new Set(code.plugins.map(({ name }) => name));
  const installed = plugins
    .filter(({ name }) => !declared.has(name))
    .map(({ name }) => `the plugin ${name} of package.json`);
  const { runnable } = understood;
  const foreign = code.foreign.filter((words) => {
    const [, kind, name] = /^the (middleware|plugin) (\S+) of /.exec(words) ?? [];
    if (runnable === undefined || name === undefined) return true;
    return kind === 'middleware'
      ? runnable.skipped.has(name)
      : !runnable.plugins.some((plugin) => plugin.name === name);
  });
  const isRun = (path: string): boolean =>
    path.startsWith('config/cron-tasks.') || runnable!.plugins.some(({ folder }) => folder === path);
  const others = othersNotRun(dir).filter((path) => !(runnable && isRun(path)));
  const message = notRunMessage([
    ...foreign.map((words) => withReason(words, files)),
    ...installed,
    ...[...new Set([...notRun, ...others, ...otherMigrations({ dir, migrations }), ...unusedServerFiles(dir)])].sort(),
  ]);
  return {
    ...understood,
    closed: new Map([...understood.closed, ...switchedOff(code)]),
    // the file service has no part in them
    publicClosed: understood.closed.get(STORED_FILES),
    warnings: message === undefined ? understood.warnings : [...understood.warnings, message],
  };
}

/** Actions of the file service, where it is switched off: nothing of it is there in the reference. */
function switchedOff({ plugins, serve }: CodeConfig): [string, string][] {
  if (!plugins.some(({ name, enabled }) => name === 'upload' && !enabled)) return [];
  return [...actionsOf('plugin::upload'), STORED_FILES]
    .filter((action) => !serve.includes(action))
    .map((action) => [action, `${action} is closed: the plugin upload is switched off in config/plugins`]);
}

/** Whether every type of an API with routers has the router that Strapi generates. */
function routesEverything(files: readonly SourceFile[], catalog: Catalog): boolean {
  const routers = files.filter(({ role }) => role === 'routes');
  const apis = new Set(routers.map(({ owner }) => owner));
  const uids = new Set(routers.map(({ owner, name }) => `api::${owner}.${name}`));
  return [...catalog.contentTypes.values()].every(
    ({ uid, routed }) => !routed || uids.has(uid) || !apis.has(uid.slice('api::'.length, uid.lastIndexOf('.'))),
  );
}
