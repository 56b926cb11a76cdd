/** Turns the values of a form into the body of a write, by the rules of the content API (docs/reference). */
import { equalValues } from './equal.ts';
import { filesOf, type Linked, linkKey, linksOf, loadedLinks } from './links.ts';
import {
  type Attribute,
  COMPONENT,
  componentOf,
  entriesOf,
  isValues,
  type Model,
  type Path,
  placedEntries,
  rowsOf,
  type Schema,
  type Values,
} from './model.ts';
import { withValue } from './path.ts';
import { draftProblemOf, hiddenProblemOf, type Problem } from './problems.ts';
import { isRefused, type RefusedValue } from './refused-values.ts';
import { commonSequence } from './same.ts';
import { isShown } from './visibility.ts';

/** The settings of a body. */
interface BodySettings {
  readonly schema: Schema;
  /** Whether the server does not have the document yet. */
  readonly isNew: boolean;
  /** Whether links have to name the locale of their targets: they do if the document has no locale. */
  readonly saysLocale: boolean;
}

/**
 * The changed attributes that the user may write.
 *
 * Rows of components keep their ids, so that the server keeps the rows, and contain only their changes. Values that not
 * even a draft can have (`heldBack`) are left out, so that the rest can be saved.
 *
 * @param before the values of the server; null if it does not have the document.
 */
export function toBody(
  schema: Schema,
  model: Model,
  values: Values,
  before: Values | null,
  refused: readonly RefusedValue[] = [],
): Values {
  const saysLocale = 'localized' in model && !model.localized;
  const sent = sendable(schema, model, values, before, refused);
  return bodyOf({ schema, isNew: before === null, saysLocale }, model, sent, before);
}

/** The values, with those of the server in place of the ones that are held back. */
export function sendable(
  schema: Schema,
  model: Model,
  values: Values,
  before: Values | null,
  refused: readonly RefusedValue[],
): Values {
  const waiting = allHeldBack(schema, model, values, before, refused);
  return waiting.reduce((rest, { path, former }) => withValue(rest, path, former), values);
}

/** A value that a draft cannot have, and the server's value. */
export interface Unsendable {
  readonly path: Path;
  /** Undefined if the server has refused the value. */
  readonly problem: Problem | undefined;
  readonly former: unknown;
}

/**
 * The values that are not sent, because not even a draft can have them or because the server has refused them. Values
 * of hidden fields are not included.
 *
 * @param before the values of the server; null if it does not have the document.
 */
export function unsendable(
  schema: Schema,
  model: Model,
  values: Values,
  before: Values | null,
  refused: readonly RefusedValue[] = [],
): readonly Unsendable[] {
  return allHeldBack(schema, model, values, before, refused).filter(({ isHidden }) => !isHidden);
}

function allHeldBack(
  schema: Schema,
  model: Model,
  values: Values,
  before: Values | null,
  refused: readonly RefusedValue[],
): readonly (Unsendable & { readonly isHidden: boolean })[] {
  const isNew = before === null;
  const within = (
    at: Model,
    row: Values,
    its: Values | null,
    around: Path,
    isInHidden: boolean,
  ): ReturnType<typeof allHeldBack> =>
    changed({ schema, isNew }, at, row, its).flatMap((attribute) => {
      const { name, type } = attribute;
      const path = [...around, name];
      const old = its?.[name];
      const isHidden = isInHidden || !isShown(schema, at, attribute, row);
      const problem = (isHidden ? hiddenProblemOf : draftProblemOf)(attribute, row[name]);
      if (problem || isRefused(refused, path, row[name])) return [{ path, problem, former: old, isHidden }];
      if (type !== 'component' && type !== 'dynamiczone') return [];
      const formers = entriesOf(old);
      return placedEntries(row[name], path).flatMap(([one, place]) => {
        const component = componentOf(schema, attribute, one);
        return component ? within(component, one, formerOf(attribute, one, formers) ?? null, place, isHidden) : [];
      });
    });
  return within(model, values, before, [], false);
}

/** The changed attributes that the user may write. */
function changed(
  { schema, isNew }: Pick<BodySettings, 'schema' | 'isNew'>,
  model: Model,
  values: Values,
  before: Values | null,
): readonly Attribute[] {
  return model.attributes.filter((attribute) => {
    const value = values[attribute.name];
    if (value === undefined || !(isNew ? attribute.writableInNew : attribute.writable)) return false;
    return !before || !equalValues(schema, attribute, value, before[attribute.name], 'stored');
  });
}

/** The previous version of a row. Ids are unique only within a component. */
function formerOf({ type }: Attribute, row: Values, formers: readonly Values[]): Values | undefined {
  const isSame = (old: Values): boolean => type !== 'dynamiczone' || old[COMPONENT] === row[COMPONENT];
  return row['id'] === undefined ? undefined : formers.find((old) => old['id'] === row['id'] && isSame(old));
}

