/** What a project's `tsconfig.json` says about how its code is to be read. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import { isObject } from '../../plain-values.ts';

/** An entry of `paths`: `@/*` → places below the folder of the configuration. */
export interface PathAlias {
  readonly before: string;
  readonly behind: string;
  /** Absolute, with `*` where the pattern has it. */
  readonly places: readonly string[];
}

export interface TypeScriptConfig {
  readonly aliases: readonly PathAlias[];
  /** Absolute; what `baseUrl` says. Undefined: names of modules are those of packages. */
  readonly base: string | undefined;
  /** Absolute: where it is compiled to. */
  readonly outDir: string | undefined;
  /** The options that change what code does, under their own names. */
  readonly options: Readonly<Record<string, unknown>>;
}

const NOTHING: TypeScriptConfig = { aliases: [], base: undefined, outDir: undefined, options: {} };
const CHANGING = ['experimentalDecorators', 'useDefineForClassFields', 'jsx', 'jsxFactory', 'jsxImportSource'];
/** Configurations that extend one another. */
const DEPTH = 8;

interface Written {
  readonly extends?: unknown;
  readonly compilerOptions?: Readonly<Record<string, unknown>>;
}

/**
 * Reads the `tsconfig.json` of a folder, with those of the project that it extends.
 *
 * @throws UsageError for one that is not JSON with comments.
 */
export function readTypeScriptConfig(dir: string): TypeScriptConfig {
  return read(join(dir, 'tsconfig.json'), DEPTH);
}

function read(file: string, depth: number): TypeScriptConfig {
  if (depth === 0 || !existsSync(file)) return NOTHING;
  const written = parse(file);
  const below: TypeScriptConfig = Object.assign(
    {},
    NOTHING,
    ...extended(file, written).map((one) => read(one, depth - 1)),
  );
  const { baseUrl, paths, outDir } = written.compilerOptions ?? {};
  const base = typeof baseUrl === 'string' ? resolve(dirname(file), baseUrl) : below.base;
  const options = Object.entries(written.compilerOptions ?? {}).filter(([name]) => CHANGING.includes(name));
  return {
    base,
    outDir: typeof outDir === 'string' ? resolve(dirname(file), outDir) : below.outDir,
    aliases: isObject(paths) ? aliasesOf(paths, base ?? dirname(file)) : below.aliases,
    options: { ...below.options, ...Object.fromEntries(options) },
  };
}

/** The configurations of the project that one extends. Those of packages say nothing that matters here. */
function extended(file: string, written: Written): string[] {
  const names = [written.extends].flat().filter((name): name is string => typeof name === 'string');
  return names
    .filter((name) => name.startsWith('.'))
    .map((name) => resolve(dirname(file), name.endsWith('.json') ? name : `${name}.json`));
}

function aliasesOf(paths: object, base: string): PathAlias[] {
  const aliases = Object.entries(paths).map(([pattern, places]) => {
    const [before = '', behind] = pattern.split('*', 2);
    const listed = Array.isArray(places) ? places.filter((place) => typeof place === 'string') : [];
    return { before, behind: behind ?? '\0', places: listed.map((place) => resolve(base, place)) };
  });
  // the longest beginning wins
  return aliases.sort((a, b) => b.before.length - a.before.length);
}

/** The absolute paths, without endings, that a name of a module may mean by the configuration. */
export function placesOf(name: string, { aliases, base }: TypeScriptConfig): string[] {
  const places: string[] = [];
  for (const { before, behind, places: written } of aliases) {
    if (behind === '\0') {
      if (name === before) places.push(...written);
    } else if (name.startsWith(before) && name.endsWith(behind) && name.length >= before.length + behind.length) {
      const middle = name.slice(before.length, name.length - behind.length);
      places.push(...written.map((place) => place.replace('*', () => middle)));
    }
  }
  return base === undefined ? places : [...places, join(base, name)];
}

function parse(file: string): Written {
  try {
    const value: unknown = JSON.parse(withoutComments(readFileSync(file, 'utf8').replace(/^\ufeff/, '')));
    return isObject(value) ? value : {};
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`);
  }
}

/** JSON without its comments and the commas in front of closing brackets. */
const withoutComments = (text: string): string =>
  text
    .replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_whole, string: string | undefined) => string ?? '')
    .replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_whole, string: string | undefined) => string ?? '');
