/** The type of catalogues: their keys, and the values that each text takes. */
import { isolated } from './direction.ts';
import type { en } from './en.ts';
import type { enTypes } from './en-types.ts';

type Texts = typeof en & typeof enTypes;
export type MessageKey = keyof Texts;

/** A text for each plural form of the language. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };
export type Message = string | Plural;
/** The texts of one language. */
export type Catalogue = Readonly<Record<MessageKey, Message>>;

type TextsOf<M> = M extends string ? M : M[keyof M];
type NamesIn<T> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type Names<K extends MessageKey> = NamesIn<TextsOf<Texts[K]>>;

/** The values of a text: one for each `{name}`, or none. Texts with plural forms take `count`. */
export type Values<K extends MessageKey> = [Names<K>] extends [never]
  ? []
  : [values: Readonly<Record<Names<K>, string | number>>];

/** The keys of texts without values. */
export type PlainKey = { [K in MessageKey]: Values<K> extends [] ? K : never }[MessageKey];

export type Text = <K extends MessageKey>(key: K, ...values: Values<K>) => string;

/** English texts that are loaded with the pages that show them; other catalogues are complete. */
const laterTexts: Partial<Record<MessageKey, Message>> = {};

/** Adds English texts before a page shows them. */
export function addTexts(texts: Partial<Catalogue>): void {
  Object.assign(laterTexts, texts);
}

/** Returns the function that looks up texts of a catalogue. Plural forms follow the language, numbers the locale. */
export function textOf(catalogue: Partial<Catalogue>, language: string, locale = language): Text {
  const plurals = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(locale);
  return (key, ...[values]) => {
    const named: Readonly<Record<string, string | number>> = values ?? {};
    const message = (catalogue[key] ?? laterTexts[key])!;
    const form =
      typeof message === 'string' ? message : (message[plurals.select(Number(named['count']))] ?? message.other);
    return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = named[name];
      if (value === undefined) return whole;
      return typeof value === 'number' ? numbers.format(value) : isolated(value);
    });
  };
}
