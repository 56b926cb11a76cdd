/**
 * Collects the mistakes in the values of a body for one answer (docs/reference/errors.md). A body may have a mistake in
 * each value, and each failure quotes one, so a fixed budget limits the report while it is collected. Failures beyond
 * it are counted.
 */
import { ContentError, cut } from './errors.ts';
import { meant } from './nearest.ts';
import { type Reason, type ReasonCode, type ReasonValues, reason, reasonOfFailure, withReason } from './reasons.ts';

/** Limits of the reported failures, listed in `docs/reference/limits.md`. */
export const failureLimits = {
  /** Failures that are reported individually. */
  failures: 30,
  /** Characters of a wrong value: of a text, or of the JSON of another value. */
  value: 300,
  /** Characters of a value that a message quotes. */
  quotation: 100,
  /** Characters of one step of a path, which may be a key of the caller's. */
  step: 100,
  /** Characters of all paths, messages and values; the first failure is always reported. */
  characters: 32_768,
} as const;

/** The place of a value, as a chain, so that a step down costs the same at any depth. Undefined is the body itself. */
export type Place = { readonly above: Place; readonly key: string | number } | undefined;

/** The place one step below another. */
export const below = (above: Place, key: string | number): Place => ({ above, key });

/** The place at the end of steps from the body. */
export const at = (...keys: readonly (string | number)[]): Place => keys.reduce<Place>(below, undefined);

/** The steps to a place as an answer gives them: strings, indexes included. */
function pathOf(place: Place): string[] {
  const path: string[] = [];
  for (let step = place; step; step = step.above) path.push(cut(String(step.key), failureLimits.step));
  return path.reverse();
}

/** `slots[1].label` for the path `slots, 1, label`; `this` for the body itself. */
function labelOf(path: readonly string[]): string {
  if (path.length === 0) return 'this';
  return path.map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`)).join('');
}

type Said = string | ((label: string) => string);

/** A sentence with its reason. */
export interface Reasoned<S extends Said = string> {
  readonly said: S;
  readonly why: Reason;
}

/** A message without the value, with its reason if it has one; a function receives the label of the place. */
export type Sentence = Said | Reasoned<Said>;

/** A sentence with its reason. */
export const because = <S extends Said, C extends ReasonCode>(
  said: S,
  code: C,
  ...values: ReasonValues<C>
): Reasoned<S extends string ? string : S> => ({
  said: said as S extends string ? string : S,
  why: reason(code, ...values),
});

/** The sentences of bodies that many values share. */
export const REQUIRED = because((label) => `${label} is a required field`, 'required');
export const NO_EMAIL = because((label) => `${label} must be a valid email`, 'noEmail');
export const EMAIL_TAKEN = because('Email already taken', 'emailTaken');
export const atMost = (limit: number): Sentence =>
  because((label) => `${label} must be at most ${limit} characters`, 'tooLong', { limit });
/** The refusal of a text that is too long, or has control characters. */
export const plainText = (text: string, limit: number): Sentence => {
  const said: Said = (label) => `${label} must be at most ${limit} characters, without control characters`;
  return text.length > limit ? because(said, 'tooLong', { limit }) : because(said, 'characters');
};

/** A failure in an answer. */
interface ReportedFailure {
  readonly path: readonly string[];
  readonly message: string;
  readonly name: 'ValidationError';
  /** Missing if the value is absent or secret. */
  readonly value?: unknown;
}

/** Shared by all views of one collection. */
interface Collected {
  readonly reported: ReportedFailure[];
  count: number;
  characters: number;
}

/** Collects the failures of a body. Once the budget is spent, a failure costs no more than being counted. */
export class Failures {
  readonly #collected: Collected;
  readonly #quotesValues: boolean;

  constructor(collected: Collected = { reported: [], count: 0, characters: 0 }, quotesValues = true) {
    this.#collected = collected;
    this.#quotesValues = quotesValues;
  }

  /** The number of failures, reported or not. */
  get count(): number {
    return this.#collected.count;
  }

  /** The same collection for values that the caller may not see: neither `value` nor a message contains them. */
  withoutValues(): Failures {
    return this.#quotesValues ? new Failures(this.#collected, false) : this;
  }

  /** Adds a failure. An undefined value is absent. */
  add(place: Place, sentence: Sentence, value?: unknown): void {
    this.#add(place, sentence, '', value);
  }

  /** Adds the refusal of a value of another type than `type`, in the reference's words. */
  addWrongType(place: Place, type: string, value: unknown): void {
    const said: Said = (label) => `${label} must be a \`${type}\` type`;
    const sentence = type === 'number' ? because(said, 'noNumber') : said;
    this.#add(place, sentence, '.', value, ', but the final value was: ');
  }

  /** Adds the refusal of null for a required value, in the reference's words: it reads null as no number. */
  addNull(place: Place, type: string): void {
    const printed = type === 'number' ? 'NaN' : 'null';
    const said: Said = (label) => `${label} must be a \`${type}\` type, but the final value was: \`${printed}\`.`;
    this.add(place, because(said, 'required'), null);
  }

  /** Adds a failure for each key of a body or query that is not among the known ones, with the nearest of these. */
  addUnknown(body: object, known: readonly string[]): void {
    for (const key of Object.keys(body)) {
      if (!known.includes(key)) this.add(at(key), (label) => `${label} is not a known key${meant(key, known)}`);
    }
  }

  /** @throws ContentError 400 with the collected failures, if there are any. */
  throwAny(): void {
    if (this.count > 0) throw this.error();
  }

  /** The ContentError of the collected failures, of which there is at least one. */
  error(): ContentError {
    const { reported, count } = this.#collected;
    const more = count - reported.length;
    const message = count === 1 ? reported[0]!.message : `${count} errors occurred`;
    const why = count === 1 ? reasonOfFailure(reported[0]!) : reason('several', { count });
    return new ContentError(
      'ValidationError',
      message,
      { errors: reported, ...(more > 0 ? { more } : {}) },
      { reason: why },
    );
  }

  /** `quoting` introduces the value in the message, if values are reported. */
  #add(place: Place, sentence: Sentence, end: string, value: unknown, quoting?: string): void {
    const { reported } = this.#collected;
    this.#collected.count++;
    if (reported.length >= failureLimits.failures || this.#collected.characters >= failureLimits.characters) return;
    const path = pathOf(place);
    const { said: text, why } = typeof sentence === 'object' ? sentence : { said: sentence, why: undefined };
    const said = cut(typeof text === 'string' ? text : text(labelOf(path)), ContentError.messageLength);
    const json = this.#quotesValues ? jsonStart(value, failureLimits.value) : undefined;
    const quotation =
      quoting !== undefined && this.#quotesValues
        ? `${quoting}\`${cut(json ?? 'undefined', failureLimits.quotation)}\``
        : '';
    const message = said + quotation + end;
    const shown = json === undefined ? {} : { value: tellable(value, json) };
    reported.push(withReason({ path, message, name: 'ValidationError', ...shown }, why));
    this.#collected.characters += path.join().length + message.length + (json?.length ?? 0);
  }
}

