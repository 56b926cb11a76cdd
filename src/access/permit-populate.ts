/** fields and populate × Catalog × rights → Selection (behaviour-query.md, "Fields", "Populate"). */
import { validation } from '../errors.ts';
import type { FieldList, Populate, PopulateEntry, PopulateOptions } from '../query/content-query.ts';
import { POPULATE_KEYS } from '../query/populate.ts';
import { type DynamicZoneAttribute, type Model, modelOf, type RelationAttribute } from '../schema/catalog.ts';
import { type Context, refuse, refuseUnknown, targetOf } from './context.ts';
import { isPolymorphic, lookUp, populatableNames, readableFields } from './fields.ts';
import { mayFind } from './grants.ts';
import { permitFilter } from './permit-filters.ts';
import { permitSort } from './permit-sort.ts';
import type { Part, Populated, Selection } from './permitted-query.ts';

/** What a name of a populate asks for, whichever form it was written in. */
type Request =
  | { kind: 'plain' }
  | { kind: 'options'; options: PopulateOptions }
  /** From dot paths: the next names below this one. */
  | { kind: 'names'; names: Map<string, Request>; path: readonly string[] };

const PLAIN: Request = { kind: 'plain' };

/**
 * Resolves what to read of a model.
 *
 * @param path where a nested populate object stands; names in text or list form begin anew.
 * @throws ContentError 400 invalid key.
 */
export function permitSelection(
  context: Context,
  model: Model,
  fields: FieldList,
  populate: Populate,
  path: readonly string[] = [],
): Selection {
  return {
    uid: model.uid,
    fields: permitFields(context.param === 'populate' ? context : { ...context, param: 'fields' }, model, fields),
    populated: permitPopulate({ ...context, param: 'populate' }, model, populate, path),
  };
}

/** Resolves `fields`: id (and documentId) first, then as asked, each once. */
function permitFields(context: Context, model: Model, fields: FieldList): readonly string[] {
  const readable = readableFields(model);
  if (fields === undefined) return readable;
  for (const name of fields) {
    if (readable.includes(name)) continue;
    if (lookUp(model, name).kind === 'unknown') throw refuse(context, name, [], readable);
    throw refuse(context, name, [name]);
  }
  const always = model.modelType === 'component' ? ['id'] : ['id', 'documentId'];
  return [...new Set([...always, ...fields])];
}

function permitPopulate(context: Context, model: Model, populate: Populate, path: readonly string[]): Populated[] {
  const requests = new Map<string, Request>();
  switch (populate.kind) {
    case 'none':
      return [];
    case 'all':
      for (const name of populatableNames(model)) requests.set(name, PLAIN);
      break;
    case 'names':
      for (const dotted of populate.names) addName(context, model, requests, dotted.split('.'), path);
      break;
    case 'entries':
      for (const entry of populate.entries) {
        checkName(context, model, entry.name, path, path);
        if (entry.kind === 'text') throw refuse(context, entry.text, [...path, entry.name]);
        if (entry.kind === 'flag' && !entry.value) continue;
        requests.set(entry.name, entry.kind === 'flag' ? PLAIN : { kind: 'options', options: entry.options });
      }
  }
  return inSchemaOrder(model, requests).flatMap(([name, request]) => permitName(context, model, name, request, path));
}

/** Populated keys stand in schema order, `localizations` last, however they were asked for. */
function inSchemaOrder(model: Model, requests: ReadonlyMap<string, Request>): [string, Request][] {
  return populatableNames(model)
    .filter((name) => requests.has(name))
    .map((name) => [name, requests.get(name)!]);
}

/** @param holder path of unknown names; @param outer path before a known one that cannot be populated. */
function checkName(context: Context, model: Model, name: string, holder: readonly string[], outer: readonly string[]) {
  const named = lookUp(model, name);
  if (named.kind === 'unknown') throw refuseUnknown(context, model, name, holder);
  if (named.kind === 'hidden' || named.kind === 'field') throw refuse(context, name, [...outer, name]);
}

/**
 * Adds a dotted name, checking every part of it. Its errors carry the whole dot path up to the part. A path through a
 * relation that the caller may not find is left out as a whole; what stands behind a zone is left out there.
 */
function addName(
  context: Context,
  start: Model,
  requests: Map<string, Request>,
  parts: readonly string[],
  path: readonly string[],
): void {
  if (!checkParts(context, start, parts, path)) return;
  let level = requests;
  for (const [index, name] of parts.entries()) {
    if (index === parts.length - 1) {
      if (!level.has(name)) level.set(name, PLAIN);
      return;
    }
    const known = level.get(name);
    const next = known?.kind === 'names' ? known.names : new Map<string, Request>();
    level.set(name, { kind: 'names', names: next, path: parts.slice(0, index + 1) });
    level = next;
  }
}

