/** Whether a folder is a project. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from './errors.ts';
import { programText } from './own-files.ts';
import { packageOf } from './package-file.ts';

/** Files that only projects have; other programs may also have a folder `config`. */
const PARTS = ['src/api', 'src/components', 'src/extensions', 'src/plugins', 'src/galley'];
const OWN_CODE = /^galley\.[cm]?[jt]s$/;
const CONFIG = /^(?:admin|api|database|galley|middlewares|plugins|server)\.(?:[cm]?[jt]s|json)$/;
const PACKAGES = ['galley', '@strapi/strapi'];

/**
 * Requires a project's files, or a `package.json` that uses a server for projects. Content types are not required.
 *
 * @param compiled the folder with the compiled code, if there is one.
 * @throws UsageError for any other folder.
 */
export function requireProject(dir: string, compiled?: string): void {
  const has = (folder: string, name: RegExp) => namesIn(join(dir, folder)).some((one) => name.test(one));
  const parts = compiled === undefined ? PARTS : [...PARTS, `${compiled}/api`];
  const hasPart = parts.some((part) => existsSync(join(dir, part)));
  if (hasPart || has('src', OWN_CODE) || has('config', CONFIG) || usesServer(dir)) return;
  throw new UsageError(
    `${dir} is not the folder of a project: it has no content type (src/api/<name>/content-types/<name>/schema.json), no config, no src/galley, and no package.json with galley or @strapi/strapi. ${programText()} init makes a new one`,
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function usesServer(dir: string): boolean {
  const { dependencies, devDependencies, optionalDependencies, scripts } = packageOf(dir);
  const packages = [dependencies, devDependencies, optionalDependencies].flatMap((list) => Object.keys(list ?? {}));
  const run = Object.values(scripts ?? {}).map(String);
  return (
    PACKAGES.some((name) => packages.includes(name)) || run.some((script) => /(?:^|\s)(?:galley|strapi)\s/.test(script))
  );
}