/** The validation error of one value. */
export function validationFailure(place: Place, sentence: Sentence, value?: unknown): ContentError {
  const failures = new Failures();
  failures.add(place, sentence, value);
  return failures.error();
}

/** A value in an answer: itself, or its beginning as a string if it is long. `json` is the beginning of its JSON. */
function tellable(value: unknown, json: string): unknown {
  if (typeof value === 'string') return cut(value, failureLimits.value);
  return json.length <= failureLimits.value ? JSON.parse(json) : cut(json, failureLimits.value);
}

/**
 * The JSON of a value; of a long one the beginning, at least one character beyond `limit`. A BigInt becomes a text.
 * Undefined for what JSON cannot represent. It reads no more of the value than it writes.
 */
function jsonStart(value: unknown, limit: number): string | undefined {
  let text = '';
  const write = (item: unknown): void => {
    if (typeof item === 'string') text += JSON.stringify(item.slice(0, limit + 1));
    else if (typeof item === 'bigint') text += JSON.stringify(String(item));
    else if (Array.isArray(item)) writeAll('[', item, ']', write);
    else if (typeof item === 'object' && item !== null) {
      const members = item as Readonly<Record<string, unknown>>;
      const keys = Object.keys(item).filter((key) => isJson(members[key]));
      writeAll('{', keys, '}', (key) => {
        write(key);
        text += ':';
        write(members[key]);
      });
    } else text += isJson(item) ? JSON.stringify(item) : 'null';
  };
  const writeAll = <T>(open: string, items: readonly T[], close: string, one: (item: T) => void): void => {
    text += open;
    for (let index = 0; index < items.length && text.length <= limit; index++) {
      if (index > 0) text += ',';
      one(items[index]!);
    }
    text += close;
  };
  if (!isJson(value)) return undefined;
  write(value);
  return text;
}

const isJson = (value: unknown): boolean =>
  value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';

/** The flags that a body gives, by their names. Other values than true and false are failures. */
export function flagsIn(
  body: Readonly<Record<string, unknown>>,
  names: readonly string[],
  failures: Failures,
): Record<string, unknown> {
  const flags: Record<string, unknown> = {};
  for (const name of names) {
    const value = body[name];
    if (value === undefined) continue;
    if (typeof value !== 'boolean') failures.add(at(name), `${name} must be true or false`, value);
    flags[name] = value;
  }
  return flags;
}
