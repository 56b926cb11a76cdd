/** What links to a document: what loses something when it is deleted. */
import type { View, Viewer } from '../../access/view.ts';
import type { RawObject } from '../../query/params.ts';
import type { Component, ContentType, Model } from '../../schema/catalog.ts';
import { linksTo } from '../links/stored-links.ts';
import { readRows } from '../writing/documents.ts';
import type { ReadContext } from '../writing/write-context.ts';
import { fillStates } from './document-states.ts';
import type { EditingContext } from './edited-documents.ts';
import { type Found, type LinkedDocument, linkedDocument, linkedFields, type Values } from './form-values.ts';

/** A document that links to another one, and the attribute that does. */
export interface Use {
  readonly document: LinkedDocument;
  /** Dotted into components. */
  readonly attribute: string;
}

/** Documents that are told. */
const MOST = 20;
/** Components within components that are looked into. */
const DEPTH = 4;
/** Rows that one statement looks up. */
const TOGETHER = 100;

/**
 * The first documents that a viewer is shown and that link to a document, each once, and whether there may be more. A
 * two-sided relation counts for the side that its links are of.
 */
export async function usesOf(
  context: Pick<EditingContext, 'catalog' | 'database' | 'reader' | 'writer' | 'mainFields'>,
  viewer: Viewer,
  type: ContentType,
  documentId: string,
): Promise<{ readonly uses: readonly Use[]; readonly more: boolean }> {
  const { view } = viewer;
  const mainFieldOf = await context.mainFields.of(view);
  const found: Found = { links: [], cut: [] };
  const uses = new Map<string, Use>();
  let more = false;
  const add = async (from: ContentType, attribute: string, filters: RawObject): Promise<void> => {
    const page = { mode: 'offset', offset: 0, limit: MOST + 1, withCount: false } as const;
    const params = { filters, fields: linkedFields(from, mainFieldOf), status: 'draft', locale: '*' };
    const { data } = await context.reader.list(from, viewer, params, { page });
    for (const read of JSON.parse(data) as Values[]) {
      const key = `${from.uid} ${String(read['documentId'])}`;
      if (uses.has(key) || key === `${type.uid} ${documentId}`) continue;
      if (uses.size === MOST) {
        more = true;
        return;
      }
      uses.set(key, { document: linkedDocument(from, read, mainFieldOf, found), attribute });
    }
  };
  for (const from of view.types) {
    for (const path of pathsTo(view, from, type.uid)) {
      if (more) break;
      const filters = path.reduceRight<RawObject>((inner, name) => ({ [name]: inner }), {
        documentId: { $eq: documentId },
      });
      await add(from, path.join('.'), filters);
    }
  }
  const reading = context.writer.reading(context.database);
  for (const { from, attribute, rows } of await unfilteredLinks(reading, type, documentId)) {
    if (more || !view.of(from).isSeen || view.of(from).named(attribute).kind !== 'attribute') continue;
    await add(from, attribute, { id: { $in: rows.slice(0, TOGETHER).map(String) } });
    more ||= rows.length > TOGETHER;
  }
  await fillStates(context, viewer, found);
  return { uses: [...uses.values()], more };
}

/** The paths of relations from a model to a type that filters can go, through components but not through zones. */
function pathsTo(view: View, model: Model, uid: string, depth = 0): string[][] {
  return [...model.attributes.values()].flatMap((attribute): string[][] => {
    const { name } = attribute;
    if (view.of(model).named(name).kind !== 'attribute') return [];
    if (attribute.type === 'relation') return attribute.owner && attribute.target === uid ? [[name]] : [];
    if (attribute.type !== 'component' || depth === DEPTH) return [];
    return pathsTo(view, view.into(model, attribute), uid, depth + 1).map((path) => [name, ...path]);
  });
}

interface UnfilteredLinks {
  readonly from: ContentType;
  readonly attribute: string;
  readonly rows: readonly number[];
}

/** Links that no filter finds: those of parts of zones, and of relations to any type. */
async function unfilteredLinks(
  context: ReadContext,
  type: ContentType,
  documentId: string,
): Promise<UnfilteredLinks[]> {
  const incoming = context.plans
    .of(type.uid)
    .incoming.filter(({ model, attribute }) => model.modelType === 'component' || attribute.target === undefined);
  if (incoming.length === 0) return [];
  const { rows } = await readRows(context, type, documentId);
  const found = new Map<string, { from: ContentType; attribute: string; rows: Set<number> }>();
  const add = (from: ContentType, attribute: string, ids: readonly number[]): void => {
    const key = `${from.uid} ${attribute}`;
    const known = found.get(key) ?? { from, attribute, rows: new Set() };
    found.set(key, known);
    for (const id of ids) known.rows.add(id);
  };
  for (const row of rows) {
    for (const { model, attribute, links } of await linksTo(context, incoming, row.id)) {
      const sources = [...new Set(links.map(({ source }) => source))];
      if (model.modelType === 'contentType') add(model, attribute.name, sources);
      else await holdersOf(context, model, sources, add);
    }
  }
  return [...found.values()].map((each) => ({ ...each, rows: [...each.rows] }));
}

/** The rows of documents that hold rows of a component, at any depth, by the attribute of the document. */
async function holdersOf(
  context: ReadContext,
  component: Component,
  rows: readonly number[],
  add: (from: ContentType, attribute: string, rows: readonly number[]) => void,
  depth = 0,
): Promise<void> {
  if (rows.length === 0 || depth > DEPTH) return;
  for (const holder of context.plans.index.holders(component.uid)) {
    const { table } = context.plans.of(holder.uid).ties!;
    const match = { cmp_id: rows, component_type: component.uid };
    const found = await context.tables.select(table, ['entity_id', 'field'], match);
    for (const [field, ties] of Map.groupBy(found, ([, field]) => String(field))) {
      const ids = [...new Set(ties.map(([id]) => Number(id)))];
      if (holder.modelType === 'component') await holdersOf(context, holder, ids, add, depth + 1);
      else add(holder, field, ids);
    }
  }
}