function bodyOf(writing: BodySettings, model: Model, values: Values, before: Values | null): Values {
  const body: Record<string, unknown> = {};
  for (const attribute of changed(writing, model, values, before)) {
    const { name } = attribute;
    const encoded = encode(writing, attribute, values[name], before ? (before[name] ?? null) : undefined);
    if (encoded !== undefined) body[name] = encoded;
  }
  return body;
}

/** @param former undefined if the document or the row is new. */
function encode(writing: BodySettings, attribute: Attribute, value: unknown, former: unknown): unknown {
  switch (attribute.type) {
    case 'relation':
      return relationBody(writing, attribute, value, former);
    case 'media': {
      const ids = filesOf(value).map(({ id }) => id);
      return attribute.multiple ? ids : (ids[0] ?? null);
    }
    case 'component': {
      if (attribute.repeatable) return rowsBody(writing, attribute, value, former);
      if (!isValues(value)) return null;
      return rowBody(writing, attribute, value, isValues(former) ? [former] : []);
    }
    case 'dynamiczone':
      return rowsBody(writing, attribute, value, former);
    case 'password':
      return value === '' ? undefined : value;
    case 'biginteger':
      return typeof value === 'number' ? String(value) : value;
    default:
      return value;
  }
}

function rowsBody(writing: BodySettings, attribute: Attribute, value: unknown, former: unknown): readonly Values[] {
  const formers = rowsOf(former);
  const isZone = attribute.type === 'dynamiczone';
  return rowsOf(value).map((row) => {
    const body = rowBody(writing, attribute, row, formers);
    return isZone ? { [COMPONENT]: row[COMPONENT], ...body } : body;
  });
}

/** A row with an id contains only its changes; one without an id contains everything. */
function rowBody(writing: BodySettings, attribute: Attribute, row: Values, formers: readonly Values[]): Values {
  const component = componentOf(writing.schema, attribute, row);
  const former = formerOf(attribute, row, formers);
  const body = component ? bodyOf(writing, component, row, former ?? null) : {};
  return former ? { id: row['id'], ...body } : body;
}

/**
 * All links if the document or the row is new; otherwise the changes, so that links that were not loaded or are hidden
 * from the user stay.
 */
function relationBody({ saysLocale }: BodySettings, attribute: Attribute, value: unknown, former: unknown): Values {
  const links = linksOf(value);
  const { items, tail, known, knownTail = [] } = links;
  const named = (link: Linked): Values => {
    const { documentId, locale } = link;
    const type = attribute.target === undefined ? { __type: link.type } : {};
    return saysLocale && locale !== null ? { documentId, ...type, locale } : { documentId, ...type };
  };
  if (former === undefined) return { set: loadedLinks(links).map(named) };
  const old = known ?? linksOf(former).items;
  const loaded = new Set(loadedLinks(links).map(linkKey));
  const disconnect = [...old, ...knownTail].filter((link) => !loaded.has(linkKey(link))).map(named);
  // A position cannot name a locale: if documents are linked in several locales, row ids are used.
  const isMixed = saysLocale && new Set(loadedLinks(links).map(({ locale }) => locale)).size > 1;
  const placed = (link: Linked): Values => {
    const { __type: type, ...name } = named(link);
    return { ...(isMixed ? { id: link.id } : name), ...(type === undefined ? {} : { __type: type }) };
  };
  const beside = (kind: 'after' | 'before', link: Linked): Values => {
    const { documentId, __type: type } = named(link);
    return { [kind]: isMixed ? link.id : documentId, ...(type === undefined ? {} : { __type: type }) };
  };
  const connect = (
    list: readonly Linked[],
    before: readonly Linked[],
    first: (inPlace: Linked | undefined) => Values,
  ) => {
    const pairs = commonSequence(before.map(linkKey), list.map(linkKey), (a, b) => a === b);
    const isInPlace = new Set(pairs.map(([, index]) => index));
    const next = list.find((_, index) => isInPlace.has(index));
    // Links are connected in order, so the previous one is already in place.
    const positionAt = (index: number): Values => (index === 0 ? first(next) : beside('after', list[index - 1]!));
    return list.flatMap((link, index) =>
      isInPlace.has(index) ? [] : [{ ...placed(link), position: positionAt(index) }],
    );
  };
  const atStart = (): Values => ({ start: true });
  const behindUnread = (next: Linked | undefined): Values => (next ? beside('before', next) : { end: true });
  return { connect: [...connect(items, old, atStart), ...connect(tail, knownTail, behindUnread)], disconnect };
}
