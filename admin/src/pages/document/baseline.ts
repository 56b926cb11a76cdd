/** What the server has of a draft, and what follows from it: what is still to be sent, and what the device keeps. */
import type { DocumentAnswer } from '../../../contract/documents.ts';
import type { FieldError } from '../../data/failures.ts';
import { differences } from '../../form/values/differences.ts';
import { unlike } from '../../form/values/equal.ts';
import { withCounts } from '../../form/values/links.ts';
import type { Path, Values } from '../../form/values/model.ts';
import { hasPassword, withoutPasswords } from '../../form/values/passwords.ts';
import { pathText } from '../../form/values/path.ts';
import { placed, type Refused, refusedOf } from '../../form/values/refused.ts';
import { same, sameContent } from '../../form/values/same.ts';
import { type HeldBack, heldBack, sendable, toBody } from '../../form/values/to-body.ts';
import { unparsedText } from '../../form/values/unparsed.ts';
import { withReadLinks } from '../../form/values/with-saved.ts';
import type { DraftSetup } from './draft-state.ts';

type Content = Pick<DraftSetup, 'schema' | 'model' | 'initial'>;

export class Baseline {
  readonly #content: Content;
  #values: Values | null;
  #refused: readonly Refused[] = [];
  /** What was sent last, where no answer came: the server may have it. */
  unanswered: Values | undefined;
  /** When an answer was taken last, by `performance.now()`. */
  takenAt = 0;

  constructor(content: Content, server: DocumentAnswer) {
    this.#content = content;
    this.#values = this.#valuesOf(server);
  }

  /** The server's values in the form's shape; null where it has none. */
  get values(): Values | null {
    return this.#values;
  }

  /** What the form shows where nothing is written. */
  get shown(): Values {
    return this.#values ?? this.#content.initial;
  }

  /** The same in a form that shows some values: what was read of their links stays. */
  shownIn(values: Values): Values {
    const { schema, model } = this.#content;
    return withReadLinks(schema, model, values, this.shown);
  }

  /** Makes an answer what the server has. */
  take(answer: DocumentAnswer): void {
    this.#values = this.#valuesOf(answer);
    this.takenAt = performance.now();
  }

  /** What would be sent of the values now. */
  bodyOf(values: Values): Values {
    const { schema, model } = this.#content;
    return toBody(schema, model, values, this.#values, this.#refused);
  }

  /** The values as the server has them once their body has arrived. */
  sentOf(values: Values): Values {
    const { schema, model } = this.#content;
    return sendable(schema, model, values, this.#values, this.#refused);
  }

  /** Values that not even a draft can have, or that the server has refused: they are not sent. */
  heldBack(values: Values): readonly HeldBack[] {
    const { schema, model } = this.#content;
    return heldBack(schema, model, values, this.#values, this.#refused);
  }

  /** The refusals of some values, each at its field. */
  placed(errors: readonly FieldError[], values: Values): readonly FieldError[] {
    const { schema, model } = this.#content;
    return placed(schema, model, values, errors, Object.keys(this.bodyOf(values)));
  }

  /** Sends no more what was refused, until it is written anew or released. Gives whether less is sent of the values. */
  holdBack(errors: readonly FieldError[], values: Values): boolean {
    const { schema, model } = this.#content;
    const before = this.bodyOf(values);
    this.#refused = [...this.#refused, ...refusedOf(schema, model, values, errors)];
    return !same(this.bodyOf(values), before);
  }

  /** Sends what was refused once more. */
  release(): void {
    this.#refused = [];
  }

  /** Names of attributes that are not as the server has them. */
  written(values: Values): ReadonlySet<string> {
    const waiting = this.heldBack(values).map(({ path: [name] }) => String(name));
    return new Set([...Object.keys(this.bodyOf(values)), ...waiting]);
  }

  /** Whether the server has all of the values that can be sent. */
  isSent(values: Values): boolean {
    if (this.unanswered) return false;
    if (this.#values === null && values === this.#content.initial) return true;
    return Object.keys(this.bodyOf(values)).length === 0;
  }

  isSaved(values: Values): boolean {
    return this.isSent(values) && this.heldBack(values).length === 0;
  }

  /** Those of the values that the server does not have. */
  missing(values: Values): Values {
    const { schema, model } = this.#content;
    return unlike(schema, model, values, this.#values);
  }

  /** What the device keeps of the values: what is not saved, and no passwords. Undefined: nothing. */
  toKeep(values: Values): Values | undefined {
    if (this.isSaved(values)) return undefined;
    const changed = Object.entries(this.withoutPasswords(values)).filter(
      // half a date shows nothing that could be brought back
      ([name, value]) => !same(value, this.#values?.[name]) && unparsedText(value) !== '',
    );
    return changed.length === 0 ? undefined : Object.fromEntries(changed);
  }

  /** Whether a password is written in the values that the server does not have. @param arriving what it will have. */
  hasUnsavedPassword(values: Values, arriving?: Values): boolean {
    const { schema, model } = this.#content;
    if (this.isSaved(values) || !hasPassword(schema, model, this.missing(values))) return false;
    return !arriving || hasPassword(schema, model, unlike(schema, model, values, this.sentOf(arriving)));
  }

  /** Whether a password is written in values, such as those that are sent. */
  hasPassword(body: Values): boolean {
    const { schema, model } = this.#content;
    return hasPassword(schema, model, body);
  }

  /** All that the device may keep of the values. */
  withoutPasswords(values: Values): Values {
    const { schema, model } = this.#content;
    return withoutPasswords(schema, model, values);
  }

  /** Whether nothing in an answer differs but when it was written. */
  isAsIn(answer: DocumentAnswer): boolean {
    return sameContent(this.#valuesOf(answer), this.#values);
  }

  /**
   * The values with which an answer agrees, whoever has written it: what was sent from here and went unanswered, or what is
   * written by now. Undefined: it says something else.
   */
  agreeing(answer: DocumentAnswer, values: Values): Values | undefined {
    const { schema, model } = this.#content;
    const theirs = this.#valuesOf(answer);
    if (!theirs) return undefined;
    const sent = this.unanswered;
    const unsent = new Set((sent ? this.heldBack(sent) : []).map(({ path }) => pathText(path)));
    const isOther = ({ path }: { readonly path: Path }): boolean => !unsent.has(pathText(path));
    // whether a password has arrived nothing tells: it is sent once more
    if (sent && !differences(schema, model, sent, theirs, 'shown').some(isOther)) return this.withoutPasswords(sent);
    return Object.keys(unlike(schema, model, values, theirs)).length === 0 ? values : undefined;
  }

  /**
   * Makes a newer answer what the server has, and gives its values with what is written in the others. Undefined, and
   * nothing is taken, where an attribute was written both here and there.
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
