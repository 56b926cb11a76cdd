/**
 * Files outside of `src` that start Strapi, such as a `server.js` that `npm start` runs: their other code may intercept
 * every request.
 */
import { readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { packageOf } from '../../package-file.ts';
import { objectOrEmpty } from '../../plain-values.ts';

const ENDINGS = ['', '.js', '.cjs', '.mjs', '.ts', '/index.js'];
const CODE = /\.[cm]?[jt]s$/;
const COMMENT_LINE = /^\s*(?:\/\/|\/?\*).*$/gm;

/** The package, or a command that starts it. The word alone also occurs in scripts that call a running server. */
const STRAPI = /@strapi\/|createStrapi|["'`/]strapi["'`]|\bstrapi["'`,[\s]+(?:start|dev)/;
const LOCAL = /(?:\brequire\s*\(|\bfrom|\bimport\s*\(?)\s*['"`](\.{1,2}\/[^'"`]*)['"`]/g;

/** Bytes of one file that are looked through. */
const LONGEST = 1024 ** 2;

/** Paths of the files that scripts of `package.json` run and that start Strapi, directly or by their imports. */
export function serverFiles(dir: string): string[] {
  const read = (path: string): string | undefined =>
    statSync(join(dir, path)).size > LONGEST ? undefined : readFileSync(join(dir, path), 'utf8');
  return scriptFiles(dir).filter((path) => startsStrapi(dir, path, read) && !onlyStarts(read(path) ?? ''));
}

/** A statement of a file that only starts Strapi, without blanks: it imports Strapi and its usual company, or starts it. */
const STATEMENT = new RegExp(
  [
    '"use strict"',
    String.raw`(?:(?:const|let|var)(?:\w+|\{\w+\})=)?require\("(?:@strapi/strapi|(?:node:)?path|dotenv)"\)(?:\.config\(\))?`,
    String.raw`import(?:\w+from|\{\w+\}from)?"(?:@strapi/strapi|(?:node:)?path|dotenv(?:/config)?)"`,
    String.raw`(?:(?:const|let|var)\w+=)?(?:await)?(?:require\("@strapi/strapi"\)|\w+)(?:\.createStrapi)?\((?:\{(?:\w+:(?:"[^"]*"|true|false),?)*\})?\)(?:\.load\(\))?(?:\.start\(\))?`,
    String.raw`(?:await)?\w+\.start\(\)`,
  ]
    .map((one) => `(?:${one})`)
    .join('|'),
);

/** Whether a file does nothing but to start Strapi, which Galley does in its place. */
function onlyStarts(text: string): boolean {
  const code = text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|\s+/g, '').replaceAll("'", '"');
  const statements = code.split(';').filter((statement) => statement !== '');
  const whole = new RegExp(`^(?:${STATEMENT.source})$`);
  return statements.every((statement) => whole.test(statement));
}

/** Files that the scripts of `package.json` name, and its `main` where they run the folder. */
function scriptFiles(dir: string): string[] {
  const { scripts, main } = packageOf(dir);
  const words = Object.values(objectOrEmpty(scripts)).flatMap((script) => String(script).split(/[\s"'`;&|()=]+/));
  const named = words.map((word) =>
    word === '.' || word === './' ? (typeof main === 'string' ? main : 'index.js') : word,
  );
  const found = named.map((word) => (/^[\w@./-]+$/.test(word) ? fileAt(dir, posix.normalize(word)) : undefined));
  return [...new Set(found.filter((path) => path !== undefined))].sort();
}

/** The code file at a path of the project, but for those of `src`, `config` and packages. */
function fileAt(dir: string, path: string): string | undefined {
  if (/^(?:\.\.|\/|src\/|config\/|(?:.*\/)?node_modules\/)/.test(path)) return undefined;
  return ENDINGS.map((ending) => posix.normalize(path + ending)).find(
    (name) => CODE.test(name) && statSync(join(dir, name), { throwIfNoEntry: false })?.isFile(),
  );
}

/**
 * Whether the texts of a file and of those that it imports start Strapi, rather than only load it, as scripts that fill
 * a database do.
 */
function startsStrapi(dir: string, path: string, read: (path: string) => string | undefined): boolean {
  const seen = new Set([path]);
  let texts = '';
  for (const name of seen) {
    const text = read(name);
    // an unknown command may do it
    if (text === undefined || seen.size > 200) return true;
    texts += `${text}\n`;
    for (const [, source] of text.matchAll(LOCAL)) {
      const inner = posix.join(posix.dirname(name), source!);
      const found = fileAt(dir, inner);
      if (found !== undefined) seen.add(found);
    }
  }
  const code = texts.replaceAll(COMMENT_LINE, '');
  return STRAPI.test(code) && /\b(?:start|listen|develop)\b/.test(code);
}
