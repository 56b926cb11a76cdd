/** `preview` of `config/admin`: where the site shows drafts of each content type. */
import type { PreviewConfig } from './config.ts';
import { type ConfigFile, isTree } from './config-file.ts';
import { booleanAt, presentEntries, valueAt, wrong } from './values.ts';

/** Dotted paths of `preview` that count here. The reference's `config.handler` is code, which nothing runs. */
export const PREVIEW_KEYS: readonly string[] = ['preview.enabled', 'preview.urls', 'preview.config.allowedOrigins'];

const ORIGINS = 'preview.config.allowedOrigins';
/** Any origin, in `allowedOrigins` as in a content security policy. */
const ANY = '*';
const URLS = 'preview.urls';
/** An address whose scheme and host are fixed; names in braces stand for values behind them. */
const PATTERN = /^https?:\/\/[^\s/?#{}@]+(?:[/?#]\S*)?$/i;

/**
 * The addresses of previews, and the origins that may be shown in a frame: those of the addresses, and those that
 * `allowedOrigins` adds for pages that lead elsewhere; `*` is any origin.
 *
 * @throws UsageError, naming the key, for an address without a fixed host, and for an origin that is none.
 */
export function previewConfig(admin: ConfigFile): PreviewConfig {
  const urls = patternsAt(admin);
  const named = valueAt(admin, ORIGINS) ?? [];
  const origins = presentEntries([named].flat()).map((origin) => {
    if (origin === ANY) return ANY;
    const address = typeof origin === 'string' && PATTERN.test(origin) ? URL.parse(origin) : null;
    if (!address) throw wrong(admin, ORIGINS, "a list of origins, such as 'https://example.com', or '*'");
    return address.origin;
  });
  if (!booleanAt(admin, 'preview.enabled', true) || urls.size === 0) return { urls: new Map(), origins: [] };
  return { urls, origins: [...new Set([...[...urls.values()].map(originOf), ...origins])] };
}

function patternsAt(admin: ConfigFile): ReadonlyMap<string, string> {
  const urls = valueAt(admin, URLS) ?? {};
  if (!isTree(urls)) throw wrong(admin, URLS, 'an object of addresses by uid');
  return new Map(
    Object.entries(urls).map(([uid, pattern]) => {
      if (typeof pattern === 'string' && PATTERN.test(pattern) && URL.canParse(originOf(pattern)))
        return [uid, pattern];
      throw wrong(admin, `${URLS}.${uid}`, "an http or https URL, such as 'https://example.com/{locale}/{slug}'");
    }),
  );
}

const originOf = (pattern: string): string => new URL(/^https?:\/\/[^/?#]+/i.exec(pattern)![0]).origin;
