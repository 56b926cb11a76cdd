/** The interface of all commands, and the parser of their arguments. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { UsageError } from '../errors.ts';
import { choices, meant } from '../nearest.ts';
import { programText } from '../own-files.ts';

/** The environment, output and input of a command. Tests pass their own, and need no process. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes a line of the result to stdout. */
  readonly print: (line: string) => void;
  /** Writes any other line to stderr. */
  readonly warn: (line: string) => void;
  /** Reads everything from stdin. */
  readonly input?: (() => Promise<string>) | undefined;
  /** Asks for a text at the terminal; undefined if stdin is not a terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** The same without showing the typed text. */
  readonly askSecret?: ((question: string) => Promise<string>) | undefined;
  /** Draws on the terminal; undefined if stderr is not a terminal. */
  readonly terminal?: ((text: string) => void) | undefined;
}

export interface Command {
  /** One to three words: `start`, `token create`, `admin role list`. */
  readonly name: string;
  readonly summary: string;
  /** Whether it answers requests: changes are made by their callers, not by the command. */
  readonly isServer?: true;
  /** The text that `galley <name> --help` prints. */
  readonly help: string;
  /**
   * Runs the command with the arguments after its name.
   *
   * @returns the exit code.
   * @throws UsageError for wrong arguments.
   */
  run(args: readonly string[], surroundings: Surroundings): Promise<number>;
}

/** The default of DIR. */
export const WORKING_FOLDER = '.';

/** The flags and positional arguments of one call. */
export interface ParsedArguments {
  /** The value of a flag; undefined if the call does not have it. */
  flag(name: string): string | undefined;
  /** Whether the call has a flag without a value. */
  switched(name: string): boolean;
  /** All values of a flag that may be repeated. */
  flags(name: string): readonly string[];
  /** The other arguments, at most as many as the command takes. */
  readonly positionals: readonly string[];
}

/**
 * Parses the arguments of a command.
 *
 * @param options the flags, as node:util's parseArgs takes them.
 * @param positionals the names of the other arguments, for messages; undefined if there may be any number of them.
 * @throws UsageError in one line for an unknown flag (with the nearest one), a flag without its value and a surplus
 *   argument.
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
  return {
    flag: (name) => [values[name] ?? []].flat()[0],
    switched: (name) => parsed.values[name] === true,
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
      throw new UsageError(`unknown flag ${flag}${hintFor(flag, options)}; see ${programText()} ${command} --help`);
    }
    if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' && message.includes('ambiguous')) {
      const flag = /'(--[^']*)'/.exec(message)?.[1] ?? 'a flag';
      throw new UsageError(`${flag} needs a value; one that begins with a dash is written as ${flag}=-…`);
    }
    const firstLine = message.split('\n', 1)[0]!.replace(/\.$/, '');
    throw new UsageError(`${firstLine[0]!.toLowerCase()}${firstLine.slice(1)}; see ${programText()} ${command} --help`);
  }
}

/**
 * Joins `--port -1` to `--port=-1`. Otherwise parseArgs would call -1 an unknown flag, and the message would not name the
 * valid values.
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

/** Names the nearest flag, or else all flags of the command. */
function hintFor(flag: string, options: ParseArgsOptionsConfig): string {
  const flags = [...Object.keys(options), 'help'].map((name) => `--${name}`);
  return meant(flag, flags) || choices(flag, flags);
}

interface ArgumentCommand {
  readonly name: string;
  readonly summary: string;
  /** The name of the argument in the help: `EMAIL`. */
  readonly argument: string;
  /** The help after the usage. */
  readonly about: string;
  run(argument: string, dir: string | undefined, surroundings: Surroundings): Promise<number>;
}

/** A command that takes one argument and DIR, and no flags. */
export function argumentCommand({ name, summary, argument, about, run }: ArgumentCommand): Command {
  return {
    name,
    summary,
    help: `galley ${name} ${argument} [DIR]\n\n${about}`,
    async run(args, surroundings) {
      const { positionals } = readArguments(name, args, {}, [argument, 'DIR']);
      const [value, dir] = positionals;
      if (value === undefined) throw missingArgument(name, `${/^[AEIOU]/.test(argument) ? 'an' : 'a'} ${argument}`);
      return run(value, dir, surroundings);
    },
  };
}

/** The error for a call that lacks an argument: `galley token revoke needs a TOKEN; see …`. */
export const missingArgument = (command: string, argument: string): UsageError =>
  new UsageError(`galley ${command} needs ${argument}; see ${programText()} ${command} --help`);

/**
 * Parses the whole number of a flag.
 *
 * @throws UsageError that names the flag, for any other text and a number outside of `least` to `most`.
 */
export function integerFlag(name: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`--${name} must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
}
