/** Members of strapi without state: editions, hooks, project files and the log. */
import { appendFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, posix, resolve } from 'node:path';
import { format } from 'node:util';
import type { CodeLog } from '../../log-line.ts';
import { guarded, standIn, unsupported } from '../guarded.ts';
import type { LogLevel } from '../runtime-context.ts';
import { UnitOfWork } from '../unit-of-work.ts';

/** `strapi.ee`: no paid feature is present. */
export const editions = (): object =>
  guarded('strapi.ee', {
    ...{ isEE: false, isTrial: false, seats: undefined, type: undefined },
    ...{ planPriceId: undefined, subscriptionId: undefined },
    features: guarded('strapi.ee.features', { isEnabled: () => false, list: () => [], get: () => undefined }),
  });

const HOOKS = ['strapi::content-types.beforeSync', 'strapi::content-types.afterSync'];

/** `strapi.hooks`: the names of the reference. Galley calls no handlers. */
export function hooks(): Readonly<Record<string, object>> {
  const of = (name: string) => guarded(`strapi.hook('${name}')`, { getHandlers: () => [] });
  return guarded('strapi.hooks', Object.fromEntries(HOOKS.map((name) => [name, of(name)])));
}

/** The steps of Strapi's own, by place: one that shows files with signed addresses. */
const STEPS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  sanitizers: { input: [], output: ['signed'], query: [] },
  validators: { input: [], query: [] },
};

/** `strapi.sanitizers` and `strapi.validators`: lists that cannot be extended, whose steps code cannot call. */
export function addedSteps(name: keyof typeof STEPS): object {
  const place = `strapi.${name}`;
  const own = Object.entries(STEPS[name]!).map(([key, steps]) => {
    const all = steps.map(() => standIn(`${place}.get('content-api.${key}')[0]`));
    return [key, Object.freeze(all)] as const;
  });
  const lists = Object.freeze(Object.fromEntries(own));
  const at = (path: string): unknown => {
    const [space, key, ...more] = path.split('.');
    if (space !== 'content-api' || more.length > 0) return undefined;
    return key === undefined ? lists : Object.hasOwn(lists, key) ? lists[key] : undefined;
  };
  return guarded(place, {
    get: (path: string) => at(path) ?? Object.freeze([]),
    has: (path: string) => at(path) !== undefined,
  });
}

/** `strapi.fs`: files of the project. */
export function projectFiles(dir: string): object {
  const placeOf = (given: string | readonly string[]): string => {
    UnitOfWork.currentOrOutside.check();
    return resolve(dir, posix.normalize([given].flat().join('/')).replace(/^\/?(?:\.{1,2}\/)+/, ''));
  };
  const writeAppFile = async (path: string | readonly string[], data: string): Promise<void> => {
    const place = placeOf(path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, data);
  };
  return guarded('strapi.fs', {
    writeAppFile,
    writePluginFile: (plugin: string, path: string | readonly string[], data: string) =>
      writeAppFile(['extensions', plugin, ...[path].flat()], data),
    removeAppFile: (path: string | readonly string[]) => rm(placeOf(path), { recursive: true, force: true }),
    appendFile: (path: string | readonly string[], data: string) => appendFileSync(placeOf(path), data),
  });
}

/** Levels of `strapi.log`, the gravest first, as the project's log has them. */
const LEVELS: Readonly<Record<string, LogLevel>> = {
  ...{ error: 'error', warn: 'warn', info: 'info', http: 'info', verbose: 'debug', debug: 'debug', silly: 'debug' },
};

/**
 * `strapi.log`.
 *
 * @param take takes a line and the first error in it. @param inSources an error with its stack in the lines of the sources.
 */
export function logOf(take: CodeLog, inSources: (error: Error) => object): object {
  const line = (level: LogLevel, parts: readonly unknown[]): void => {
    const error = parts.find((part) => part instanceof Error);
    const shown = parts.map((part) => (part instanceof Error ? String(part) : part));
    take(level, format(...shown), error && inSources(error));
  };
  const of =
    (level: LogLevel) =>
    (...parts: unknown[]) =>
      void line(level, parts);
  const named = Object.entries(LEVELS);
  const flags = named.map(([name]) => [`is${name[0]!.toUpperCase()}${name.slice(1)}Enabled`, () => true]);
  const levels = Object.fromEntries(named.map(([name], index) => [name, index]));
  const log: object = guarded('strapi.log', {
    ...Object.fromEntries(named.map(([name, level]) => [name, of(level)])),
    ...{ trace: of('debug'), fatal: of('error') },
    ...Object.fromEntries(flags),
    isLevelEnabled: (name: string) => Object.hasOwn(LEVELS, name),
    /** `log('info', 'text')`, and `log({ level: 'info', message: 'text' })`. */
    log(level: string | { readonly level: string; readonly message: unknown }, ...parts: unknown[]): object {
      const [name, message] = typeof level === 'object' ? [level.level, [level.message, ...parts]] : [level, parts];
      line(Object.hasOwn(LEVELS, name) ? LEVELS[name]! : unsupported(`the level ${name} of strapi.log`), message);
      return log;
    },
    ...{ levels, level: 'http', silent: false, transports: [] },
    child: () => log,
  });
  return log;
}
