/** fields and populate × View → Selection (docs/reference/query-parameters.md, "Fields", "Populate"). */
import { validation } from '../errors.ts';
import { checkDepth } from '../query/budget.ts';
import type { FieldList, Populate, PopulateEntry } from '../query/content-query.ts';
import { POPULATE_KEYS } from '../query/populate.ts';
import {
  type DynamicZoneAttribute,
  isPolymorphic,
  type Model,
  modelOf,
  type RelationAttribute,
} from '../schema/catalog.ts';
import { type Context, refuse, refuseUnknown } from './context.ts';
import { permitFilter } from './permit-filters.ts';
import { permitSort } from './permit-sort.ts';
import type { Part, Populated, Selection } from './permitted.ts';
import { PLAIN, type Request, requestsOf } from './populate-names.ts';
import { mayPopulate } from './reachable.ts';

/**
 * Resolves the fields and populated names of a model.
 *
 * @param path path of a nested populate object; names in text or list form start a new path.
 * @throws ContentError 400 for an invalid key, and for more relations than the budget allows or engines can nest.
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

/** Resolves `fields`: id (and documentId) first, then in the requested order, each once. */
function permitFields(context: Context, model: Model, fields: FieldList): readonly string[] {
  const { readable, named } = context.view.of(model);
  if (fields === undefined) return readable;
  for (const name of fields) {
    if (readable.includes(name)) continue;
    if (named(name).kind === 'unknown') throw refuse(context, name, [], readable);
    throw refuse(context, name, [name]);
  }
  const always = model.modelType === 'component' ? ['id'] : ['id', 'documentId'];
  return [...new Set([...always, ...fields])];
}

function permitPopulate(context: Context, model: Model, populate: Populate, path: readonly string[]): Populated[] {
  let requests = new Map<string, Request>();
  switch (populate.kind) {
    case 'none':
      return [];
    case 'all':
      for (const name of context.view.of(model).populatable) {
        if (context.view.covers(model, name)) requests.set(name, PLAIN);
      }
      break;
    case 'names':
      requests = requestsOf(context, model, populate.names, path);
      break;
    case 'entries':
      for (const entry of populate.entries) {
        checkName(context, model, entry.name, path, path);
        if (entry.kind === 'text') throw refuse(context, entry.text, [...path, entry.name]);
        if (entry.kind === 'flag' && !entry.value) continue;
        requests.set(entry.name, entry.kind === 'flag' ? PLAIN : { kind: 'options', options: entry.options });
      }
  }
  return permitNames(context, model, requests, path);
}

function permitNames(
  context: Context,
  model: Model,
  requests: ReadonlyMap<string, Request>,
  path: readonly string[],
): Populated[] {
  const below = { ...context, level: context.level + 1 };
  return inSchemaOrder(context, model, requests).flatMap(([name, request]) =>
    permitName(below, model, name, request, path),
  );
}

/** Populated keys are in schema order, `localizations` last, in any order of the request. */
function inSchemaOrder({ view }: Context, model: Model, requests: ReadonlyMap<string, Request>): [string, Request][] {
  return view
    .of(model)
    .populatable.filter((name) => requests.has(name))
    .map((name) => [name, requests.get(name)!]);
}

/** @param holder path of unknown names; @param outer path before a name that exists and cannot be populated. */
function checkName(context: Context, model: Model, name: string, holder: readonly string[], outer: readonly string[]) {
  const named = context.view.of(model).named(name);
  if (named.kind === 'unknown') throw refuseUnknown(context, model, name, holder);
  if (named.kind === 'hidden' || named.kind === 'field') throw refuse(context, name, [...outer, name]);
}

