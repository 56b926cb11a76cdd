/** The text of a mark in the margin: the difference of a field from its published value, in a few words. */

import { whenText } from '../language/date-format.ts';
import { documentName } from '../language/document-name.ts';
import { useLocale, useText } from '../language/language.tsx';
import type { Text } from '../language/messages.ts';
import { useHost } from './host.ts';
import { rowChanges } from './values/differences.ts';
import { filesOf, type Linked, linkKey, linksOf, loadedLinks } from './values/links.ts';
import { type Attribute, isValues, type Schema } from './values/model.ts';
import { commonSequence, same } from './values/same.ts';

/** The characters of a value that fit beside a label. */
const SHORT = 48;
/** The number of links that are named. */
const NAMED = 3;

/** Returns a function that describes the difference of a value from the published one. */
export function useMarkText(): (attribute: Attribute, value: unknown, published: unknown) => string {
  const t = useText();
  const locale = useLocale();
  const { schema } = useHost();
  return (attribute, value, published) => markText({ t, locale, schema }, attribute, value, published);
}

interface Speaking {
  readonly t: Text;
  readonly locale: string;
  readonly schema: Schema;
}

export function markText(
  { t, locale, schema }: Speaking,
  attribute: Attribute,
  value: unknown,
  published: unknown,
): string {
  const { type } = attribute;
  if (type === 'relation') {
    const name = (link: Linked) => documentName(t, link);
    return listed(t, 'link', loadedLinks(linksOf(value)), loadedLinks(linksOf(published)), linkKey, name);
  }
  if (type === 'media') {
    return listed(
      t,
      'file',
      filesOf(value),
      filesOf(published),
      ({ id }) => String(id),
      ({ name }) => name,
    );
  }
  if (type === 'dynamiczone' || (type === 'component' && attribute.repeatable)) {
    const { added, changed, removed } = rowChanges(schema, attribute, value, published);
    const texts = [
      added > 0 && t('mark.added.part', { count: added }),
      changed > 0 && t('mark.edited', { count: changed }),
      removed > 0 && t('mark.removed.part', { count: removed }),
    ];
    return texts.filter(Boolean).join(', ') || t('mark.order');
  }
  if (published === null || published === undefined || published === '') return t('mark.wasEmpty');
  if (typeof published === 'boolean') return t(published ? 'mark.wasOn' : 'mark.wasOff');
  if (type === 'blocks') return paragraphs(t, asList(published), asList(value));
  if (type === 'component' || type === 'json' || isValues(published)) return t('mark.changed');
  const text = shortForm(type, published, locale);
  const isLong = text.length > SHORT || /\n/.test(text);
  if (!isLong || typeof value !== 'string') return t('mark.was', { value: cut(text) });
  const split = (whole: string) => whole.split(/\n\s*\n/);
  const [before, after] = [split(text), split(value)];
  if (before.length > 1 || after.length > 1) return paragraphs(t, before, after);
  return t('mark.words', { count: countUnlike(text.split(/\s+/), value.split(/\s+/)) });
}

/** A scalar as one line. */
export function shortForm(type: Attribute['type'], value: unknown, locale: string): string {
  if (typeof value === 'string') {
    if (type === 'datetime' || type === 'timestamp') return whenText('moment', value, locale);
    if (type === 'date' || type === 'time') return whenText(type, value, locale);
  }
  return String(value);
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > SHORT ? `${line.slice(0, SHORT - 1).trimEnd()}…` : line;
}

function listed<T>(
  t: Text,
  kind: 'link' | 'file',
  value: readonly T[],
  published: readonly T[],
  keyOf: (entry: T) => string,
  nameOf: (entry: T) => string,
): string {
  const [now, before] = [new Set(value.map(keyOf)), new Set(published.map(keyOf))];
  const added = value.filter((entry) => !before.has(keyOf(entry)));
  const removed = published.filter((entry) => !now.has(keyOf(entry)));
  if (added.length + removed.length === 0) return t('mark.order');
  if (added.length + removed.length > NAMED) {
    const counts = [
      added.length > 0 && t(`mark.added.${kind}`, { count: added.length }),
      removed.length > 0 && t(`mark.removed.${kind}`, { count: removed.length }),
    ];
    return counts.filter(Boolean).join(', ');
  }
  // One link replaces another: the mark names the previous one.
  if (added.length === 1 && removed.length === 1 && value.length === 1) {
    return t('mark.was', { value: cut(nameOf(removed[0]!)) });
  }
  return [
    ...added.map((entry) => `+ ${cut(nameOf(entry))}`),
    ...removed.map((entry) => `− ${cut(nameOf(entry))}`),
  ].join(', ');
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function paragraphs(t: Text, before: readonly unknown[], after: readonly unknown[]): string {
  return t('mark.paragraphs', { count: countUnlike(before, after) });
}

/** The number of entries that only one of the lists has. A changed entry counts once. */
function countUnlike(before: readonly unknown[], after: readonly unknown[]): number {
  const common = commonSequence(before, after, same).length;
  return Math.max(before.length, after.length) - common || 1;
}
