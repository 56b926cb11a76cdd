/** Whether a folder is that of a project. Content types it need not have: a server may consist of code and accounts. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is in projects alone; of the folders of other programs `config` may have any name in it. */
const PARTS = ['src/api', 'src/components', 'src/extensions', 'src/plugins', 'src/galley'];
const OWN_CODE = /^galley\.[cm]?[jt]s$/;
const CONFIG = /^(?:admin|api|database|galley|middlewares|plugins|server)\.(?:[cm]?[jt]s|json)$/;
const PACKAGES = ['galley', '@strapi/strapi'];

/** Whether a folder has what projects have, or a `package.json` that asks for a server of projects. */
export function isProject(dir: string): boolean {
  const has = (folder: string, name: RegExp) => namesIn(join(dir, folder)).some((one) => name.test(one));
  const hasPart = PARTS.some((part) => existsSync(join(dir, part)));
  return hasPart || has('src', OWN_CODE) || has('config', CONFIG) || asksForServer(dir);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function asksForServer(dir: string): boolean {
  let file: Readonly<Record<string, object | undefined>>;
  try {
    file = Object(JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')));
  } catch {
    return false;
  }
  const { dependencies, devDependencies, optionalDependencies, scripts } = file;
  const asked = [dependencies, devDependencies, optionalDependencies].flatMap((list) => Object.keys(list ?? {}));
  const run = Object.values(scripts ?? {}).map(String);
  return (
    PACKAGES.some((name) => asked.includes(name)) || run.some((script) => /(?:^|\s)(?:galley|strapi)\s/.test(script))
  );
}
