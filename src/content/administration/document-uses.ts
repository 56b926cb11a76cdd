/** Uses of documents: which other documents link to them and would lose a link if they were deleted. */
import type { View, Viewer } from '../../access/view.ts';
import type { OwnedRows } from '../../db/interface/table-reader.ts';
import type { RawObject } from '../../query/params.ts';
import { type Component, type ContentType, FILE_UID, type Model } from '../../schema/catalog.ts';
import type { HoldingTable } from '../../sql/write.ts';
import { sourcesTo } from '../relations/stored-links.ts';
import type { ReadContext } from '../rows/write-context.ts';
import { fillStates } from './document-states.ts';
import type { EditingContext } from './edited-documents.ts';
import { type FoundLinks, type LinkedDocument, linkedDocument, linkedFields, type Values } from './form-values.ts';

/** A document that links to another one, and the attribute that does. */
export interface Use {
  readonly document: LinkedDocument;
  /** Dotted into components. */
  readonly attribute: string;
  /** Whether only the published version has the link, and no visible draft. */
  readonly onSiteOnly: boolean;
}

/** A use of several documents, with the ids of those that it links. */
export interface UseOfSeveral extends Use {
  readonly targets: readonly string[];
}

type Context = Pick<EditingContext, 'catalog' | 'database' | 'reader' | 'writer' | 'mainFields'>;

type Status = 'draft' | 'published';

/** Documents in an answer. */
const MOST = 20;
/** Versions of documents that one statement reads. */
const VERSIONS = 1000;
/** Components within components that are looked into. */
const DEPTH = 4;
/** Rows that one statement looks up. */
const TOGETHER = 100;

/**
 * The first visible documents that link to one of several documents, in a draft or a published version, each once,
 * without these documents themselves; and whether there may be more. A two-sided relation counts for either side, since
 * each shows the other.
 *
 * Each path to the documents takes one statement for drafts and one for published versions, and one more each time all
 * rows that it returned belong to documents listed already.
 *
 * @param documentIds of documents that the viewer is shown.
 */
export async function usesOf(
  context: Context,
  viewer: Viewer,
  type: ContentType,
  documentIds: readonly string[],
): Promise<{ readonly uses: readonly Use[]; readonly more: boolean }> {
  const { view } = viewer;
  const mainFieldOf = await context.mainFields.of(view);
  const found: FoundLinks = { links: [], cut: [] };
  const uses = new Map<string, Use>();
  let more = false;
  const add = async (status: Status, from: ContentType, attribute: string, filters: RawObject): Promise<void> => {
    const page = { mode: 'offset', offset: 0, limit: MOST + 1, withCount: false } as const;
    const listed = new Set(from.uid === type.uid ? documentIds : []);
    for (const { document } of uses.values()) if (document.type === from.uid) listed.add(document.documentId);
    for (let isRead = false; !isRead && !more; ) {
      const others = listed.size === 0 ? [] : [{ documentId: { $notIn: [...listed] } }];
      const params = { fields: linkedFields(from, mainFieldOf), status, locale: '*' };
      const query = { ...params, filters: { $and: [filters, ...others] } };
      const read = JSON.parse((await context.reader.list(from, viewer, query, { page })).data) as Values[];
      for (const each of read) {
        const documentId = String(each['documentId']);
        if (listed.has(documentId)) continue;
        if (uses.size === MOST) more = true;
        else {
          const document = linkedDocument(from, each, mainFieldOf, found);
          uses.set(`${from.uid} ${documentId}`, { document, attribute, onSiteOnly: status === 'published' });
        }
        listed.add(documentId);
      }
      isRead = read.length <= MOST;
    }
  };
  const reading = context.writer.reading(context.database);
  const unfiltered = await unfilteredLinks(reading, type, documentIds);
  // drafts first: a link that a draft has as well is not reported as published only
  for (const status of ['draft', 'published'] as const) {
    // types without drafts were read with the drafts
    const isListedStatus = ({ draftAndPublish }: ContentType): boolean => status === 'draft' || draftAndPublish;
    for (const from of view.types.filter(isListedStatus)) {
      for (const path of pathsTo(view, from, type.uid)) {
        if (more) break;
        const filters = path.reduceRight<RawObject>((inner, name) => ({ [name]: inner }), {
          documentId: { $in: [...documentIds] },
        });
        await add(status, from, path.join('.'), filters);
      }
    }
    for (const { from, attribute, rows } of unfiltered.links) {
      if (more || !isListedStatus(from) || !view.of(from).isSeen) continue;
      if (view.of(from).named(attribute).kind !== 'attribute') continue;
      await add(status, from, attribute, { id: { $in: rows.slice(0, TOGETHER).map(String) } });
      more ||= rows.length > TOGETHER;
    }
  }
  more ||= unfiltered.more;
  await fillStates(context, viewer, found);
  // a published version without the link in its draft differs from its draft, or has none
  for (const { document, onSiteOnly } of uses.values()) if (onSiteOnly) document.state = 'modified';
  return { uses: [...uses.values()], more };
}

