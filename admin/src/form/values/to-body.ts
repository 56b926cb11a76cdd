/** Values of a form → the body of a write. The rules are those of the content API (docs/reference). */
import { equalValues } from './equal.ts';
import { filesOf, type Linked, linkKey, linksOf } from './links.ts';
import {
  type Attribute,
  COMPONENT,
  componentOf,
  isValues,
  type Model,
  modelOf,
  rowsOf,
  type Schema,
  type Values,
} from './model.ts';
import { commonSequence } from './same.ts';
import { unparsedText } from './unparsed.ts';

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
 * Rows of components keep their ids, so that the server keeps the rows, and only say what is different in them. What
 * cannot be read as a value of its type (`Unparsed`) is left out, so that the rest can be saved.
 *
 * @param before as the server has them; null for a document that it does not have.
 */
export function toBody(schema: Schema, model: Model, values: Values, before: Values | null): Values {
  const saysLocale = 'localized' in model && !model.localized;
  return bodyOf({ schema, isNew: before === null, saysLocale }, model, values, before);
}

function bodyOf(writing: Writing, model: Model, values: Values, before: Values | null): Values {
  const body: Record<string, unknown> = {};
  for (const attribute of model.attributes) {
    const { name } = attribute;
    if (!(writing.isNew ? attribute.writableInNew : attribute.writable)) continue;
    const value = values[name];
    if (value === undefined) continue;
    if (before && equalValues(writing.schema, attribute, value, before[name], 'stored')) continue;
    const encoded = encode(writing, attribute, value, before ? (before[name] ?? null) : undefined);
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
      return rowBody(writing, modelOf(writing.schema, attribute.component), value, isValues(former) ? [former] : []);
    }
    case 'dynamiczone':
      return rowsBody(writing, attribute, value, former);
    case 'password':
      return value === '' ? undefined : value;
    case 'biginteger':
      return typeof value === 'number' ? String(value) : readable(value);
    default:
      return readable(value);
  }
}

function readable(value: unknown): unknown {
  return unparsedText(value) === undefined ? value : undefined;
}

function rowsBody(writing: Writing, attribute: Attribute, value: unknown, former: unknown): readonly Values[] {
  const formers = rowsOf(former);
  const isZone = attribute.type === 'dynamiczone';
  return rowsOf(value).map((row) => {
    // rows of one component have ids of their own, so those of another may be the same
    const own = isZone ? formers.filter((old) => old[COMPONENT] === row[COMPONENT]) : formers;
    const body = rowBody(writing, componentOf(writing.schema, attribute, row), row, own);
    return isZone ? { [COMPONENT]: row[COMPONENT], ...body } : body;
  });
}

/** A row that the server has is merged with what it says; one without an id says everything. */
function rowBody(writing: Writing, component: Model | undefined, row: Values, formers: readonly Values[]): Values {
  const { id } = row;
  const former = id === undefined ? undefined : formers.find((old) => old['id'] === id);
  const body = component ? bodyOf(writing, component, row, former ?? null) : {};
  return former ? { id, ...body } : body;
}

/**
 * All links in their order where the document or the row is new; else what became of them: there may be others that were
 * not read, or that the writer may not see, and these stay.
 */
function relationBody({ saysLocale }: Writing, attribute: Attribute, value: unknown, former: unknown): Values {
  const { items, known } = linksOf(value);
  const named = (link: Linked): Values => {
    const { documentId, locale } = link;
    const type = attribute.target === undefined ? { __type: link.type } : {};
    return saysLocale && locale !== null ? { documentId, ...type, locale } : { documentId, ...type };
  };
  if (former === undefined) return { set: items.map(named) };
  const old = known ?? linksOf(former).items;
  const kept = new Set(items.map(linkKey));
  const disconnect = old.filter((link) => !kept.has(linkKey(link))).map(named);
  const pairs = commonSequence(old.map(linkKey), items.map(linkKey), (a, b) => a === b);
  const isInPlace = new Set(pairs.map(([, index]) => index));
  if (saysLocale && new Set(items.map(({ locale }) => locale)).size > 1) {
    // a position says no locale, so it cannot name a link of another one: all from the first that moved go to the end
    const first = items.findIndex((_, index) => !isInPlace.has(index));
    return { connect: first < 0 ? [] : items.slice(first).map(named), disconnect };
  }
  // entries are connected one after another, so the one before stands in its place already
  const positionAfter = (previous: Linked | undefined): Values => {
    if (!previous) return { start: true };
    const { documentId, __type: type } = named(previous);
    return type === undefined ? { after: documentId } : { after: documentId, __type: type };
  };
  const connect = items.flatMap((link, index) =>
    isInPlace.has(index) ? [] : [{ ...named(link), position: positionAfter(items[index - 1]) }],
  );
  return { connect, disconnect };
}
