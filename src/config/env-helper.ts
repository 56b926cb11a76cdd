/**
 * The `env` function that a configuration file is given: `env('KEY', fallback)` with its typed readers. The semantics
 * are Strapi's (its documentation, "Environment configuration and variables"), odd corners included, since an existing
 * project relies on them.
 */

/** Environment variables by name: the process's, with those of `.env` beneath. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** `env` as a configuration file sees it. A fallback is given back as it is, whatever its type. */
export interface EnvFunction {
  (key: string, fallback?: unknown): unknown;
  int(key: string, fallback?: unknown): unknown;
  float(key: string, fallback?: unknown): unknown;
  /** True only for `true`. */
  bool(key: string, fallback?: unknown): unknown;
  /** Throws when the variable is not valid JSON. */
  json(key: string, fallback?: unknown): unknown;
  /** Splits at commas; surrounding brackets, blanks and double quotes go. */
  array(key: string, fallback?: unknown): unknown;
  date(key: string, fallback?: unknown): unknown;
  /** The variable when it is one of `expected`, else the fallback. Throws when the fallback is none of them. */
  oneOf(key: string, expected: readonly unknown[], fallback?: unknown): unknown;
}

/** Makes the `env` function over the given variables. */
export function createEnv(variables: Variables): EnvFunction {
  const read =
    (convert: (text: string, key: string) => unknown) =>
    (key: string, fallback?: unknown): unknown => {
      const text = Object.hasOwn(variables, key) ? variables[key] : undefined;
      return text === undefined ? fallback : convert(text, key);
    };
  const plain = read((text) => text);
  return Object.assign((key: string, fallback?: unknown) => plain(key, fallback), {
    int: read((text) => Number.parseInt(text, 10)),
    float: read((text) => Number.parseFloat(text)),
    bool: read((text) => text === 'true'),
    json: read(parseJson),
    array: read(splitList),
    date: read((text) => new Date(text)),
    oneOf(key: string, expected: readonly unknown[], fallback?: unknown): unknown {
      if (!Array.isArray(expected)) throw new Error(`env.oneOf('${key}') needs a list of expected values`);
      if (fallback && !expected.includes(fallback)) {
        throw new Error(`env.oneOf('${key}') needs a fallback that is one of the expected values`);
      }
      const value = plain(key, fallback);
      return expected.includes(value) ? value : fallback;
    },
  });
}

function parseJson(text: string, key: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which may be a secret.
    throw new Error(`the environment variable ${key} is not valid JSON`);
  }
}

function splitList(text: string): string[] {
  const inner = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  return inner.split(',').map((item) => item.replace(/^ +| +$/g, '').replace(/^"+|"+$/g, ''));
}