/**
 * The uses of several documents, each with the documents that it links, in a draft or in a published version.
 *
 * @param uses of `usesOf`, of the same documents.
 */
export async function withTargets(
  context: Context,
  viewer: Viewer,
  type: ContentType,
  documentIds: readonly string[],
  uses: readonly Use[],
): Promise<readonly UseOfSeveral[]> {
  const { view } = viewer;
  const targets = new Map(uses.map(({ document }) => [`${document.type} ${document.documentId}`, new Set<string>()]));
  const read = async (from: ContentType, params: RawObject, add: (document: Values) => void): Promise<void> => {
    for (const status of from.draftAndPublish ? (['draft', 'published'] as const) : (['draft'] as const)) {
      const query = { fields: ['documentId'], locale: '*', status, ...params };
      const page = { mode: 'offset', offset: 0, limit: VERSIONS, withCount: false } as const;
      const { data } = await context.reader.list(from, viewer, query, { page });
      for (const document of JSON.parse(data) as Values[]) add(document);
    }
  };
  const named = { documentId: { $in: [...documentIds] } };
  const reading = context.writer.reading(context.database);
  const filtered = new Set<string>();
  for (const [uid, ofType] of Map.groupBy(uses, ({ document }) => document.type)) {
    const from = view.catalog.contentTypes.get(uid)!;
    const sources = { documentId: { $in: ofType.map(({ document }) => document.documentId) } };
    for (const path of pathsTo(view, from, type.uid)) {
      filtered.add(`${uid} ${path.join('.')}`);
      const filters = { $and: [sources, path.reduceRight<RawObject>((inner, name) => ({ [name]: inner }), named)] };
      await read(from, { filters, populate: populated(path, named) }, (document) => {
        const linked = targets.get(`${uid} ${document['documentId']}`);
        for (const id of atPath(document, path)) linked?.add(id);
      });
    }
  }
  const unfiltered = uses.filter(({ document, attribute }) => !filtered.has(`${document.type} ${attribute}`));
  if (unfiltered.length === 0) return uses.map(withOwn);
  for (const target of documentIds) {
    for (const { from, rows } of (await unfilteredLinks(reading, type, [target])).links) {
      const sources = unfiltered.flatMap(({ document }) => (document.type === from.uid ? [document.documentId] : []));
      if (sources.length === 0) continue;
      const filters = { id: { $in: rows.slice(0, TOGETHER).map(String) }, documentId: { $in: sources } };
      await read(from, { filters }, ({ documentId }) => void targets.get(`${from.uid} ${documentId}`)?.add(target));
    }
  }
  return uses.map(withOwn);

  function withOwn(use: Use): UseOfSeveral {
    return { ...use, targets: [...targets.get(`${use.document.type} ${use.document.documentId}`)!] };
  }
}

/** `populate` of the documents at the end of a path that a filter selects. */
function populated([name, ...rest]: readonly string[], filters: RawObject): RawObject {
  if (rest.length === 0) return { [name!]: { fields: ['documentId'], filters } };
  return { [name!]: { fields: ['id'], populate: populated(rest, filters) } };
}

/** The ids of the documents at the end of a path that was populated. */
function atPath(value: unknown, [name, ...rest]: readonly string[]): readonly string[] {
  const each = [value].flat().filter((one): one is Values => typeof one === 'object' && one !== null);
  if (name === undefined) return each.map(({ documentId }) => String(documentId));
  return each.flatMap((one) => atPath(one[name], rest));
}

/** The paths of relations from a model to a type that filters can go, through components but not through zones. */
function pathsTo(view: View, model: Model, uid: string, depth = 0): string[][] {
  return [...model.attributes.values()].flatMap((attribute): string[][] => {
    const { name } = attribute;
    if (view.of(model).named(name).kind !== 'attribute') return [];
    if (attribute.type === 'relation') return attribute.target === uid ? [[name]] : [];
    if (attribute.type !== 'component' || depth === DEPTH) return [];
    return pathsTo(view, view.into(model, attribute), uid, depth + 1).map((path) => [name, ...path]);
  });
}