/** Checks the parts of a dotted name, and tells whether the caller may go all the way. */
function checkParts(context: Context, start: Model, parts: readonly string[], path: readonly string[]): boolean {
  let models: readonly Model[] = [start];
  let visible = true;
  let seen = true;
  let severalTypes = false;
  for (const [index, name] of parts.entries()) {
    const holders = models.filter((model) => populatableNames(model).includes(name));
    if (holders.length === 0) {
      const here = parts.slice(0, index + 1);
      const model = models[0] ?? start;
      if (lookUp(model, name).kind === 'hidden') throw refuse(context, name, [...path, ...here]);
      throw refuse(context, name, here, seen ? models.flatMap(populatableNames) : []);
    }
    seen &&= holders.some((model) => mayPopulate(context, model, name));
    if (!severalTypes) visible &&= mayPopulate(context, holders[0]!, name);
    severalTypes ||= holders.some((model) => isSeveral(model, name));
    models = holders.flatMap((model) => reachable(context, model, name));
  }
  return visible;
}

function isSeveral(model: Model, name: string): boolean {
  const named = lookUp(model, name);
  return named.kind === 'attribute' && isPolymorphic(named.attribute);
}

/** Whether the rows behind a name are visible to the caller. Components, media and zones are part of their document. */
function mayPopulate(context: Context, model: Model, name: string): boolean {
  const named = lookUp(model, name);
  if (named.kind === 'localizations') return mayFind(context.grants, model.uid);
  if (named.kind !== 'attribute' || named.attribute.type !== 'relation' || isPolymorphic(named.attribute)) return true;
  return mayFind(context.grants, targetOf(named.attribute));
}

/** The models below a name: several for a zone or a relation to any type. */
function reachable(context: Context, model: Model, name: string): readonly Model[] {
  const named = lookUp(model, name);
  if (named.kind === 'localizations') return [model];
  if (named.kind !== 'attribute') return [];
  const { attribute } = named;
  if (attribute.type === 'dynamiczone') return attribute.components.map((uid) => modelOf(context.catalog, uid));
  if (isPolymorphic(attribute)) return anyType(context);
  return [modelOf(context.catalog, targetOf(attribute))];
}

/** Types that a relation to any type may show to the caller. Components that use a file are not told, as in the reference. */
function anyType(context: Context): readonly Model[] {
  return [...context.catalog.contentTypes.values()].filter((type) => mayFind(context.grants, type.uid));
}

function permitName(
  context: Context,
  model: Model,
  name: string,
  request: Request,
  path: readonly string[],
): Populated[] {
  const named = lookUp(model, name);
  const here = [...path, name];
  if (named.kind === 'attribute' && named.attribute.type === 'dynamiczone') {
    return [permitZone(context, named.attribute, request, here)];
  }
  if (named.kind === 'attribute' && isPolymorphic(named.attribute)) {
    return [permitAny(context, named.attribute as RelationAttribute, request, here)];
  }
  const target = named.kind === 'attribute' ? modelOf(context.catalog, targetOf(named.attribute)) : model;
  const visible = mayPopulate(context, model, name);
  // checked first, left out after: what a caller may not find is silently absent, mistakes are still told
  const populated = permitRelated(visible ? context : { ...context, unseen: true }, target, name, request, here);
  return visible ? [populated] : [];
}

function permitRelated(
  context: Context,
  target: Model,
  name: string,
  request: Request,
  here: readonly string[],
): Populated {
  if (request.kind !== 'options') {
    return {
      kind: 'related',
      name,
      selection: below(context, target, request, here),
      filter: undefined,
      order: [],
      count: false,
    };
  }
  const { options } = request;
  for (const key of options.keys) {
    if (key === 'on' || !POPULATE_KEYS.includes(key)) throw refuse(context, key, here, POPULATE_KEYS.slice(0, -1));
  }
  if (options.count === 'invalid') throw refuse(context, 'count', here);
  const filter = options.filters && permitFilter(context, target, options.filters);
  const order = permitSort(context, target, options.sort);
  const selection = permitSelection(context, target, options.fields, options.populate, here);
  return { kind: 'related', name, selection, filter, order, count: options.count };
}

/** The selection below a plain name or a dot path. */
function below(context: Context, model: Model, request: Request, here: readonly string[]): Selection {
  const fields = readableFields(model);
  if (request.kind !== 'names') return { uid: model.uid, fields, populated: [] };
  const populated = inSchemaOrder(model, request.names).flatMap(([name, next]) =>
    permitName(context, model, name, next, here),
  );
  return { uid: model.uid, fields, populated };
}

