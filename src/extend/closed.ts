/** Touches → the actions that are closed: everything that code may guard and that is not declared safe. */

import { batchAction, grantableActions } from '../access/actions.ts';
import type { CodeConfig } from '../config/config.ts';
import { nearest } from '../nearest.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import type { Problem } from '../schema/check/problem.ts';
import { nearestAction } from '../users/roles/action-names.ts';
import { leftOut, type Routing } from './routers.ts';
import type { Touch } from './touch.ts';

/** Stored files below `/uploads` and those of the project, which a global middleware may guard: served to everybody, without a grant. */
export const STORED_FILES = 'uploads';

/** Galley's own actions with those that they go beside: a guard of these is one of them too. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  publish: ['update'],
  unpublish: ['update', 'delete'],
  discardDraft: ['update'],
  createLocalization: ['update'],
};

/** The actions that an action goes beside: one that Galley alone has. */
export function besideOf(action: string): readonly string[] {
  const at = action.lastIndexOf('.') + 1;
  const name = action.slice(at);
  return Object.hasOwn(BESIDE, name) ? BESIDE[name]!.map((other) => action.slice(0, at) + other) : [];
}

export interface Closed {
  /** Closed actions, with the touches that close each; none for a core action that no route performs. */
  readonly actions: ReadonlyMap<string, readonly Touch[]>;
  /** Those of them that are closed only because of an action that they go beside. */
  readonly beside: ReadonlySet<string>;
  /** Mistakes of `config/galley`. */
  readonly problems: readonly Problem[];
}

/** The actions that are closed, of those of a project. @param own those of its own routes, where its code is run. */
export function closeActions(
  catalog: Catalog,
  routing: Routing,
  {
    touches,
    codes,
    config,
    own,
  }: { touches: readonly Touch[]; codes: readonly string[]; config: CodeConfig; own: readonly string[] },
): Closed {
  const performed = new Set(routing.own.map(({ handler }) => handler));
  const left = new Set([...leftOut(catalog, routing.routes)].filter((action) => !performed.has(action)));
  const actions = grantableActions(catalog, own);
  // types that are not shown through others either are among the actions that touches name
  const sealed = touches
    .flatMap((touch) => (touch.actions === 'all' ? [] : touch.actions))
    .filter((action) => catalog.contentTypes.has(action));
  const batches = [...catalog.contentTypes.values()].filter(isBatched).map(batchAction);
  const known = new Set([...actions, ...batches, STORED_FILES, ...sealed]);
  const skippable = new Set([...codes, ...touches.map(({ code }) => code)]);
  const problems = [
    ...mistakes(config, 'serve', known, (word) => nearestAction(word, known, catalog), left),
    ...mistakes(config, 'safeToSkip', skippable, (word) => nearest(word, skippable)),
  ];
  const served = new Set(config.serve);
  const closed = new Map<string, Touch[]>([...left].map((action) => [action, []]));
  for (const touch of touches) {
    if (config.safeToSkip.includes(touch.code)) continue;
    const touched = touch.actions === 'all' ? actions : touch.actions;
    for (const action of touch.files ? [...touched, STORED_FILES] : touched) {
      if (!known.has(action) || served.has(action) || left.has(action)) continue;
      closed.set(action, [...(closed.get(action) ?? []), touch]);
    }
  }
  const beside = new Set<string>();
  for (const [uid, { routed }] of catalog.contentTypes) {
    for (const name of routed ? Object.keys(BESIDE) : []) {
      const action = `${uid}.${name}`;
      const before = besideOf(action).flatMap((other) => (closed.has(other) ? [closed.get(other)!] : []));
      if (before.length === 0 || !known.has(action) || served.has(action)) continue;
      const touched = closed.get(action);
      const isLeftOut = !touched && before.some((found) => found.length === 0);
      closed.set(action, isLeftOut ? [] : [...new Set([...(touched ?? []), ...before.flat()])]);
      if (!touched) beside.add(action);
    }
  }
  return { actions: closed, beside, problems };
}

/** Whether a type has batches. */
export const isBatched = ({ routed, kind }: ContentType): boolean => routed && kind === 'collectionType';

function mistakes(
  config: CodeConfig,
  key: 'serve' | 'safeToSkip',
  known: ReadonlySet<string>,
  nearestOf: (word: string) => string | undefined,
  left?: ReadonlySet<string>,
): Problem[] {
  return config[key].flatMap((word, index): Problem[] => {
    const problem = { file: config.file, path: `${key}.${index}` };
    if (left?.has(word))
      return [{ ...problem, message: `${word} has no route: a router of the project leaves it out` }];
    if (known.has(word)) return [];
    const hint = nearestOf(word);
    const message = key === 'serve' ? `the project has no action ${word}` : `the project has no code ${word}`;
    return [{ ...problem, message, ...(hint === undefined ? {} : { nearest: hint }) }];
  });
}
