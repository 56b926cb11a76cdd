/** A mistake in a project's schema files and its message. */
import { isSlip, nearest } from '../../nearest.ts';

export interface Problem {
  /** Path of the file inside the project, with forward slashes. */
  readonly file: string;
  /**
   * The place in the file: keys and array indexes joined with dots (`attributes.title.type`); empty for the whole file.
   */
  readonly path: string;
  readonly message: string;
  /** The nearest valid word, if there is one. */
  readonly nearest?: string;
  /** For a warning: whether the word differs by one edit from a valid one, which `check` treats as a mistake. */
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

  /** Adds a mistake that prevents a start. `word` is compared with `candidates` for a hint. */
  problem(
    file: string,
    path: readonly (string | number)[],
    message: string,
    word?: string,
    candidates?: Iterable<string>,
  ): void {
    this.problems.push(finding(file, path, message, word, candidates));
  }

  /** Adds a warning about something that the reference accepts and that is probably not meant. */
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
   * Reports an option that is probably mistyped. Other unknown options are ignored, since the reference, its editor and
   * plugins store many without effect on an API.
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
