/** Values of a form → the body of a write. The rules are those of the content API (docs/reference). */
import { equalValues } from './equal.ts';
import { filesOf, type Linked, linkKey, linksOf, readLinks } from './links.ts';
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
import { heldBackBy, heldBackHidden, type Problem } from './problems.ts';
import { isRefused, type Refused } from './refused.ts';
import { commonSequence } from './same.ts';
import { isShown } from './shown.ts';

/** What the whole body follows from. */
interface Writing {
  readonly schema: Schema;
  /** Whether the server does not have the document yet. */
  readonly isNew: boolean;
  /** Whether links have to say which version of their target they mean: they do where the document has no locale. */
  readonly saysLocale: boolean;
}

/**
 * What is to be sent, so that the document has these values: attributes that may be written and are not as they were.
 *
 * Rows of components keep their ids, so that the server keeps the rows, and only say what is different in them. What not
 * even a draft can have (`heldBack`) is left out, so that the rest can be saved.
 *
 * @param before as the server has them; null for a document that it does not have.
 */
export function toBody(
  schema: Schema,
  model: Model,
  values: Values,
  before: Values | null,
  refused: readonly Refused[] = [],
): Values {
  const saysLocale = 'localized' in model && !model.localized;
  const sent = sendable(schema, model, values, before, refused);
  return bodyOf({ schema, isNew: before === null, saysLocale }, model, sent, before);
}

/** The values with what the server has in the places of those that are held back. */
export function sendable(
  schema: Schema,
  model: Model,
  values: Values,
  before: Values | null,
  refused: readonly Refused[],
): Values {
  const waiting = allHeldBack(schema, model, values, before, refused);
  return waiting.reduce((rest, { path, former }) => withValue(rest, path, former), values);
}

/** A value that a draft cannot have, and what the server has in its place. */
export interface HeldBack {
  readonly path: Path;
  /** Undefined: the server has refused it. */
  readonly problem: Problem | undefined;
  readonly former: unknown;
}

/**
 * Values that the server does not have because not even a draft can have them, or because it has refused them. Those of
 * hidden fields, which nobody sees, are not among them.
 *
 * @param before as the server has them; null for a document that it does not have.
 */
export function heldBack(
  schema: Schema,
  model: Model,
  values: Values,
  before: Values | null,
  refused: readonly Refused[] = [],
): readonly HeldBack[] {
  return allHeldBack(schema, model, values, before, refused).filter(({ isHidden }) => !isHidden);
}

function allHeldBack(
  schema: Schema,
  model: Model,
  values: Values,
  before: Values | null,
  refused: readonly Refused[],
): readonly (HeldBack & { readonly isHidden: boolean })[] {
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
      const problem = (isHidden ? heldBackHidden : heldBackBy)(attribute, row[name]);
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

/** The attributes that may be written and are not as they were. */
function changed(
  { schema, isNew }: Pick<Writing, 'schema' | 'isNew'>,
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

/** The row that one was: rows of one component have ids of their own, so those of another may be the same. */
function formerOf({ type }: Attribute, row: Values, formers: readonly Values[]): Values | undefined {
  const isSame = (old: Values): boolean => type !== 'dynamiczone' || old[COMPONENT] === row[COMPONENT];
  return row['id'] === undefined ? undefined : formers.find((old) => old['id'] === row['id'] && isSame(old));
}

function bodyOf(writing: Writing, model: Model, values: Values, before: Values | null): Values {
  const body: Record<string, unknown> = {};
  for (const attribute of changed(writing, model, values, before)) {
    const { name } = attribute;
    const encoded = encode(writing, attribute, values[name], before ? (before[name] ?? null) : undefined);
    if (encoded !== undefined) body[name] = encoded;
  }
  return body;
}

/** @param former undefined where the document or the row is new. */
function encode(writing: Writing, attribute: Attribute, value: unknown, former: unknown): unknown {
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

function rowsBody(writing: Writing, attribute: Attribute, value: unknown, former: unknown): readonly Values[] {
  const formers = rowsOf(former);
  const isZone = attribute.type === 'dynamiczone';
  return rowsOf(value).map((row) => {
    const body = rowBody(writing, attribute, row, formers);
    return isZone ? { [COMPONENT]: row[COMPONENT], ...body } : body;
  });
}

/** A row that the server has is merged with what it says; one without an id says everything. */
function rowBody(writing: Writing, attribute: Attribute, row: Values, formers: readonly Values[]): Values {
  const component = componentOf(writing.schema, attribute, row);
  const former = formerOf(attribute, row, formers);
  const body = component ? bodyOf(writing, component, row, former ?? null) : {};
  return former ? { id: row['id'], ...body } : body;
}

/**
 * All links in their order where the document or the row is new; else what became of them: there may be others that were
 * not read, or that the writer may not see, and these stay.
 */
function relationBody({ saysLocale }: Writing, attribute: Attribute, value: unknown, former: unknown): Values {
  const links = linksOf(value);
  const { items, tail, known, knownTail = [] } = links;
  const named = (link: Linked): Values => {
    const { documentId, locale } = link;
    const type = attribute.target === undefined ? { __type: link.type } : {};
    return saysLocale && locale !== null ? { documentId, ...type, locale } : { documentId, ...type };
  };
  if (former === undefined) return { set: readLinks(links).map(named) };
  const old = known ?? linksOf(former).items;
  const kept = new Set(readLinks(links).map(linkKey));
  const disconnect = [...old, ...knownTail].filter((link) => !kept.has(linkKey(link))).map(named);
  // a position says no locale: of documents in several both are named by their rows
  const isMixed = saysLocale && new Set(readLinks(links).map(({ locale }) => locale)).size > 1;
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
    // entries are connected one after another, so the one before stands in its place already
    const positionAt = (index: number): Values => (index === 0 ? first(next) : beside('after', list[index - 1]!));
    return list.flatMap((link, index) =>
      isInPlace.has(index) ? [] : [{ ...placed(link), position: positionAt(index) }],
    );
  };
  const atStart = (): Values => ({ start: true });
  const behindUnread = (next: Linked | undefined): Values => (next ? beside('before', next) : { end: true });
  return { connect: [...connect(items, old, atStart), ...connect(tail, knownTail, behindUnread)], disconnect };
}