function permitName(
  context: Context,
  model: Model,
  name: string,
  request: Request,
  path: readonly string[],
): Populated[] {
  checkDepth('populate', context.level);
  context.budget.charge('populated');
  const named = context.view.of(model).named(name);
  const here = [...path, name];
  if (named.kind === 'attribute' && named.attribute.type === 'dynamiczone') {
    return [permitZone(context, named.attribute, request, here)];
  }
  if (named.kind === 'attribute' && isPolymorphic(named.attribute)) {
    return [permitAny(context, model, named.attribute as RelationAttribute, request, here)];
  }
  const target = named.kind === 'attribute' ? context.view.into(model, named.attribute) : model;
  const visible = mayPopulate(context, model, name);
  // documents that the caller may not find are left out without an error, but only after the names are checked
  const populated = permitRelated(visible ? context : { ...context, unseen: true }, target, name, request, here);
  if (!visible && context.refusesUnseen) throw refuse({ ...context, unseen: true }, name, here);
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

/** The selection below a plain or dotted name. It is created once for each model and charged for each use. */
function below(context: Context, model: Model, request: Request, here: readonly string[]): Selection {
  if (request.kind !== 'names') return plainSelection(context, model);
  const { budget } = context;
  const known = request.made.get(model);
  if (known) {
    budget.charge('populated', known.populated);
    return known.selection;
  }
  const before = budget.spent('populated');
  const populated = permitNames(context, model, request.names, here);
  const selection = { uid: model.uid, fields: context.view.of(model).readable, populated };
  request.made.set(model, { selection, populated: budget.spent('populated') - before });
  return selection;
}

function plainSelection({ view, plain }: Context, model: Model): Selection {
  let selection = plain.get(model);
  if (!selection) {
    selection = { uid: model.uid, fields: view.of(model).readable, populated: [] };
    plain.set(model, selection);
  }
  return selection;
}

/** One part for each model. */
function partsOf(context: Context, models: readonly Model[], select: (model: Model) => Selection): Part[] {
  context.budget.charge('populated', models.length);
  return models.map((model) => ({ selection: select(model), filter: undefined }));
}

function permitZone(
  context: Context,
  zone: DynamicZoneAttribute,
  request: Request,
  here: readonly string[],
): Populated {
  const models = zone.components.map((uid) => modelOf(context.view.catalog, uid));
  const { name } = zone;
  if (request.kind !== 'options') {
    const parts = partsOf(context, models, (model) => below(context, model, request, here));
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
    const known = (uid: string) => context.view.catalog.components.get(uid);
    const parts = permitFragments(context, options.on, here, known, [...context.view.catalog.components.keys()]);
    return {
      kind: 'parts',
      name,
      parts: parts.filter((part) => zone.components.includes(part.selection.uid)),
      count: options.count,
    };
  }
  if (options.populate.kind !== 'all' && options.populate.kind !== 'none') throw refuse(context, 'populate', here);
  const parts = partsOf(context, models, (model) => permitSelection(context, model, undefined, options.populate, here));
  return { kind: 'parts', name, parts, count: options.count };
}

/** Parts of a relation to any type: all visible types, or those of `on`, whose links are visible. */
function permitAny(
  context: Context,
  model: Model,
  attribute: RelationAttribute,
  request: Request,
  here: readonly string[],
): Populated {
  const { name } = attribute;
  const shown = (parts: readonly Part[]): Part[] =>
    parts.flatMap((part) => {
      const linkedBy = context.view.linkedBy(model, attribute, part.selection.uid);
      return linkedBy?.length === 0 ? [] : [linkedBy ? { ...part, linkedBy } : part];
    });
  const { types } = context.view;
  // without `on` the relation leads to all types, and code with wider rights would find the hidden ones as well
  const namesTypes = request.kind === 'options' && request.options.on !== undefined;
  if (context.refusesUnseen && !namesTypes && !context.view.seesAllTypes) {
    throw refuse({ ...context, unseen: true }, name, here);
  }
  if (request.kind !== 'options') {
    const parts = partsOf(context, types, (type) => below(context, type, request, here));
    return { kind: 'parts', name, parts: shown(parts), count: false };
  }
  const { options } = request;
  for (const key of options.keys) {
    if (!POPULATE_KEYS.includes(key)) throw refuse(context, key, here, POPULATE_KEYS);
    if (key === 'filters' || key === 'sort' || key === 'fields') {
      throw validation(`${key} cannot be used directly under ${here.join('.')}, which leads to several types: use on`);
    }
  }
  if (options.count === 'invalid') throw refuse(context, 'count', here);
  if (options.on !== undefined) {
    const known = (uid: string) =>
      context.view.catalog.contentTypes.get(uid) ?? context.view.catalog.components.get(uid);
    const visible = new Set(types.map((type) => type.uid));
    const parts = permitFragments(context, options.on, here, known, [...visible]);
    return {
      kind: 'parts',
      name,
      parts: shown(parts.filter((part) => visible.has(part.selection.uid))),
      count: options.count,
    };
  }
  if (options.populate.kind !== 'all' && options.populate.kind !== 'none') throw refuse(context, 'populate', here);
  const parts = partsOf(context, types, (type) => permitSelection(context, type, undefined, options.populate, here));
  return { kind: 'parts', name, parts: shown(parts), count: options.count };
}

/** `on`: a fragment for each uid. @param uids types that are visible to the caller. */
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
    context.budget.charge('populated');
    const inside = uids.includes(entry.name) ? context : { ...context, unseen: true };
    if (inside.unseen && context.refusesUnseen) throw refuse(inside, entry.name, at);
    if (entry.kind === 'flag') {
      return entry.value ? [{ selection: below(context, model, PLAIN, at), filter: undefined }] : [];
    }
    const { options } = entry;
    for (const key of options.keys) {
      if (key === 'on' || key === 'count' || !POPULATE_KEYS.includes(key))
        throw refuse(context, key, at, POPULATE_KEYS);
    }
    const filter = options.filters && permitFilter(inside, model, options.filters);
    // entries of different types share one order, so the sort of a fragment is checked without effect
    permitSort(inside, model, options.sort);
    return [{ selection: permitSelection(inside, model, options.fields, options.populate, at), filter }];
  });
}
