/** What a command is, and how its arguments are read. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { UsageError } from '../errors.ts';
import { choices, meant } from '../nearest.ts';

/** Where a command writes and what surrounds it: given in, so that a test needs no process. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes a line to stdout: what was asked for. */
  readonly print: (line: string) => void;
  /** Writes a line to stderr: everything else. */
  readonly warn: (line: string) => void;
  /** Reads everything from stdin. */
  readonly input?: (() => Promise<string>) | undefined;
  /** Asks for a text at the terminal; undefined where nobody types. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** Asks for a text at the terminal without showing it; undefined where nobody types. */
  readonly askSecret?: ((question: string) => Promise<string>) | undefined;
  /** Draws on the terminal that stderr is; undefined where it is none. */
  readonly terminal?: ((text: string) => void) | undefined;
}

export interface Command {
  /** One or two words: `start`, `token create`. */
  readonly name: string;
  readonly summary: string;
  /** Everything that `galley <name> --help` prints. */
  readonly help: string;
  /** Runs with the arguments behind the name and gives the exit code. Throws UsageError for wrong ones. */
  run(args: readonly string[], surroundings: Surroundings): Promise<number>;
}

/** The folder of a command whose DIR was left out. */
export const WORKING_FOLDER = '.';

/** Flags and positional arguments of one call. */
export interface ParsedArguments {
  /** The value of a flag that was given once. */
  flag(name: string): string | undefined;
  /** Whether a flag without a value was given. */
  switched(name: string): boolean;
  /** The values of a flag that may be repeated. */
  flags(name: string): readonly string[];
  /** Positional arguments, as many as `positionals` names at most. */
  readonly positionals: readonly string[];
}

/**
 * Reads a command's arguments: flags by the configuration of node:util's parseArgs, `positionals` the names of the
 * others, for messages; undefined where there may be any number. Throws UsageError with one line for an unknown flag
 * (with the nearest), a flag without its value and an argument too many.
 */
export function readArguments(
  command: string,
  args: readonly string[],
  options: ParseArgsOptionsConfig,
  positionals: readonly string[] | undefined,
): ParsedArguments {
  const parsed = parse(command, args, options);
  const surplus = positionals && parsed.positionals[positionals.length];
  if (positionals && surplus !== undefined) {
    const most = positionals.length === 0 ? 'takes no arguments' : `takes only ${positionals.join(' ')}`;
    throw new UsageError(`unexpected argument ${surplus}: galley ${command} ${most}`);
  }
  const values = parsed.values as Record<string, string | string[] | undefined>;
  const given = parsed.values as Record<string, unknown>;
  return {
    flag: (name) => [values[name] ?? []].flat()[0],
    switched: (name) => given[name] === true,
    flags: (name) => [values[name] ?? []].flat(),
    positionals: parsed.positionals,
  };
}

function parse(command: string, args: readonly string[], options: ParseArgsOptionsConfig) {
  try {
    return parseArgs({ args: joinedNegatives(args, options), options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
      const flag = /'(-[^']*)'/.exec(message)?.[1] ?? 'flag';
      throw new UsageError(`unknown flag ${flag}${hintFor(flag, options)}; see galley ${command} --help`);
    }
    if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' && message.includes('ambiguous')) {
      const flag = /'(--[^']*)'/.exec(message)?.[1] ?? 'a flag';
      throw new UsageError(`${flag} needs a value; one that begins with a dash is written as ${flag}=-…`);
    }
    const firstLine = message.split('\n', 1)[0]!.replace(/\.$/, '');
    throw new UsageError(`${firstLine[0]!.toLowerCase()}${firstLine.slice(1)}; see galley ${command} --help`);
  }
}

/**
 * `--port -1` as `--port=-1`: parseArgs would take -1 for a flag, which no command has, and not say what the value must
 * be.
 */
function joinedNegatives(args: readonly string[], options: ParseArgsOptionsConfig): string[] {
  const joined: string[] = [];
  const end = args.indexOf('--');
  args.forEach((arg, index) => {
    const before = joined.at(-1);
    const isValue = /^-\d/.test(arg) && before?.startsWith('--') && options[before.slice(2)]?.type === 'string';
    if (isValue && (end === -1 || index < end)) joined[joined.length - 1] = `${before}=${arg}`;
    else joined.push(arg);
  });
  return joined;
}

/** The flag that is likely meant, else all that the command takes. */
function hintFor(flag: string, options: ParseArgsOptionsConfig): string {
  const flags = [...Object.keys(options), 'help'].map((name) => `--${name}`);
  return meant(flag, flags) || choices(flag, flags);
}

/** The whole number of a flag, from `least` to `most`. Throws UsageError naming the flag. */
export function integerFlag(name: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`--${name} must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
}
