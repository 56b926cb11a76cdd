/** What writes do to the model's world. Each rule names the page that it is from. */
import type { ComponentPart, RelationPart } from './schema.ts';
import { type Part, type Row, refOf, rowKey, type State, type World } from './world.ts';

export const DEFAULT_LOCALE = 'en';

export interface Entry {
  readonly doc: string;
  readonly uid: string;
  readonly locale: string;
  readonly status?: 'draft' | 'published' | undefined;
  readonly position?: 'start' | 'end' | { readonly before: string } | { readonly after: string } | undefined;
}

export type Edit =
  | { readonly kind: 'set'; readonly entries: readonly Entry[] }
  | { readonly kind: 'edit'; readonly connect: readonly Entry[]; readonly disconnect: readonly Entry[] };

/** What a body says of a row or component. */
export interface Data {
  readonly scalars: ReadonlyMap<string, unknown>;
  readonly relations: ReadonlyMap<string, Edit>;
  readonly parts: ReadonlyMap<string, readonly PartData[]>;
}

export interface PartData extends Data {
  readonly uid: string;
  /** The place of the stored entry that is merged into. */
  readonly keep: number | undefined;
}

export interface Write {
  readonly uid: string;
  readonly doc: string;
  readonly locale: string;
  readonly publish: boolean;
  readonly data: Data;
}

/** Creates or updates a version of a document, and publishes it where that is asked for. */
export function write(world: World, { uid, doc, locale, publish: publishing, data }: Write): void {
  const model = world.model(uid);
  const state: State = model.drafts ? 'draft' : 'only';
  const known = world.written(uid, doc, locale);
  const siblings = world.rowsOf(uid, doc).filter((row) => row.locale !== locale && row.state === state);
  const row = known ?? world.makeRow(uid, doc, locale, state);
  row.ahead = model.drafts;
  const before = JSON.stringify(sharedScalars(world, row));
  apply(world, row, row, data, model.drafts && !publishing);
  if (!known && siblings[0]) inherit(world, siblings[0], row);
  if (known) {
    const mentioned = new Set(data.parts.keys());
    const changed = JSON.stringify(sharedScalars(world, row)) !== before;
    for (const other of siblings) {
      if (!spread(world, row, other, changed, mentioned)) continue;
      // drafts of other locales move in time on a draft write alone (docs/differences.md, "Locales")
      if (!publishing) other.ahead = model.drafts;
    }
  }
  if (!model.drafts || !publishing) return;
  const published = publish(world, row, new Set(data.relations.keys()));
  const others = world.rowsOf(uid, doc).filter((other) => other.locale !== locale && other.state === 'published');
  const every = new Set([...model.attributes.keys()]);
  for (const other of others) spread(world, published, other, true, every);
}

/** Deletes versions of a document; all of them without `locales`. */
export function remove(world: World, uid: string, doc: string, locales: readonly string[] | undefined): void {
  const gone = new Set<string>();
  for (const row of world.rowsOf(uid, doc)) {
    if (locales && !locales.includes(row.locale)) continue;
    gone.add(row.locale);
    world.removeRow(row.key);
  }
  // links that waited for a published row of it wait no longer
  for (const locale of gone) world.forget(rowKey(uid, doc, locale, 'published'));
}

function sharedScalars(world: World, row: Row): unknown[] {
  return world
    .attributesOf(row.uid)
    .flatMap((attribute) => (attribute.kind === 'scalar' && attribute.shared ? [row.scalars.get(attribute.name)] : []));
}

/** Gives another locale's row the shared attributes, and tells whether it gave any. */
function spread(world: World, from: Row, to: Row, scalars: boolean, parts: ReadonlySet<string>): boolean {
  let given = false;
  for (const attribute of world.attributesOf(from.uid)) {
    if (attribute.kind === 'relation' || !attribute.shared) continue;
    if (attribute.kind === 'scalar') {
      if (!scalars) continue;
      to.scalars.set(attribute.name, from.scalars.get(attribute.name) ?? null);
      given = true;
    } else if (parts.has(attribute.name)) {
      world.copyParts(from, to, attribute, (key) => inLocale(world, key, to.locale));
      given = true;
    }
  }
  return given;
}

/** A new version takes the shared attributes of an existing one (docs/differences.md, "Locales"). */
function inherit(world: World, from: Row, to: Row): void {
  const every = new Set(world.attributesOf(from.uid).map(({ name }) => name));
  spread(world, from, to, true, every);
}

/** The same row in another locale, where its type has locales; undefined when it has no such version. */
function inLocale(world: World, key: string, locale: string): string | undefined {
  const { uid, doc, state } = refOf(key);
  if (!world.model(uid).localized) return key;
  const there = rowKey(uid, doc, locale, state);
  const exists = world.rows.has(there) || world.written(uid, doc, locale) !== undefined;
  return exists ? there : undefined;
}

