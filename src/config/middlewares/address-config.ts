/** `strapi::ip` of `config/middlewares`: whose requests are answered at all, by their addresses. */
import { types } from 'node:util';
import { UsageError } from '../../errors.ts';
import type { AddressRules } from '../config.ts';
import { type ConfigFile, isTree } from '../config-file.ts';
import { presentEntries, valueAt } from '../values.ts';

const NAME = 'strapi::ip';
/** What the reference takes. `handler` answers in its place whoever is refused: that is code of the project, and not run. */
const KEYS = ['whitelist', 'blacklist', 'handler'];

/**
 * The rules of each entry: a request must be let in by all of them. As in the reference a list of patterns by itself is a
 * whitelist.
 *
 * @throws UsageError for what cannot be understood, since it is a guard.
 */
export function addressRules(middlewares: ConfigFile<readonly unknown[]>, server: ConfigFile): readonly AddressRules[] {
  const rules = middlewares.value.flatMap((entry): AddressRules[] => {
    if (!isTree(entry) || entry['name'] !== NAME || entry['config'] === undefined) return [];
    const { config } = entry;
    const lists = isTree(config) ? config : { whitelist: [config].flat() };
    const unknown = Object.keys(lists).find((key) => !KEYS.includes(key));
    if (unknown !== undefined || config === null) {
      throw wrongRule(
        middlewares,
        `config${unknown === undefined ? '' : `.${unknown}`}`,
        'is not known: it takes whitelist and blacklist',
      );
    }
    const list = (key: string) => patternsOf(middlewares, key, lists[key]);
    const [allowed, refused] = [list('whitelist'), list('blacklist') ?? []];
    return allowed === undefined && refused.length === 0 ? [] : [{ allowed, refused }];
  });
  if (rules.length > 0 && valueAt(server, 'proxy.ipHeader') !== undefined) {
    throw new UsageError(
      `${server.path}: proxy.ipHeader is not supported, and ${NAME} of ${middlewares.path} would go by other addresses: use proxy.trust`,
    );
  }
  return Object.freeze(rules);
}

function patternsOf(file: ConfigFile<unknown>, key: string, value: unknown): readonly RegExp[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw wrongRule(file, `config.${key}`, "must be a list of patterns, such as ['10.0.0.1']");
  return presentEntries(value).map((item, index) => patternOf(file, `config.${key}[${index}]`, item));
}

/** A pattern as the reference tests it: a regular expression that is looked for in the address. */
function patternOf(file: ConfigFile<unknown>, place: string, item: unknown): RegExp {
  // a pattern that keeps where it stopped would answer every second request otherwise
  if (types.isRegExp(item)) {
    const source = item.sticky ? `^(?:${item.source})` : item.source;
    return new RegExp(source, item.flags.replace(/[gy]/g, ''));
  }
  if (typeof item !== 'string' || item === '') throw wrongRule(file, place, "must be a pattern, such as '10.0.0.1'");
  if (/[\s/]/.test(item)) {
    throw wrongRule(file, place, `can match no address: write ${item} as a pattern, such as '^10\\\\.0\\\\.'`);
  }
  try {
    return new RegExp(item);
  } catch (error) {
    throw wrongRule(file, place, `is no pattern: ${(error as Error).message}`);
  }
}

const wrongRule = ({ path }: ConfigFile<unknown>, place: string, what: string): UsageError =>
  new UsageError(`${path}: ${place} of ${NAME} ${what}`);
