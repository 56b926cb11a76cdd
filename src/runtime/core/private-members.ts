/**
 * Takes private attributes out of the JSON text of documents. The text is scanned and not parsed, so that documents that no
 * code has looked at are sent as the database has written them. It is scanned as a string with one letter for each byte, in
 * which searches take a fraction of the time that calls of a Buffer take.
 */
import type { View } from '../../access/view.ts';
import type { Views } from '../../access/views.ts';
import type { JsonBody } from '../../content/reading/answers.ts';
import type { Catalog, Model } from '../../schema/catalog.ts';
import { targetOf } from '../documents/row-params.ts';

/** The bytes of a text that remain, as the places where each part begins and ends. */
type Parts = number[];

/** A member of a model that is removed, or may contain members that are. */
interface Watched {
  readonly name: string;
  /** The name in quotes, as the text has it. */
  readonly quoted: string;
  readonly isPrivate: boolean;
}

/** The watched members of a model by the length of their names. */
type WatchedMembers = ReadonlyMap<number, readonly Watched[]>;

/** Gives the model of an object, by the values of its members. */
type ModelOf = (value: (name: string) => unknown) => Model | undefined;

export class PrivateMembers {
  readonly #catalog: Catalog;
  readonly #code: View;
  readonly #public: View;
  readonly #watched = new Map<Model, WatchedMembers>();

  constructor({ catalog, views }: { readonly catalog: Catalog; readonly views: Views }) {
    this.#catalog = catalog;
    this.#code = views.code.view;
    this.#public = views.codeWithoutPrivate.view;
  }

  /** The text of documents of a type, as code reads them, without private attributes at any depth. */
  removeFrom(json: JsonBody, type: Model): JsonBody {
    const bytes = typeof json === 'string' ? Buffer.from(json) : json;
    const parts: Parts = [0];
    this.#look(bytes.toString('latin1'), 0, () => type, parts);
    if (parts.length === 1) return json;
    parts.push(bytes.length);
    const rest = Buffer.allocUnsafe(bytes.length);
    let length = 0;
    for (let at = 0; at < parts.length; at += 2) length += bytes.copy(rest, length, parts[at], parts[at + 1]);
    return typeof json === 'string' ? rest.toString('utf8', 0, length) : rest.subarray(0, length);
  }

  #watchedOf(model: Model): WatchedMembers {
    const known = this.#watched.get(model);
    if (known) return known;
    const shown = new Set(this.#public.of(model).visible);
    const { populatable, visible } = this.#code.of(model);
    const watched = new Map<number, Watched[]>();
    for (const name of visible) {
      const isPrivate = !shown.has(name);
      if (!isPrivate && !populatable.includes(name)) continue;
      const quoted = quotedName(name);
      watched.set(quoted.length, [...(watched.get(quoted.length) ?? []), { name, quoted, isPrivate }]);
    }
    this.#watched.set(model, watched);
    return watched;
  }

  /** Looks for private members in a value. @returns where the value ends. */
  #look(text: string, start: number, modelOf: ModelOf, parts: Parts): number {
    if (text.charCodeAt(start) === OPENING_BRACKET) {
      let at = afterSpace(text, start + 1);
      while (text.charCodeAt(at) !== CLOSING_BRACKET) at = nextEntry(text, this.#look(text, at, modelOf, parts));
      return at + 1;
    }
    const model =
      text.charCodeAt(start) === OPENING_BRACE ? modelOf((name) => memberValue(text, start, name)) : undefined;
    return model ? this.#lookInside(text, start, model, parts) : endOfValue(text, start);
  }

  #lookInside(text: string, start: number, model: Model, parts: Parts): number {
    const watched = this.#watchedOf(model);
    /** Where the last remaining member ends, and what was removed before it. */
    let [end, removed] = [start + 1, parts.length];
    let at = afterSpace(text, start + 1);
    while (text.charCodeAt(at) !== CLOSING_BRACE) {
      const nameEnd = endOfText(text, at);
      const value = afterSpace(text, afterSpace(text, nameEnd) + 1);
      const member = memberNamed(watched, text, at, nameEnd);
      if (member?.isPrivate) {
        const next = nextEntry(text, endOfValue(text, value));
        if (text.charCodeAt(next) === CLOSING_BRACE) {
          // the comma before it goes with it, and with those before that are removed
          parts.length = removed;
          parts.push(end, next);
        } else parts.push(at, next);
        at = next;
        continue;
      }
      end = member ? this.#look(text, value, this.#below(model, member.name), parts) : endOfValue(text, value);
      removed = parts.length;
      at = nextEntry(text, end);
    }
    return at + 1;
  }

  /** The model of an object in a member. */
  #below(model: Model, name: string): ModelOf {
    const attribute = model.attributes.get(name);
    if (attribute) return (value) => targetOf(this.#catalog, attribute, value);
    return () => (name === 'localizations' ? model : undefined);
  }
}

function memberNamed(members: WatchedMembers, text: string, start: number, end: number): Watched | undefined {
  return members.get(end - start)?.find(({ quoted }) => text.startsWith(quoted, start));
}

/** A member's name in quotes, one letter for each byte. */
const quotedName = (name: string): string => Buffer.from(JSON.stringify(name)).toString('latin1');

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE = 0x20;

/** The value of a member of an object, which begins at a place; undefined if there is none. */
function memberValue(text: string, start: number, name: string): unknown {
  const quoted = quotedName(name);
  let at = afterSpace(text, start + 1);
  while (text.charCodeAt(at) !== CLOSING_BRACE) {
    const nameEnd = endOfText(text, at);
    const value = afterSpace(text, afterSpace(text, nameEnd) + 1);
    const end = endOfValue(text, value);
    if (text.slice(at, nameEnd) === quoted) return JSON.parse(Buffer.from(text.slice(value, end), 'latin1').toString());
    at = nextEntry(text, end);
  }
  return undefined;
}

/** Where the next member or element begins, or else what closes them. @param end of the one before. */
function nextEntry(text: string, end: number): number {
  const at = afterSpace(text, end);
  return text.charCodeAt(at) === COMMA ? afterSpace(text, at + 1) : at;
}

function afterSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= SPACE) at++;
  return at;
}

/** Where a value ends. @throws SyntaxError for a text that ends before. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const byte = text.charCodeAt(at);
    if (byte === QUOTE) at = endOfText(text, at) - 1;
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth++;
    else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      // a number, or true, ends before the bracket that closes what it is in
      if (depth === 0) return at;
      depth--;
    } else if (depth > 0 || !(byte === COMMA || byte <= SPACE)) continue;
    else return at;
    if (depth === 0) return at + 1;
  }
  throw new SyntaxError('JSON ends within a value');
}

/** Where a quoted text ends. */
function endOfText(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) throw new SyntaxError('JSON ends within a text');
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
}