/** Applies a body to a row or to a component of it; `noted` when a draft is written that is not published with it. */
function apply(world: World, row: Row, holder: Part, data: Data, noted: boolean): void {
  for (const attribute of world.attributesOf(holder.uid)) {
    const { name } = attribute;
    if (attribute.kind === 'scalar') {
      if (data.scalars.has(name)) holder.scalars.set(name, data.scalars.get(name));
    } else if (attribute.kind === 'relation') {
      const edit = data.relations.get(name);
      if (!edit) continue;
      const changed = relate(world, row, holder, attribute, edit);
      if (noted) for (const link of changed) world.edits.set(link, row.key);
    } else {
      const entries = data.parts.get(name);
      if (entries) compose(world, row, holder, attribute, entries);
    }
  }
}

/**
 * docs/reference/writing.md, "Components and zones": entries with an id are merged and moved, the rest is made anew.
 */
function compose(world: World, row: Row, holder: Part, { name }: ComponentPart, entries: readonly PartData[]): void {
  const stored = holder.parts.get(name) ?? [];
  const kept = new Set(entries.flatMap(({ keep }) => (keep === undefined ? [] : [stored[keep]!])));
  for (const part of stored) if (!kept.has(part)) world.removePart(part);
  const parts = entries.map((entry) => {
    const part = entry.keep === undefined ? world.newPart(entry.uid) : stored[entry.keep]!;
    apply(world, row, part, entry, false);
    return part;
  });
  holder.parts.set(name, parts);
}

/**
 * The rows that an entry names. Between types with drafts the status is the source's; a source without drafts links
 * both rows, or the one that the entry's status picks (docs/reference/writing.md, "Relations").
 */
function rowsNamed(world: World, row: Row, entry: Entry): string[] {
  const model = world.model(entry.uid);
  const key = (state: State) => rowKey(entry.uid, entry.doc, entry.locale, state);
  if (!model.drafts) return [key('only')];
  if (row.state !== 'only') return [key(row.state)];
  const states: State[] = entry.status ? [entry.status] : ['draft', 'published'];
  return states.map(key).filter((there) => world.rows.has(there));
}

function relate(world: World, row: Row, holder: Part, attribute: RelationPart, edit: Edit): string[] {
  const before = [...world.list(holder.key, attribute.name)];
  const named = (entry: Entry) => rowsNamed(world, row, entry);
  let after: string[];
  if (edit.kind === 'set') {
    const entries = attribute.many ? edit.entries : edit.entries.slice(-1);
    after = [...new Set(entries.flatMap(named))];
  } else {
    const cut = new Set(edit.disconnect.flatMap(named));
    after = before.filter((key) => !cut.has(key));
    const last = edit.connect.at(-1);
    if (!attribute.many) after = last ? named(last) : after;
    else after = connectAll(world, row, after, edit.connect);
  }
  // a column holds one row: of a document's two the published one (our rule: that is what is served by default)
  if (attribute.column && attribute.owner) after = after.slice(-1);
  return world.setLinks(holder.key, attribute, after);
}

function connect(world: World, row: Row, list: readonly string[], entry: Entry): string[] {
  const keys = rowsNamed(world, row, entry);
  const left = list.filter((key) => !keys.includes(key));
  const { position = 'end' } = entry;
  if (typeof position === 'string') return position === 'start' ? [...keys, ...left] : [...left, ...keys];
  const doc = 'before' in position ? position.before : position.after;
  const places = left.flatMap((key, index) => {
    const ref = refOf(key);
    return ref.doc === doc && ref.locale === entry.locale ? [index] : [];
  });
  left.splice('before' in position ? places[0]! : places.at(-1)! + 1, 0, ...keys);
  return left;
}

/**
 * As in Strapi 5, entries are applied in turn. One beside a document that is not linked yet, and that is still to come,
 * waits for it.
 */
function connectAll(world: World, row: Row, linked: readonly string[], entries: readonly Entry[]): string[] {
  let list = [...linked];
  const open = new Set(entries);
  const take = (entry: Entry): void => {
    if (!open.has(entry)) return;
    const { position } = entry;
    const beside = typeof position === 'object' ? ('before' in position ? position.before : position.after) : undefined;
    const isLinked = list.some((key) => refOf(key).doc === beside && refOf(key).locale === entry.locale);
    const other = isLinked ? undefined : [...open].find(({ doc }) => doc === beside);
    if (other) take(other);
    open.delete(entry);
    list = connect(world, row, list, entry);
  };
  for (const entry of entries) take(entry);
  return list;
}

/** The same document's row in what is published; rows of types without drafts stand for themselves. */
function publishedOf(key: string): string {
  const { uid, doc, locale, state } = refOf(key);
  return state === 'draft' ? rowKey(uid, doc, locale, 'published') : key;
}

/**
 * Publication of a version: content, components and links become the draft's. What the unpublished draft of another
 * document has changed of the links waits for that one (docs/differences.md, "Publication and relations").
 */
