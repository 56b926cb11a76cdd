/** Files of the project: `strapi::public`, `strapi::favicon`, and what `strapi::security` says to pages among them. */
import type { PublicConfig } from '../config.ts';
import { type ConfigFile, isTree, type Tree } from '../config-file.ts';
import { integerAt, presentEntries, textAt, valueAt, wrong } from '../values.ts';
import { settingsOf, settingsOrNone } from './middleware-config.ts';

type Middlewares = ConfigFile<readonly unknown[]>;

/** Milliseconds: the longest that a browser may keep a file. */
const LONGEST = 31_536_000_000;

/** A project that lists its middlewares has those that it lists, as in the reference. */
export function publicConfig(middlewares: Middlewares): PublicConfig {
  const isListed = (name: string): boolean =>
    middlewares.value.length === 0 || settingsOf(middlewares, name) !== undefined;
  const files = settingsOrNone(middlewares, 'strapi::public');
  const icon = settingsOrNone(middlewares, 'strapi::favicon');
  const seconds = (file: ConfigFile, fallback: number) =>
    Math.floor(integerAt(file, 'maxAge', fallback, 0, LONGEST) / 1000);
  return {
    files: isListed('strapi::public') ? { maxAge: seconds(files, 60_000) } : undefined,
    icon: isListed('strapi::favicon')
      ? { path: textAt(icon, 'path') ?? 'favicon.png', maxAge: seconds(icon, 86_400_000) }
      : undefined,
    policy: policyOf(settingsOrNone(middlewares, 'strapi::security')),
  };
}

/** What the reference says where a project says nothing else, in its order. */
const DEFAULTS: Tree = {
  'connect-src': ["'self'", 'https:'],
  'img-src': ["'self'", 'data:', 'blob:', 'https://market-assets.strapi.io'],
  'media-src': ["'self'", 'data:', 'blob:'],
};
/** What it says beside these, unless `useDefaults` is false. */
const MORE_DEFAULTS: Tree = {
  'default-src': ["'self'"],
  'base-uri': ["'self'"],
  'font-src': ["'self'", 'https:', 'data:'],
  'form-action': ["'self'"],
  'frame-ancestors': ["'self'"],
  'object-src': ["'none'"],
  'script-src': ["'self'"],
  'script-src-attr': ["'none'"],
  'style-src': ["'self'", 'https:', "'unsafe-inline'"],
};

const DIRECTIVES = 'contentSecurityPolicy.directives';

/** The content security policy of pages; undefined for none. */
function policyOf(security: ConfigFile): string | undefined {
  const setting = valueAt(security, 'contentSecurityPolicy') ?? {};
  if (setting === false) return undefined;
  if (setting !== true && !isTree(setting)) {
    throw wrong(security, 'contentSecurityPolicy', 'true, false or an object');
  }
  const own = isTree(setting) ? (setting['directives'] ?? {}) : {};
  if (!isTree(own)) throw wrong(security, DIRECTIVES, 'an object');
  const spelt = spellingsOf(security, own);
  const named = Object.fromEntries(Object.entries(own).map(([name, value]) => [dashed(name), value]));
  const useDefaults = !isTree(setting) || setting['useDefaults'] !== false;
  const all: Tree = { ...DEFAULTS, ...(useDefaults ? MORE_DEFAULTS : {}), ...named };
  const parts = Object.entries(all).flatMap(([name, value]) => {
    if (value === null || value === undefined || value === false) return [];
    // a function is code of the project: what it would add is not allowed
    const sources = value === true ? [] : presentEntries([value].flat()).filter((one) => typeof one !== 'function');
    const isSource = (one: unknown): one is string =>
      typeof one === 'string' && /^[\x21-\x2b\x2d-\x3a\x3c-\x7e ]*$/.test(one);
    if (!sources.every(isSource)) {
      throw wrong(
        security,
        `${DIRECTIVES}.${spelt.get(name) ?? name}`,
        'a list of sources, without commas and semicolons',
      );
    }
    return [[name, ...sources].join(' ')];
  });
  return parts.join(';');
}

/** How directives are written, by their names. Two spellings of one, and what is no name, helmet refuses as well. */
function spellingsOf(security: ConfigFile, own: Tree): ReadonlyMap<string, string> {
  const spelt = new Map<string, string>();
  for (const written of Object.keys(own)) {
    if (!/^[A-Za-z\d-]+$/.test(written)) {
      throw wrong(security, DIRECTIVES, `directives by their names, which ${JSON.stringify(written)} is not`);
    }
    const name = dashed(written);
    const other = spelt.get(name);
    if (other !== undefined) throw wrong(security, `${DIRECTIVES}.${written}`, `left out: ${other} is the same`);
    spelt.set(name, written);
  }
  return spelt;
}

/** `script-src` of `scriptSrc`. */
const dashed = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
