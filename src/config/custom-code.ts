/**
 * Finds code of a Strapi project that Galley does not run, to be named at start: what such code might have opened
 * stays private. The files that Strapi generates for every type, which only ask for its defaults, are not custom code.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { EXTENSIONS } from './config-file.ts';

const CODE = EXTENSIONS.filter((extension) => extension !== '.json')
  .map((extension) => extension.slice(1))
  .join(',');

const PATTERNS = [
  `src/api/*/{controllers,services,routes,policies,middlewares}/**/*.{${CODE}}`,
  `src/api/*/content-types/*/lifecycles.{${CODE}}`,
  `src/{middlewares,policies,extensions,plugins}/**/*.{${CODE}}`,
  `src/index.{${CODE}}`,
  `config/cron-tasks.{${CODE}}`,
  `config/functions/**/*.{${CODE}}`,
];

/** Schemas of built-in types that a project may extend and that are read. */
const READ_EXTENSIONS = new Set([
  'src/extensions/users-permissions/content-types/user/schema.json',
  'src/extensions/upload/content-types/file/schema.json',
]);

/** Paths (relative, with slashes, sorted) of the project's files that hold code or schemas Galley does not use. */
export function customCode(dir: string): string[] {
  const code = globSync(PATTERNS, { cwd: dir, exclude: (name) => name === 'node_modules' })
    .map(slashed)
    .filter((path) => !path.endsWith('.d.ts') && !isGenerated(dir, path));
  const schemas = globSync('src/extensions/**/*.json', { cwd: dir })
    .map(slashed)
    .filter((path) => !READ_EXTENSIONS.has(path));
  // A plugin of many files is one thing to name.
  const named = [...code, ...schemas].map((path) => /^src\/plugins\/[^/]+/.exec(path)?.[0] ?? path);
  return [...new Set(named)].sort();
}

/** Generated files stand among the project's types and as its index; a plugin is never one. */
function isGenerated(dir: string, path: string): boolean {
  return !path.startsWith('src/plugins/') && isBoilerplate(readFileSync(join(dir, path), 'utf8'));
}

/**
 * Whether a file does nothing but ask for Strapi's defaults: a core controller, service or router with no second
 * argument, or an index whose functions are empty. Anything not understood counts as custom.
 */
export function isBoilerplate(source: string): boolean {
  const text = source
    .replace(/\/\*[\s\S]*?\*\/|(?<=^|[\s;,{}])\/\/.*$/gm, ' ')
    .replaceAll('"', "'")
    .replace(/\s+/g, ' ')
    .trim();
  const statement = text.replace(LEADING, '');
  return statement === '' || FACTORY.test(statement) || EMPTY_INDEX.test(statement);
}

const STRAPI = String.raw`require\(\s*'@strapi/strapi'\s*\)`;

/** Directives and imports that a generated file begins with. */
const LEADING = new RegExp(
  String.raw`^(?:(?:'use strict'|import type [^;']+from '[^']+'|import \{[^}]*\} from '@strapi/strapi'|` +
    String.raw`(?:const|let|var) \{[^}=]*\} = ${STRAPI}(?:\.factories)?) ?;? ?)*`,
);

const FACTORY = new RegExp(
  String.raw`^(?:module\.exports =|export default) (?:(?:${STRAPI}\.)?factories\.)?createCore(?:Controller|Service|Router)` +
    String.raw`\( ?'[^']+' ?,? ?\)(?: as any)? ?;?$`,
);

const EMPTY_INDEX =
  /^(?:module\.exports =|export default) \{ ?(?:(?:async )?(?:register|bootstrap|destroy) ?\([^)]*\)(?: ?: ?[\w<>]+)? ?\{ ?\} ?,? ?)*\} ?;?$/;

const slashed = (path: string): string => path.split(sep).join('/');
