/** Names of `populate`, dotted or plain → the populate below each name. */
import type { PopulateOptions } from '../query/content-query.ts';
import type { Model } from '../schema/catalog.ts';
import { type Context, refuse } from './context.ts';
import type { Selection } from './permitted.ts';
import { isSeveral, mayPopulate, reachable } from './reachable.ts';

/** The populate of a name, in whichever form it was written. */
export type Request =
  | { readonly kind: 'plain' }
  | { readonly kind: 'options'; readonly options: PopulateOptions }
  | NamesRequest;

/** Of dotted names: the names below this one. */
export interface NamesRequest {
  readonly kind: 'names';
  readonly names: Map<string, Request>;
  /** The selection for each model with the number of its relations: several paths may lead to one model. */
  readonly made: Map<Model, { readonly selection: Selection; readonly populated: number }>;
}

export const PLAIN: Request = { kind: 'plain' };

/** The state of a dotted name up to one of its parts. Names with the same beginning share it. */
interface Prefix {
  /** The models of the next part. */
  readonly models: readonly Model[];
  /** Whether the caller may find documents along the whole path, as far as each step leads to one type. */
  readonly visible: boolean;
  /** Whether the caller may find documents of any of the models. */
  readonly seen: boolean;
  /** Whether a part leads to several types. */
  readonly several: boolean;
  readonly next: Map<string, Prefix>;
}

/**
 * Resolves names on a model. Errors name the dotted name up to the invalid part. A name through a relation whose
 * documents the caller may not find is left out as a whole; names behind a zone are left out there.
 *
 * @param path path of a nested populate object.
 * @throws ContentError 400 for an invalid key, and for more names than the budget allows.
 */
export function requestsOf(
  context: Context,
  model: Model,
  names: readonly string[],
  path: readonly string[],
): Map<string, Request> {
  const requests = new Map<string, Request>();
  const start: Prefix = { models: [model], visible: true, seen: true, several: false, next: new Map() };
  for (const dotted of names) {
    const parts = dotted.split('.');
    if (isVisible(context, start, parts, path)) add(requests, parts);
    else if (context.refusesUnseen) throw refuse({ ...context, unseen: true }, dotted, path);
  }
  return requests;
}

function add(requests: Map<string, Request>, parts: readonly string[]): void {
  let level = requests;
  for (const name of parts.slice(0, -1)) {
    const known = level.get(name);
    const request: NamesRequest =
      known?.kind === 'names' ? known : { kind: 'names', names: new Map(), made: new Map() };
    level.set(name, request);
    level = request.names;
  }
  const last = parts.at(-1)!;
  if (!level.has(last)) level.set(last, PLAIN);
}

/** Checks the parts of a dotted name. @returns whether the caller may find documents along the whole path. */
function isVisible(context: Context, start: Prefix, parts: readonly string[], path: readonly string[]): boolean {
  let prefix = start;
  for (const [index, name] of parts.entries()) {
    let next = prefix.next.get(name);
    if (!next) {
      next = follow(context, prefix, parts.slice(0, index + 1), path);
      prefix.next.set(name, next);
    }
    prefix = next;
  }
  return prefix.visible;
}

/** @param here the dotted name up to the current part. */
function follow(context: Context, prefix: Prefix, here: readonly string[], path: readonly string[]): Prefix {
  const { models } = prefix;
  const name = here.at(-1)!;
  const { view } = context;
  const holders = models.filter((model) => view.of(model).populatable.includes(name));
  if (holders.length === 0) {
    if (models[0] && view.of(models[0]).named(name).kind === 'hidden') throw refuse(context, name, [...path, ...here]);
    throw refuse(context, name, here, prefix.seen ? models.flatMap((model) => view.of(model).populatable) : []);
  }
  context.budget.charge('populateNames', holders.length);
  // relations to any type share one list
  const lists = new Set(holders.map((model) => reachable(context, model, name)));
  return {
    models: [...new Set([...lists].flat())],
    visible: prefix.visible && (prefix.several || mayPopulate(context, holders[0]!, name)),
    seen: prefix.seen && holders.some((model) => mayPopulate(context, model, name)),
    several: prefix.several || holders.some((model) => isSeveral(context, model, name)),
    next: new Map(),
  };
}
