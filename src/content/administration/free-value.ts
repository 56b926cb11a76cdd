/** Values of uid attributes that no other document has. */
import { randomInt } from 'node:crypto';
import slugify from '@sindresorhus/slugify';
import { at } from '../../failures.ts';
import type { ContentType, ScalarAttribute } from '../../schema/catalog.ts';
import { compileTakenValue } from '../../sql/content-rows.ts';
import { layoutOfModel, type ReadContext } from '../rows/write-context.ts';
import { PatternTime } from '../validation/pattern-time.ts';

/** Numbers tried one after the other before one is drawn. */
const IN_TURN = 20;
const DRAWN = 1_000_000;
/** Characters of a generated value; a number fits after it in a column of 255. */
const LENGTH = 240;

/** The attribute of a document that a value is for. */
export interface ValuePlace {
  readonly type: ContentType;
  readonly name: string;
  readonly locale: string | null;
  /** Undefined: a new document. */
  readonly documentId: string | undefined;
}

/** Whether no other document has a value. Drafts count: otherwise one of the two could not be published. */
export async function isFree(
  context: ReadContext,
  { type, name, locale, documentId = '' }: ValuePlace,
  value: string,
): Promise<boolean> {
  const { table, columns } = layoutOfModel(context, type);
  const column = columns.get(name)!;
  const inLocale = type.localized && locale !== null;
  const values = [value, documentId, ...(inLocale ? [locale] : [])];
  const [taken] = await context.tables.run(`taken at all ${table} ${column} ${inLocale}`, values, () =>
    compileTakenValue(context.tables.dialect, table, column, { inLocale, published: false }),
  );
  return taken === undefined;
}

/**
 * The value itself if it is free, else with a number at the end. Undefined if that does not match the pattern of the
 * attribute (`regex`): then a person has to choose a value.
 *
 * @throws ContentError 400 if testing the pattern takes too long.
 */
export async function freeValue(context: ReadContext, place: ValuePlace, value: string): Promise<string | undefined> {
  const attribute = place.type.attributes.get(place.name) as ScalarAttribute;
  if (await isFree(context, place, value)) return fits(attribute, value) ? value : undefined;
  if (!fits(attribute, `${value}-1`)) return undefined;
  for (let number = 1; number <= IN_TURN; number++) {
    const numbered = `${value}-${number}`;
    if (await isFree(context, place, numbered)) return numbered;
  }
  return `${value}-${randomInt(IN_TURN + 1, DRAWN)}`;
}

/**
 * Whether a value matches the pattern of its attribute (`regex`), if it has one.
 *
 * @throws ContentError 400 if testing it takes too long.
 */
export function fits({ name, regex }: ScalarAttribute, value: string): boolean {
  return regex === undefined || new PatternTime().matches(regex, value, at(name));
}

/** A text as a value of a uid attribute, by the attribute's options. */
export function slugOf(text: string, { options = {} }: ScalarAttribute): string {
  const { separator, lowercase, decamelize, preserveLeadingUnderscore, customReplacements } = options;
  const chosen = {
    ...(typeof separator === 'string' ? { separator } : {}),
    ...(typeof lowercase === 'boolean' ? { lowercase } : {}),
    ...(typeof decamelize === 'boolean' ? { decamelize } : {}),
    ...(Array.isArray(customReplacements) ? { customReplacements: customReplacements.filter(isReplacement) } : {}),
    ...(typeof preserveLeadingUnderscore === 'boolean' ? { preserveLeadingUnderscore } : {}),
  };
  return slugify(text.slice(0, LENGTH), chosen).slice(0, LENGTH);
}

const isReplacement = (pair: unknown): pair is [string, string] =>
  Array.isArray(pair) && pair.length === 2 && pair.every((text) => typeof text === 'string');
