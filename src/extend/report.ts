/**
 * What `start` tells a project's administrator about code that is not run, in few lines however many types there are.
 */
import type { CodeConfig } from '../config/config.ts';
import { counted } from '../counted.ts';
import type { Closed } from './closed.ts';
import type { Touch } from './touch.ts';

/** Groups that are printed one by one, and names that are listed, of each. */
const GROUPS = 12;
const NAMES = 6;

/** Actions of one piece of code that are named one by one in the lines that open them. */
const NAMED = 12;

/** What a `config/galley` that is not there is called. */
const NO_FILE = 'config/galley';

/** Last words of Galley's own actions, those of types. */
const OWN_NAMES = ['batch', 'publish', 'unpublish', 'discardDraft'];

interface Group {
  readonly what: string;
  readonly codes: Set<string>;
  readonly actions: Set<string>;
  /** Whether it touches every action. */
  readonly all: boolean;
}

/** The message about closed actions; undefined where there are none. */
export function closedMessage(all: Closed, config: CodeConfig): string | undefined {
  const closed = closedByCode(all);
  if (closed.size === 0) return undefined;
  const lines = [headline(new Set(closed.keys()), config)];
  const tell = (title: string, refuses: boolean): void => {
    const told = new Map<string, readonly Touch[]>();
    for (const [action, touches] of closed) {
      const some = touches.filter((touch) => touch.refuses === refuses);
      if (some.length > 0) told.set(action, some);
    }
    const groups = groupsOf(told);
    if (groups.length === 0) return;
    lines.push(`  ${title}`, ...groups.slice(0, GROUPS).map((group) => `    ${groupText(group)}`));
    if (groups.length > GROUPS)
      lines.push(`    and ${counted(groups.length - GROUPS, 'more piece', 'more pieces')} of code`);
  };
  tell('Would lose a guard:', true);
  tell('Would answer differently:', false);
  const own = OWN_NAMES.filter((name) => [...closed.keys()].some((action) => action.endsWith(`.${name}`)));
  if (own.length > 0 && !(config.run && areOwn(closed.keys()))) {
    lines.push(`  Actions of Galley's own, which Strapi does not have: ${own.join(', ')}.`);
  }
  lines.push(
    `  To serve these actions without that code, ${toWrite(config)}`,
    `    ${config.written(remedy(closed, config))}`,
  );
  return lines.join('\n');
}

/** What to do with the line that follows, which is the whole of a `config/galley`. */
export const toWrite = ({ file, place }: Pick<CodeConfig, 'file' | 'place'>): string => {
  const verb = file === NO_FILE ? `write this into a new file ${place}` : `replace the content of ${place} with this`;
  return `${verb}; remove the names that must not be served:`;
};

/**
 * The lists of `config/galley` that open everything in the messages about what is closed; undefined where nothing is.
 *
 * @param guarded what administrators may not do.
 */
export function openingLists(
  all: Closed,
  guarded: Closed['actions'],
  config: CodeConfig,
): Pick<CodeConfig, 'serve' | 'safeToSkip'> | undefined {
  const closed = withGuarded(all, guarded);
  return closed.size === 0 ? undefined : remedy(closed, config);
}

/** What is closed to everybody or to administrators, with all that closes it. */
function withGuarded(all: Closed, guarded: Closed['actions']): Map<string, readonly Touch[]> {
  const closed = new Map(closedByCode(all));
  for (const [action, touches] of guarded) {
    if (touches.length > 0 && !all.beside.has(action)) closed.set(action, [...(closed.get(action) ?? []), ...touches]);
  }
  return closed;
}

const closedByCode = ({ actions, beside }: Closed): Closed['actions'] =>
  new Map([...actions].filter(([action, touches]) => touches.length > 0 && !beside.has(action)));

/** Which actions are closed and why: where code is run, Galley's own go round it. */
function headline(closed: ReadonlySet<string>, { run }: CodeConfig): string {
  const count = [...closed].filter((word) => !isSealed(word)).length;
  const subject = count === 0 ? 'Relations to these types are' : count === 1 ? '1 action is' : `${count} actions are`;
  const refusal = count === 0 ? '' : ' (403 to everybody)';
  const [them, They] = count === 1 ? ['it', 'It is'] : ['them', 'They are'];
  const why =
    run && areOwn(closed)
      ? `${They} Galley's own and would go round code of the project, which is run for other actions.`
      : `Code of the project that may refuse, filter or change ${them} is not run for ${them}${run ? '; other code runs' : ''}.`;
  const names = actionsText(closed).replace(/^\d+ actions (?=of )/, 'those ');
  return `${subject} closed${refusal}: ${names}. ${why}`;
}

/** Whether actions are Galley's own, which Strapi does not have. */
const areOwn = (actions: Iterable<string>): boolean =>
  [...actions].every((action) => OWN_NAMES.includes(action.slice(action.lastIndexOf('.') + 1)));

/**
 * The message about what administrators may not do although code is run; undefined where there is nothing.
 *
 * @param all what is closed to everybody, of which another message tells.
 */
