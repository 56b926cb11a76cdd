/** What is said of types that streams of changes leave out because of the project's code: at the start, and in the log. */
import type { CodeConfig } from '../../config/config.ts';
import { counted } from '../../counted.ts';
import { toWrite } from '../report.ts';

export interface LeftOut {
  readonly uid: string;
  /** The code, each piece with its file. */
  readonly reasons: readonly string[];
  /** Whether `serve` of `config/galley` has streams tell of the type. */
  readonly canBeServed: boolean;
}

/**
 * The message about types that streams of changes leave out; undefined where there are none.
 *
 * @param path that of the streams.
 * @param opening the lists of `config/galley` that open closed actions, where some were told before: the line to paste is
 * then for both.
 */
export function silencedMessage(
  leftOut: readonly LeftOut[],
  path: string,
  config: CodeConfig,
  opening?: Pick<CodeConfig, 'serve' | 'safeToSkip'>,
): string | undefined {
  if (leftOut.length === 0) return undefined;
  const served = leftOut.filter(({ canBeServed }) => canBeServed).map(({ uid }) => `${uid}.find`);
  const others = leftOut.filter(({ canBeServed }) => !canBeServed).map(({ uid }) => uid);
  const them = leftOut.length === 1 ? 'it' : 'them';
  const lines = [
    `Streams of changes (${path}) leave out ${counted(leftOut.length, 'type')}: code of the project may refuse to show ${them} or change what is shown, and only requests ask that code.`,
    ...silenceText(leftOut).map((line) => `    ${line}`),
  ];
  if (served.length > 0) {
    const { safeToSkip, serve } = opening ?? config;
    const lists = { safeToSkip, serve: [...new Set([...serve, ...served])] };
    const told = served.length === leftOut.length ? them : 'the others';
    const both = opening === undefined ? '' : ' and to serve what is closed above';
    lines.push(`  To include ${told} all the same${both}, ${toWrite(config)}`, `    ${config.written(lists)}`);
  }
  if (others.length > 0) lines.push(`  A policy of src/galley always keeps its type out: ${others.join(', ')}.`);
  return lines.join('\n');
}

/** One line for the log about types that a listener is not told of although it may find them. */
export function silencedReason(leftOut: readonly LeftOut[]): string | undefined {
  if (leftOut.length === 0) return undefined;
  const remedy = leftOut.some(({ canBeServed }) => canBeServed)
    ? '; config/galley can open what it does not guard'
    : '';
  return `streams of changes leave out ${silenceText(leftOut).join('; ')}${remedy}`;
}

/** Types with what stands before them, those with the same code together. */
function silenceText(leftOut: readonly LeftOut[]): string[] {
  const groups = Map.groupBy(leftOut, ({ reasons }) => reasons.join('; '));
  return [...groups].map(([reasons, types]) => `${types.map(({ uid }) => uid).join(', ')}: ${reasons}`);
}