export function publish(world: World, draft: Row, mentioned: ReadonlySet<string>): Row {
  const key = publishedOf(draft.key);
  const isNew = !world.rows.has(key);
  const published = world.rows.get(key) ?? world.makeRow(draft.uid, draft.doc, draft.locale, 'published');
  for (const [name, value] of draft.scalars) published.scalars.set(name, value);
  if (isNew) followDraft(world, draft.key, key);
  for (const attribute of world.attributesOf(draft.uid)) {
    if (attribute.kind === 'parts') world.copyParts(draft, published, attribute, publishedOf);
    else if (attribute.kind === 'relation' && attribute.owner) {
      publishLinks(world, draft.key, key, attribute, mentioned.has(attribute.name));
    }
  }
  draft.ahead = false;
  for (const attribute of world.attributesOf(draft.uid)) {
    if (attribute.kind === 'relation' && !attribute.owner) {
      publishLinks(world, draft.key, key, attribute, mentioned.has(attribute.name));
    }
  }
  settle(world, draft.key, mentioned);
  return published;
}

/** What a draft has changed is published, and so is whatever a publishing write says itself. */
function settle(world: World, draft: string, mentioned: ReadonlySet<string>): void {
  for (const [name, author] of world.edits) {
    if (author !== draft) continue;
    world.edits.delete(name);
    const [source = '', relation = '', target = ''] = name.split(' ');
    // what it took from another document and did not keep is taken from what is published as well
    if (source !== draft && target !== draft) unlinkPublished(world, source, relation, target);
  }
  for (const attribute of world.attributesOf(refOf(draft).uid)) {
    if (attribute.kind !== 'relation' || !mentioned.has(attribute.name)) continue;
    const inverse = world.inverseOf(attribute);
    for (const name of inverse ? [...world.edits.keys()] : []) {
      const [source, relation, target] = name.split(' ');
      const isOwn = attribute.owner && source === draft && relation === attribute.name;
      const isOther = !attribute.owner && target === draft && relation === inverse!.name;
      const isOfType = attribute.owner || refOf(source!).uid === attribute.target;
      if ((isOwn || isOther) && isOfType) world.edits.delete(name);
    }
  }
}

/** Removes the published link between two documents whose drafts are not linked any more. */
function unlinkPublished(world: World, source: string, relation: string, target: string): void {
  if (world.list(source, relation).includes(target)) return;
  const attribute = world.model(refOf(source).uid).attributes.get(relation) as RelationPart;
  const [holder, gone] = [publishedOf(source), publishedOf(target)];
  const left = world.list(holder, relation).filter((key) => key !== gone);
  world.setLinks(holder, attribute, left);
}

/** The order of a list's drafts, told in published rows: what the list of a published row is to look like. */
function guideOf(world: World, holder: string, attribute: string): string[] {
  const { uid, doc, locale, state } = refOf(holder);
  const draft = state === 'published' ? rowKey(uid, doc, locale, 'draft') : holder;
  return world
    .list(draft, attribute)
    .filter((key) => refOf(key).state !== 'published')
    .map(publishedOf);
}

/** The place of a new published link: before the first that follows it in the draft's list and is published. */
function placeLike(world: World, list: readonly string[], key: string, guide: readonly string[]): number {
  const at = guide.indexOf(key);
  const next = guide.slice(at + 1).find((other) => world.rows.has(other) && list.includes(other));
  return at < 0 || next === undefined ? list.length : list.indexOf(next);
}

function publishLinks(
  world: World,
  draft: string,
  published: string,
  attribute: RelationPart,
  mentioned: boolean,
): void {
  const inverse = world.inverseOf(attribute);
  const before = world.list(published, attribute.name);
  // of the other side's, a document that is not published brings its links itself when it is
  const links = world
    .list(draft, attribute.name)
    .map(publishedOf)
    .filter((key) => attribute.owner || world.rows.has(key));
  const waits = (key: string): boolean => {
    const name = world.linkName(draft, attribute, draftOf(key));
    const author = name === undefined || mentioned ? undefined : world.edits.get(name);
    return author !== undefined && author !== draft && world.rows.get(author)?.ahead === true;
  };
  const wanted = links.filter((key) => !waits(key) || before.includes(key));
  // links that only another document's unpublished draft has removed stand, behind the rest
  const alone = !attribute.many && wanted.length > 0;
  const kept = alone ? [] : before.filter((key) => !links.includes(key) && waits(key));
  world.setLinks(published, attribute, [...wanted, ...kept], (list, target) =>
    placeLike(world, list, published, inverse ? guideOf(world, target, inverse.name) : []),
  );
}

/** The same document's draft; rows of types without drafts stand for themselves. */
function draftOf(key: string): string {
  const { uid, doc, locale, state } = refOf(key);
  return state === 'published' ? rowKey(uid, doc, locale, 'draft') : key;
}

/** First publication: what a source without drafts links as a draft, it links as published as well. */
function followDraft(world: World, draft: string, published: string): void {
  for (const { holder, row } of [...world.holders()]) {
    if (row.state !== 'only') continue;
    for (const attribute of world.attributesOf(holder.uid)) {
      if (attribute.kind !== 'relation' || attribute.inverse) continue;
      const list = [...world.list(holder.key, attribute.name)];
      const at = list.indexOf(draft);
      if (at < 0 || list.includes(published)) continue;
      if (attribute.column) list[at] = published;
      else list.splice(at + 1, 0, published);
      world.reorder(holder.key, attribute.name, list);
    }
  }
}