export function guardedMessage(guarded: Closed['actions'], all: Closed, config: CodeConfig): string | undefined {
  const groups = groupsOf(guarded);
  if (groups.length === 0) return undefined;
  const more =
    groups.length > GROUPS ? [`    and ${counted(groups.length - GROUPS, 'more piece', 'more pieces')} of code`] : [];
  const lists = remedy(withGuarded(all, guarded), config);
  const above = remedy(closedByCode(all), config);
  const isAbove = lists.serve.length === above.serve.length && lists.safeToSkip.length === above.safeToSkip.length;
  const what = closedByCode(all).size > 0 ? 'these actions and those above' : 'these actions';
  return [
    'Closed in the administration app, where code of the project that may refuse or change these actions does not run:',
    ...groups.slice(0, GROUPS).map((group) => `    ${groupText(group)}`),
    ...more,
    ...(isAbove
      ? [`  The ${config.place} above opens them there as well.`]
      : [`  To allow ${what} without that code, ${toWrite(config)}`, `    ${config.written(lists)}`]),
  ].join('\n');
}

/** One line about the actions that routers leave out; undefined where there are none. */
export function leftOutMessage({ actions }: Closed): string | undefined {
  const left = new Set([...actions].filter(([, touches]) => touches.length === 0).map(([action]) => action));
  return left.size === 0 ? undefined : `routers of the project leave out ${actionsText(left)}`;
}

/** One line for the log about a closed action. */
export function closedReason(action: string, touches: readonly Touch[]): string {
  const [touch] = touches;
  if (!touch) return `${action} is closed: a router of the project leaves it out`;
  const more = touches.length > 1 ? `, and ${touches.length - 1} more` : '';
  return `${action} is closed, since code before it is not run: ${touch.what} (${touch.code})${more}; config/galley can open it`;
}

function groupsOf(closed: ReadonlyMap<string, readonly Touch[]>): Group[] {
  const groups = new Map<string, Group>();
  for (const [action, touches] of closed) {
    for (const { what, code, actions } of touches) {
      const all = actions === 'all';
      const word = all ? what : familiar(what);
      const key = all ? `${what} ${code}` : word;
      const group = groups.get(key) ?? { what: word, codes: new Set(), actions: new Set(), all };
      group.codes.add(code);
      group.actions.add(action);
      groups.set(key, group);
    }
  }
  // whatever touches everything says more than what else touches a part of it
  return [...groups.values()].sort((a, b) => Number(b.all) - Number(a.all) || b.actions.size - a.actions.size);
}

/** Middlewares and policies of one name that each type has for itself are one group. */
const familiar = (what: string): string => what.replace(/^(policy|middleware) api::[^.]+\./, '$1 ');

function groupText({ what, codes, actions, all }: Group): string {
  const [first = '', ...others] = codes;
  const place = others.length === 0 ? first : `${first} and ${others.length} more`;
  return `${what === first ? '' : `${what}, `}${place}: ${all ? 'every action' : actionsText(actions)}`;
}

/** `find, findOne of api::article.article, api::page.page and 40 more`. */
function actionsText(actions: ReadonlySet<string>): string {
  const byType = new Map<string, string[]>();
  for (const action of actions) {
    if (isSealed(action)) continue;
    const at = action.lastIndexOf('.');
    const uid = action.slice(0, Math.max(at, 0));
    byType.set(uid, [...(byType.get(uid) ?? []), action.slice(at + 1)]);
  }
  const byNames = new Map<string, string[]>();
  for (const [uid, names] of byType) {
    const key = names.join(', ');
    byNames.set(key, [...(byNames.get(key) ?? []), uid]);
  }
  const told = [...byNames].map(([names, uids]) => (uids[0] === '' ? names : `${names} of ${listed(uids)}`));
  const sealed = [...actions].filter(isSealed);
  const shown = sealed.length === 0 ? [] : [`what other types show of ${listed(sealed)}`];
  if (told.length > 3)
    return [`${actions.size - sealed.length} actions of ${listed([...byType.keys()])}`, ...shown].join('; ');
  return [...told, ...shown].join('; ');
}

/** Whether a closed word is the uid of a type: it is not shown through others. Actions have a name behind it. */
const isSealed = (word: string): boolean => /^[a-z]+::[^.]+\.[^.]+$/.test(word);

function listed(names: readonly string[]): string {
  const [some, rest] = [names.slice(0, NAMES), names.length - NAMES];
  return rest > 0 ? `${some.join(', ')} and ${rest} more` : some.join(', ');
}

/**
 * The lists of `config/galley` that open actions, behind what is there already: each by its name, but for code that
 * touches many of them, which is named itself.
 */
function remedy(
  closed: ReadonlyMap<string, readonly Touch[]>,
  config: CodeConfig,
): Pick<CodeConfig, 'serve' | 'safeToSkip'> {
  const touched = new Map<string, number>();
  for (const { code, actions } of [...closed.values()].flat()) {
    touched.set(code, actions === 'all' ? Number.POSITIVE_INFINITY : (touched.get(code) ?? 0) + 1);
  }
  const skipped = new Set([...touched].filter(([, count]) => count > NAMED).map(([code]) => code));
  const losesGuard = (touches: readonly Touch[]) => touches.some(({ refuses }) => refuses);
  const served = [...closed]
    .filter(([, touches]) => touches.some(({ code }) => !skipped.has(code)))
    .sort(([, a], [, b]) => Number(losesGuard(b)) - Number(losesGuard(a)));
  return {
    safeToSkip: [...new Set([...config.safeToSkip, ...skipped])],
    serve: [...new Set([...config.serve, ...served.map(([action]) => action)])],
  };
}
