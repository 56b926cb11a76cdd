/** Names of actions as operators write them, and the reference's tree of actions. */
import { UsageError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import type { Catalog } from '../../schema/catalog.ts';

/**
 * The actions that a word names: one, or all of a type or controller (`api::article.article.*`).
 *
 * @param known the actions that can be granted.
 * @param noun the word for an action in messages.
 * @throws UsageError for another word, with the most similar action.
 */
export function namedActions(
  word: string,
  known: ReadonlySet<string>,
  catalog: Catalog,
  noun: 'action' | 'permission' = 'action',
): readonly string[] {
  if (known.has(word)) return [word];
  const groups = Map.groupBy(known, (action) => action.slice(0, action.lastIndexOf('.')));
  const prefix = word.endsWith('.*') ? word.slice(0, -2) : undefined;
  if (prefix !== undefined) {
    const group = groups.get(prefix);
    if (group) return group;
    // all actions of a plugin or API are hardly meant
    const inIt = [...groups.keys()].filter((controller) => controller.startsWith(`${prefix}.`));
    if (inIt.length > 0) {
      const each = inIt.map((name) => `${name}.*`).join(', ');
      throw new UsageError(`${word} is more than one type or controller: ${each}`);
    }
    const meant = nearestSpelling(prefix, groups.keys(), (name) => spellings(name, catalog));
    throw new UsageError(`unknown ${noun} ${word}${meant === undefined ? '' : `: did you mean ${meant}.*?`}`);
  }
  const bare = word.replace(/\.$/, '').toLowerCase();
  const untold = [...groups.keys()].find((name) =>
    spellings(name, catalog).some((spelling) => spelling.toLowerCase() === bare),
  );
  if (untold !== undefined) {
    const each = groups.get(untold)!.join(', ');
    throw new UsageError(`${word} names no action: there are ${each}, and ${untold}.* for all of them`);
  }
  const meant = nearestAction(word, known, catalog);
  throw new UsageError(`unknown ${noun} ${word}${meant === undefined ? '' : `: did you mean ${meant}?`}`);
}

/**
 * The action that a wrong word most likely means; undefined if none is similar. Operators often omit the namespace and
 * use the plural of addresses: `articles.find` means `api::article.article.find`.
 */
export function nearestAction(word: string, known: Iterable<string>, catalog: Catalog): string | undefined {
  return nearestSpelling(word, known, (action) => {
    const dot = action.lastIndexOf('.');
    return spellings(action.slice(0, dot), catalog).map((spelling) => spelling + action.slice(dot));
  });
}

function nearestSpelling(
  word: string,
  names: Iterable<string>,
  spellingsOf: (name: string) => readonly string[],
): string | undefined {
  const meanings = new Map([...names].map((name) => [name, name]));
  for (const name of [...meanings.keys()]) {
    for (const spelling of spellingsOf(name)) if (!meanings.has(spelling)) meanings.set(spelling, name);
  }
  const near = nearest(word, meanings.keys());
  return near === undefined ? undefined : meanings.get(near);
}

/** Spellings of the type or controller of an action: `article`, `articles` and so on for `api::article.article`. */
function spellings(name: string, catalog: Catalog): string[] {
  const [, namespace = '', owner = '', controller = ''] = /^(?:(.*?)::)?([^.]*)\.(.*)$/.exec(name) ?? [];
  const plural = catalog.contentTypes.get(name)?.pluralName;
  const short = [controller, ...(plural === undefined ? [] : [plural])];
  const unspaced = [...short, ...short.map((word) => `${owner}.${word}`), ...short.map((word) => `${word}.${word}`)];
  return [name, ...unspaced, ...unspaced.map((word) => `${namespace}::${word}`)];
}

/** Actions by API and controller, as in the reference: `api::blog` → `post` → `find`. */
export type ActionTree = Readonly<
  Record<string, { readonly controllers: Readonly<Record<string, Readonly<Record<string, ActionState>>>> }>
>;

export interface ActionState {
  readonly enabled: boolean;
  /** Without meaning; part of the reference's form. */
  readonly policy: '';
}

/** The tree of actions, in which granted ones are enabled. */
export function actionTree(actions: Iterable<string>, granted: ReadonlySet<string> = new Set()): ActionTree {
  const owners = new Map<string, Map<string, Map<string, ActionState>>>();
  for (const action of new Set([...actions, ...granted])) {
    const [owner = '', controller = '', ...name] = action.split('.');
    const controllers = owners.get(owner) ?? new Map<string, Map<string, ActionState>>();
    const states = controllers.get(controller) ?? new Map<string, ActionState>();
    owners.set(owner, controllers.set(controller, states));
    states.set(name.join('.'), { enabled: granted.has(action), policy: '' });
  }
  const inner = ([controller, states]: [string, Map<string, ActionState>]) => [controller, Object.fromEntries(states)];
  return Object.fromEntries(
    [...owners].map(([owner, controllers]) => [
      owner,
      { controllers: Object.fromEntries([...controllers].map(inner)) },
    ]),
  );
}
