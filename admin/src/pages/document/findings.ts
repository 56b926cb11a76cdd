/** The errors that prevent saving or publishing a draft: one for each field, from the server or else by the schema. */
import type { FieldError } from '../../data/failures.ts';
import type { Path, Values } from '../../form/values/model.ts';
import { isWithin, pathText, valueAt } from '../../form/values/path.ts';
import { type Finding, type Problem, problems } from '../../form/values/problems.ts';
import { same } from '../../form/values/same.ts';
import { isPathShown } from '../../form/values/visibility.ts';
import type { Baseline } from './baseline.ts';
import type { DraftSetup } from './draft-state.ts';

type Content = Pick<DraftSetup, 'schema' | 'model'>;

export class Findings {
  readonly #content: Content;
  readonly #baseline: Baseline;
  /** Whether the document existed when it was opened. Missing values are not reported for a new one. */
  readonly #wasThere: boolean;
  /** The errors of the server, each with the values that it refused. */
  #refused: readonly { readonly error: FieldError; readonly of: Values }[] = [];
  /** Whether errors that only prevent publishing count, because the user has tried to publish. */
  #isStrict = false;

  constructor(content: Content, baseline: Baseline) {
    this.#content = content;
    this.#baseline = baseline;
    this.#wasThere = baseline.values !== null;
  }

  /** Takes the errors of a request. */
  refuse(errors: readonly FieldError[], values: Values): void {
    const anew = new Set(errors.map(({ path }) => pathText(path)));
    const earlier = this.#refused.filter(({ error }) => !anew.has(pathText(error.path)));
    this.#refused = [...earlier, ...errors.map((error) => ({ error, of: values }))];
  }

  /** Includes all errors that prevent publishing, until they are corrected. */
  publish(): void {
    this.#isStrict = true;
  }

  /** The draft was saved. Errors of publishing and of refused values remain. */
  saved(values: Values): void {
    if (this.#isStrict) return;
    const waiting = this.#baseline.heldBack(values);
    this.#refused = this.#refused.filter(({ error }) => waiting.some(({ path }) => isWithin(error.path, path)));
  }

  /** Removes all errors. */
  forget(): void {
    this.#refused = [];
    this.#isStrict = false;
  }

  /** All errors of the values, in the order of the form. */
  of(values: Values): readonly Finding[] {
    this.#refused = this.#refused.filter((refused) => isAsRefused(refused, values));
    const paths = new Set(this.#refused.map(({ error }) => pathText(error.path)));
    const own = this.#problems(values).filter(({ path }) => !paths.has(pathText(path)));
    const found = own.map(({ path, problem }) => ({ path, problem, message: '', name: problem.kind }));
    const { schema, model } = this.#content;
    const refused = this.#refused
      .map(({ error }) => error)
      .filter(({ path }) => isPathShown(schema, model, values, path));
    const all = inOrder(model, [...refused, ...found]);
    if (all.length === 0) this.#isStrict = false;
    return all;
  }

  /**
   * Further errors that only prevent publishing, in the order of the form.
   *
   * @param findings the errors that are shown already.
   */
  advice(values: Values, findings: readonly Finding[]): readonly Finding[] {
    const { schema, model } = this.#content;
    if (!model.draftAndPublish || this.#baseline.values === null) return [];
    const found = problems(schema, model, values, false)
      .filter(({ path, problem }) => {
        const isReported = findings.some((one) => pathText(one.path) === pathText(path));
        return !isReported && (this.#wasThere || problem.kind !== 'required');
      })
      .map(({ path, problem }) => ({ path, problem, message: '', name: problem.kind }));
    return inOrder(model, found);
  }

  /** The errors that still apply to the values. New ones are added when the values are saved. */
  left(findings: readonly Finding[], values: Values): readonly Finding[] {
    if (findings.length === 0) return findings;
    const own = keysOf(this.#problems(values));
    const remaining = findings.filter((finding) => {
      const { path, problem } = finding;
      if (problem) return own.has(keyOf(path, problem));
      const { schema, model } = this.#content;
      const isHere = isPathShown(schema, model, values, path);
      return isHere && this.#refused.some((refused) => refused.error === finding && isAsRefused(refused, values));
    });
    return remaining.length === findings.length ? findings : remaining;
  }

  /** The same for errors that only prevent publishing. */
  leftAdvice(findings: readonly Finding[], values: Values): readonly Finding[] {
    if (findings.length === 0) return findings;
    const { schema, model } = this.#content;
    const own = keysOf(problems(schema, model, values, false));
    const remaining = findings.filter(({ path, problem }) => problem && own.has(keyOf(path, problem)));
    return remaining.length === findings.length ? findings : remaining;
  }

  #problems(values: Values): readonly PathProblem[] {
    if (!this.#isStrict) {
      return this.#baseline.heldBack(values).flatMap(({ path, problem }) => (problem ? [{ path, problem }] : []));
    }
    const { schema, model } = this.#content;
    const all = problems(schema, model, values, this.#baseline.values === null);
    if (model.draftAndPublish || this.#baseline.values === null) return all;
    // Without drafts, only changed attributes are checked.
    const written = this.#baseline.written(values);
    return all.filter(({ path: [name] }) => written.has(String(name)));
  }
}

type PathProblem = { readonly path: Path; readonly problem: Problem };

const keyOf = (path: Path, { kind }: Problem): string => `${pathText(path)} ${kind}`;
const keysOf = (found: readonly PathProblem[]): ReadonlySet<string> =>
  new Set(found.map(({ path, problem }) => keyOf(path, problem)));

function isAsRefused(
  { error: { path }, of }: { readonly error: FieldError; readonly of: Values },
  values: Values,
): boolean {
  return same(valueAt(values, path) ?? null, valueAt(of, path) ?? null);
}

/** Sorts errors by the order of the form. */
export function inOrder(model: Content['model'], found: readonly Finding[]): readonly Finding[] {
  const names = model.layout.edit.flat().map(({ name }) => name);
  const placeOf = ({ path: [name] }: Finding): number => {
    const place = names.indexOf(String(name));
    return place < 0 ? names.length : place;
  };
  return found.toSorted((a, b) => placeOf(a) - placeOf(b));
}
