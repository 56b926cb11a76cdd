/**
 * Which attributes of a row have values outside of its table: links in a table of links, and components. One look at each
 * table tells, so a statement that reads everything of the row can leave out the others.
 */
import type { LinkTable } from './link-place.ts';
import type { ModelLinks } from './link-plan.ts';

/** Where values of attributes may be. Attributes whose values can be elsewhere are not in it. */
export interface FilledPlan {
  /** By attribute. */
  readonly links: readonly (readonly [attribute: string, place: LinkTable])[];
  /** The table that links components to the rows; undefined for a model without components. */
  readonly ties: string | undefined;
}

export function planFilled(links: ModelLinks, ties: string | undefined): FilledPlan {
  const places = [...links].flatMap(([name, { place }]) => (place.kind === 'table' ? [[name, place] as const] : []));
  return { links: places, ties };
}

/** The attributes of a row that have values. */
export interface Filled {
  /** Attributes of the plan without links. */
  readonly unlinked: ReadonlySet<string>;
  /** The uids of components, by attribute. */
  readonly components: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Reads the text that `compileFoundRows` selects: a digit for each attribute with links, then the components. */
export function readFilled({ links }: FilledPlan, text: string): Filled {
  const unlinked = new Set(links.flatMap(([name], n) => (text[n] === '0' ? [name] : [])));
  const components = new Map<string, Set<string>>();
  for (const tie of text.slice(links.length).split(',')) {
    const [field, uid] = tie.split(' ');
    if (field && uid) components.set(field, (components.get(field) ?? new Set()).add(uid));
  }
  return { unlinked, components };
}

/** Whether a row has nothing where another one has nothing. */
export function isWithin(one: Filled, other: Filled): boolean {
  for (const name of other.unlinked) if (!one.unlinked.has(name)) return false;
  for (const [field, uids] of one.components) {
    if (![...uids].every((uid) => other.components.get(field)?.has(uid))) return false;
  }
  return true;
}
