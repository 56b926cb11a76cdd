/**
 * The server's version of a draft: compares it with the form, and determines the values to send and to store on the
 * device.
 */
import type { DocumentAnswer } from '../../../contract/documents.ts';
import type { FieldError } from '../../data/failures.ts';
import { differences } from '../../form/values/differences.ts';
import { differingValues } from '../../form/values/equal.ts';
import { withCounts } from '../../form/values/links.ts';
import type { Path, Values } from '../../form/values/model.ts';
import { hasPassword, withoutPasswords } from '../../form/values/passwords.ts';
import { pathText } from '../../form/values/path.ts';
import { type RefusedValue, refusedValues, withFieldPaths } from '../../form/values/refused-values.ts';
import { same, sameContent } from '../../form/values/same.ts';
import { sendable, toBody, type Unsendable, unsendable } from '../../form/values/to-body.ts';
import { unparsedText } from '../../form/values/unparsed.ts';
import { withLoadedLinks } from '../../form/values/with-saved.ts';
import type { DraftSetup } from './draft-state.ts';

type Content = Pick<DraftSetup, 'schema' | 'model' | 'initial'>;

export class Baseline {
  readonly #content: Content;
  #values: Values | null;
  #refused: readonly RefusedValue[] = [];
  /** The values of a request without an answer, which the server may have processed. */
  unanswered: Values | undefined;
  /** When the last answer was taken, by `performance.now()`. */
  takenAt = 0;

  constructor(content: Content, server: DocumentAnswer) {
    this.#content = content;
    this.#values = this.#valuesOf(server);
  }

  /** The server's values in the format of the form; null if it has none. */
  get values(): Values | null {
    return this.#values;
  }

  /** The values of a form without changes. */
  get shown(): Values {
    return this.#values ?? this.#content.initial;
  }

  /** The same for a form with loaded links, which stay loaded. */
  shownIn(values: Values): Values {
    const { schema, model } = this.#content;
    return withLoadedLinks(schema, model, values, this.shown);
  }

  /** Takes an answer as the server's version. */
  take(answer: DocumentAnswer): void {
    this.#values = this.#valuesOf(answer);
    this.takenAt = performance.now();
  }

  /** The body that would be sent for the values. */
  bodyOf(values: Values): Values {
    const { schema, model } = this.#content;
    return toBody(schema, model, values, this.#values, this.#refused);
  }

  /** The values as the server will have them after it has processed the body. */
  sentOf(values: Values): Values {
    const { schema, model } = this.#content;
    return sendable(schema, model, values, this.#values, this.#refused);
  }

  /** The values that are not sent, because not even a draft can have them or because the server has refused them. */
  heldBack(values: Values): readonly Unsendable[] {
    const { schema, model } = this.#content;
    return unsendable(schema, model, values, this.#values, this.#refused);
  }

  /** The errors of values, adjusted to the fields of the form. */
  placed(errors: readonly FieldError[], values: Values): readonly FieldError[] {
    const { schema, model } = this.#content;
    return withFieldPaths(schema, model, values, errors, Object.keys(this.bodyOf(values)));
  }

  /** Excludes refused values from requests until they change or are released. Returns whether this reduces the body. */
  holdBack(errors: readonly FieldError[], values: Values): boolean {
    const { schema, model } = this.#content;
    const before = this.bodyOf(values);
    this.#refused = [...this.#refused, ...refusedValues(schema, model, values, errors)];
    return !same(this.bodyOf(values), before);
  }

  /** Includes refused values in requests again. */
  release(): void {
    this.#refused = [];
  }

  /** The names of the changed attributes. */
  written(values: Values): ReadonlySet<string> {
    const waiting = this.heldBack(values).map(({ path: [name] }) => String(name));
    return new Set([...Object.keys(this.bodyOf(values)), ...waiting]);
  }

  /** Whether the server has all values that can be sent. */
  isSent(values: Values): boolean {
    if (this.unanswered) return false;
    if (this.#values === null && values === this.#content.initial) return true;
    return Object.keys(this.bodyOf(values)).length === 0;
  }

  isSaved(values: Values): boolean {
    return this.isSent(values) && this.heldBack(values).length === 0;
  }

  /** The values that the server does not have. */
  missing(values: Values): Values {
    const { schema, model } = this.#content;
    return differingValues(schema, model, values, this.#values);
  }

  /** The unsaved values that the device stores, without passwords; undefined if there are none. */
  toKeep(values: Values): Values | undefined {
    if (this.isSaved(values)) return undefined;
    const changed = Object.entries(this.withoutPasswords(values)).filter(
      // An incomplete date would be invisible when restored.
      ([name, value]) => !same(value, this.#values?.[name]) && unparsedText(value) !== '',
    );
    return changed.length === 0 ? undefined : Object.fromEntries(changed);
  }

  /** Whether the values contain an unsaved password. @param arriving values that the server will have. */
  hasUnsavedPassword(values: Values, arriving?: Values): boolean {
    const { schema, model } = this.#content;
    if (this.isSaved(values) || !hasPassword(schema, model, this.missing(values))) return false;
    return !arriving || hasPassword(schema, model, differingValues(schema, model, values, this.sentOf(arriving)));
  }

  /** Whether a body contains a password. */
  hasPassword(body: Values): boolean {
    const { schema, model } = this.#content;
    return hasPassword(schema, model, body);
  }

  /** The values without passwords. */
  withoutPasswords(values: Values): Values {
    const { schema, model } = this.#content;
    return withoutPasswords(schema, model, values);
  }

  /** Whether an answer differs only in its timestamps. */
  isAsIn(answer: DocumentAnswer): boolean {
    return sameContent(this.#valuesOf(answer), this.#values);
  }

  /**
   * The values that an answer confirms, saved by any user: those of a request without an answer, or the current ones.
   * Undefined if it has others.
   */
  agreeing(answer: DocumentAnswer, values: Values): Values | undefined {
    const { schema, model } = this.#content;
    const theirs = this.#valuesOf(answer);
    if (!theirs) return undefined;
    const sent = this.unanswered;
    const unsent = new Set((sent ? this.heldBack(sent) : []).map(({ path }) => pathText(path)));
    const isOther = ({ path }: { readonly path: Path }): boolean => !unsent.has(pathText(path));
    // The answer does not tell whether a password has arrived, so it is sent again.
    if (sent && !differences(schema, model, sent, theirs, 'shown').some(isOther)) return this.withoutPasswords(sent);
    return Object.keys(differingValues(schema, model, values, theirs)).length === 0 ? values : undefined;
  }

  /**
   * Takes a newer answer and returns its values with the changes of the form. Undefined, and nothing is taken, if an
   * attribute was changed on both sides.
   */
  bringOver(answer: DocumentAnswer, values: Values): Values | undefined {
    const { schema, model } = this.#content;
    const theirs = this.#valuesOf(answer);
    if (!theirs || this.#values === null) return undefined;
    const written = this.written(values);
    const isTheirs = Object.keys(toBody(schema, model, theirs, this.#values)).some((name) => written.has(name));
    if (isTheirs) return undefined;
    this.#values = theirs;
    return {
      ...this.shownIn(values),
      ...Object.fromEntries(Object.entries(values).filter(([name]) => written.has(name))),
    };
  }

  #valuesOf(answer: DocumentAnswer): Values | null {
    return answer.draft && withCounts(this.#content.schema, this.#content.model, answer.draft, answer);
  }
}
