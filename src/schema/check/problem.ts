/** A mistake in a project's schema files, and how it is reported. */
import { isSlip, nearest } from '../../nearest.ts';

export interface Problem {
  /** Path of the file inside the project, with forward slashes. */
  readonly file: string;
  /** Where in the file: keys and array indexes joined with dots (`attributes.title.type`); empty for the whole file. */
  readonly path: string;
  readonly message: string;
  /** The nearest valid word, when there is one. */
  readonly nearest?: string;
  /** Of a warning: whether it is a word that is one slip away from one that means something, which `check` takes for a mistake. */
  readonly isSlip?: boolean;
}

/** One line: `file: path: message (did you mean x?)`. */
export function formatProblem({ file, path, message, nearest: hint }: Problem): string {
  return `${file}: ${path ? `${path}: ` : ''}${message}${hint === undefined ? '' : ` (did you mean ${hint}?)`}`;
}

/** Collects the problems and warnings of a check. */
export class Findings {
  readonly problems: Problem[] = [];
  readonly warnings: Problem[] = [];

  /** A mistake that keeps the project from starting. `word` is looked up among `candidates` for a hint. */
  problem(
    file: string,
    path: readonly (string | number)[],
    message: string,
    word?: string,
    candidates?: Iterable<string>,
  ): void {
    this.problems.push(finding(file, path, message, word, candidates));
  }

  /** Something that the reference accepts, so that it keeps no project from starting, but is likely not meant. */
  warning(
    file: string,
    path: readonly (string | number)[],
    message: string,
    word?: string,
    candidates?: Iterable<string>,
  ): void {
    this.warnings.push(finding(file, path, message, word, candidates));
  }

  /**
   * Reports an option that is probably mistyped. Other unknown ones are left alone: the reference, its editor and its
   * plugins keep many in schema files that mean nothing to an API.
   */
  unknownOption(file: string, path: readonly (string | number)[], key: string, known: readonly string[]): void {
    if (nearest(key, known) === undefined) return;
    const found = finding(file, path, `unknown option ${key}`, key, known);
    this.warnings.push(isSlip(key, known) ? { ...found, isSlip: true } : found);
  }
}

function finding(
  file: string,
  path: readonly (string | number)[],
  message: string,
  word?: string,
  candidates?: Iterable<string>,
): Problem {
  const hint = word !== undefined && candidates ? nearest(word, candidates) : undefined;
  return { file, path: path.join('.'), message, ...(hint === undefined ? {} : { nearest: hint }) };
}