interface UnfilteredLinks {
  readonly from: ContentType;
  readonly attribute: string;
  readonly rows: readonly number[];
}

/**
 * Links that no filter finds: those of components in zones, and of relations to any type; without links among the
 * documents themselves. Each statement reads `TOGETHER` rows and one more, which shows that there are more.
 */
async function unfilteredLinks(
  context: ReadContext,
  type: ContentType,
  documentIds: readonly string[],
): Promise<{ readonly links: readonly UnfilteredLinks[]; readonly more: boolean }> {
  const incoming = context.plans.of(type.uid).incoming.filter(
    ({ model, attribute }) =>
      // a document shows its files; it is not they that link to it
      model.uid !== FILE_UID && (model.modelType === 'component' || attribute.target === undefined),
  );
  if (incoming.length === 0) return { links: [], more: false };
  const versions = await context.tables.find(context.plans.of(type.uid).versionQuery, [documentIds]);
  const rows = versions.map(([id]) => Number(id));
  const links = new Map<string, { from: ContentType; attribute: string; rows: Set<number> }>();
  const add = (from: ContentType, attribute: string, ids: readonly number[]): void => {
    const key = `${from.uid} ${attribute}`;
    const ofAttribute = links.get(key) ?? { from, attribute, rows: new Set() };
    links.set(key, ofAttribute);
    for (const id of ids) ofAttribute.rows.add(id);
  };
  const named = { type, rows };
  let more = false;
  for (const plan of incoming) {
    const { model, attribute } = plan;
    const { sources, more: areMore } = await sourcesTo(context, plan, rows, TOGETHER, outside(context, named, model));
    more ||= areMore;
    if (model.modelType === 'contentType') add(model, attribute.name, sources);
    else more = (await holdersOf(context, named, model, sources, add)) || more;
  }
  return { links: [...links.values()].map((each) => ({ ...each, rows: [...each.rows] })), more };
}

/** All rows of the documents whose uses are read. */
interface UsedDocuments {
  readonly type: ContentType;
  readonly rows: readonly number[];
}

/** Leaves rows of a model out that are of the named documents, or parts of them. */
function outside(context: ReadContext, { type, rows }: UsedDocuments, model: Model): Omit<OwnedRows, 'column'> {
  if (model.modelType === 'component') {
    return { rows, key: `parts of ${type.uid}`, held: holdingTables(context, type, model.uid) };
  }
  return model.uid === type.uid ? { rows, key: 'own', held: undefined } : { rows, key: 'all', held: [] };
}

/** The tables through which rows of a type hold parts of a component, at any depth that is looked into. */
function holdingTables(context: ReadContext, type: ContentType, component: string, depth = 0): HoldingTable[] {
  const { index } = context.plans;
  if (depth > DEPTH || !index.reachedFrom(component).includes(type)) return [];
  return index.holders(component).flatMap((holder): HoldingTable[] => {
    const { table } = context.plans.of(holder.uid).ties!;
    if (holder.modelType === 'contentType') {
      return holder.uid === type.uid ? [{ table, component, within: undefined }] : [];
    }
    const within = holdingTables(context, type, holder.uid, depth + 1);
    return within.length === 0 ? [] : [{ table, component, within }];
  });
}

/**
 * The rows of documents that hold rows of a component, at any depth, by the attribute of the document; without the
 * named documents.
 *
 * @returns whether there may be more of them.
 */
async function holdersOf(
  context: ReadContext,
  named: UsedDocuments,
  component: Component,
  rows: readonly number[],
  add: (from: ContentType, attribute: string, rows: readonly number[]) => void,
  depth = 0,
): Promise<boolean> {
  if (rows.length === 0 || depth > DEPTH) return false;
  let more = false;
  for (const holder of context.plans.index.holders(component.uid)) {
    const { table } = context.plans.of(holder.uid).ties!;
    const by = ['cmp_id', 'component_type'];
    const query = {
      key: `holders ${table}`,
      table,
      columns: ['entity_id', 'field'],
      by,
      order: [],
      foreignKey: undefined,
    };
    const others = { ...outside(context, named, holder), column: 'entity_id' };
    const rowTies = await context.tables.some(query, [rows, component.uid], TOGETHER + 1, others);
    more ||= rowTies.length > TOGETHER;
    for (const [field, ties] of Map.groupBy(rowTies, ([, field]) => String(field))) {
      const ids = [...new Set(ties.map(([id]) => Number(id)))];
      if (holder.modelType === 'contentType') add(holder, field, ids);
      else more = (await holdersOf(context, named, holder, ids, add, depth + 1)) || more;
    }
  }
  return more;
}