function permitZone(
  context: Context,
  zone: DynamicZoneAttribute,
  request: Request,
  here: readonly string[],
): Populated {
  const models = zone.components.map((uid) => modelOf(context.catalog, uid));
  const { name } = zone;
  if (request.kind !== 'options') {
    const parts = models.map((model) => ({ selection: below(context, model, request, here), filter: undefined }));
    return { kind: 'parts', name, parts, count: false };
  }
  const { options } = request;
  const stray = options.keys.find((key) => key !== 'on' && key !== 'populate' && key !== 'count');
  if (stray !== undefined) {
    throw validation(
      `Invalid nested populate for ${here.join('.')}. Expected a fragment ("on") or "count" but found ${stray}`,
    );
  }
  if (options.count === 'invalid') throw refuse(context, 'count', here);
  if (options.on !== undefined) {
    const known = (uid: string) => context.catalog.components.get(uid);
    const parts = permitFragments(context, options.on, here, known, [...context.catalog.components.keys()]);
    return {
      kind: 'parts',
      name,
      parts: parts.filter((part) => zone.components.includes(part.selection.uid)),
      count: options.count,
    };
  }
  if (options.populate.kind !== 'all' && options.populate.kind !== 'none') throw refuse(context, 'populate', here);
  const parts = models.map((model) => ({
    selection: permitSelection(context, model, undefined, options.populate, here),
    filter: undefined,
  }));
  return { kind: 'parts', name, parts, count: options.count };
}

/** Relations to any type: all visible types, or those that `on` names. */
function permitAny(
  context: Context,
  attribute: RelationAttribute,
  request: Request,
  here: readonly string[],
): Populated {
  const { name } = attribute;
  const types = anyType(context);
  if (request.kind !== 'options') {
    const parts = types.map((type) => ({ selection: below(context, type, request, here), filter: undefined }));
    return { kind: 'parts', name, parts, count: false };
  }
  const { options } = request;
  for (const key of options.keys) {
    if (!POPULATE_KEYS.includes(key)) throw refuse(context, key, here, POPULATE_KEYS);
    if (key === 'filters' || key === 'sort' || key === 'fields') {
      throw validation(`${key} cannot stand right under ${here.join('.')}, which leads to several types: use on`);
    }
  }
  if (options.count === 'invalid') throw refuse(context, 'count', here);
  if (options.on !== undefined) {
    const known = (uid: string) => context.catalog.contentTypes.get(uid) ?? context.catalog.components.get(uid);
    const visible = new Set(types.map((type) => type.uid));
    const parts = permitFragments(context, options.on, here, known, [...visible]);
    return {
      kind: 'parts',
      name,
      parts: parts.filter((part) => visible.has(part.selection.uid)),
      count: options.count,
    };
  }
  if (options.populate.kind !== 'all' && options.populate.kind !== 'none') throw refuse(context, 'populate', here);
  const parts = types.map((type) => ({
    selection: permitSelection(context, type, undefined, options.populate, here),
    filter: undefined,
  }));
  return { kind: 'parts', name, parts, count: options.count };
}

/** `on`: a fragment for each uid named. @param uids those that the caller may see. */
function permitFragments(
  context: Context,
  on: readonly PopulateEntry[] | 'invalid',
  here: readonly string[],
  known: (uid: string) => Model | undefined,
  uids: readonly string[],
): Part[] {
  const path = [...here, 'on'];
  if (on === 'invalid') throw refuse(context, 'on', path);
  return on.flatMap((entry): Part[] => {
    const model = known(entry.name);
    const at = [...path, entry.name];
    if (!model) throw refuse(context, entry.name, at, uids);
    if (entry.kind === 'text') throw refuse(context, entry.text, at);
    if (entry.kind === 'flag') {
      return entry.value ? [{ selection: below(context, model, PLAIN, at), filter: undefined }] : [];
    }
    const inside = uids.includes(entry.name) ? context : { ...context, unseen: true };
    const { options } = entry;
    for (const key of options.keys) {
      if (key === 'on' || key === 'count' || !POPULATE_KEYS.includes(key))
        throw refuse(context, key, at, POPULATE_KEYS);
    }
    const filter = options.filters && permitFilter(inside, model, options.filters);
    // entries of different kinds share one order, so a fragment's sort is checked and has no effect
    permitSort(inside, model, options.sort);
    return [{ selection: permitSelection(inside, model, options.fields, options.populate, at), filter }];
  });
}
