/**
 * The messages of `start` about code that is not run and about closed actions, in few lines for any number of types.
 */
import type { CodeConfig } from '../config/config.ts';
import { counted } from '../counted.ts';
import { UsageError } from '../errors.ts';
import { commandText } from '../own-files.ts';
import type { ClosedActions, SkippedCode } from './closed-actions.ts';
import { type ListedRoute, wholePath } from './requests/routes.ts';

/** Pieces of code that are printed one by one, and names that are listed, of each. */
const PIECES = 12;
const NAMES = 6;

/** Actions of one piece of code that are named one by one in the lines that open them. */
const NAMED = 12;

/** The name of a `config/galley` that does not exist. */
const NO_FILE = 'config/galley';

/** The lists of `config/galley`. */
export type ClosingLists = Pick<CodeConfig, 'serve' | 'without' | 'safeToSkip'>;

/** The message about closed actions; undefined where there are none. */
export function closedMessage(
  skipped: readonly SkippedCode[],
  closed: ClosedActions,
  config: CodeConfig,
): string | undefined {
  if (closed.size === 0) return undefined;
  const all = new Set(skipped.flatMap(({ code, actions }) => (actions === 'all' ? [code] : [])));
  const byCode = new Map<string, string[]>();
  for (const [action, codes] of closed) {
    for (const code of codes) byCode.set(code, [...(byCode.get(code) ?? []), action]);
  }
  // code that may guard everything is more important than code that guards a part
  const pieces = [...byCode].sort(([a, some], [b, others]) => {
    return Number(all.has(b)) - Number(all.has(a)) || others.length - some.length;
  });
  const [count, them] = closed.size === 1 ? ['1 action is', 'it'] : [`${closed.size} actions are`, 'them'];
  const why = config.run ? 'is left out' : 'is not run (run: false)';
  return [
    `${count} closed (403 to everyone), because code of the project that may guard ${them} ${why}:`,
    ...pieces
      .slice(0, PIECES)
      .map(([code, actions]) => `    ${code}: ${all.has(code) ? 'every action' : actionsText(new Set(actions))}`),
    ...morePieces(pieces.length),
    `  To serve ${them} without that code, ${toWrite(config)}`,
    `    ${config.written(listsThatOpen(closed, config))}`,
  ].join('\n');
}

/**
 * The message about routes that are closed because their handlers are left out, or because a guard is whose route has no
 * action to serve; undefined where there are none.
 *
 * @param routes each with the file that is left out. @param prefix that of the API.
 */
export function lostRoutesMessage(
  routes: readonly { readonly route: ListedRoute; readonly code: string }[],
  prefix: string,
): string | undefined {
  if (routes.length === 0) return undefined;
  const byCode = Map.groupBy(routes, ({ code }) => code);
  const [are, they] = routes.length === 1 ? ['is', 'it needs'] : ['are', 'they need'];
  return [
    `${counted(routes.length, 'route')} ${are} closed (403 to everyone), because code that ${they} is left out:`,
    ...[...byCode].slice(0, PIECES).map(([code, some]) => {
      return `    ${code}: ${listed(some.map(({ route }) => `${route.method} ${wholePath(route, prefix)}`))}`;
    }),
    ...morePieces(byCode.size),
  ].join('\n');
}

const morePieces = (count: number): string[] =>
  count > PIECES ? [`    and ${counted(count - PIECES, 'more piece', 'more pieces')} of code`] : [];

/** Where the line that follows belongs, which is the whole of a `config/galley`. */
const placeToWrite = ({ file, place }: Pick<CodeConfig, 'file' | 'place'>): string =>
  file === NO_FILE ? `write this into a new file ${place}` : `replace the content of ${place} with this`;

/** The instruction for the following line, which opens actions. */
export const toWrite = (config: Pick<CodeConfig, 'file' | 'place'>): string =>
  `${placeToWrite(config)}; remove the names that must not be served:`;

/** A message about closed actions, with the lists of `config/galley` that open them and all that messages before it name. */
export interface OpeningMessage {
  readonly message: string;
  readonly opening: ClosingLists;
}

/**
 * The message about actions that are closed because they would bypass code that runs; undefined where there are none.
 *
 * @param closed actions with why each is closed. @param before the lists of the message before; undefined for none.
 */
export function bypassMessage(
  closed: ReadonlyMap<string, string>,
  config: CodeConfig,
  before: ClosingLists | undefined,
): OpeningMessage | undefined {
  if (closed.size === 0) return undefined;
  const reasons = Map.groupBy(closed, ([, reason]) => reason);
  const { serve, without, safeToSkip } = before ?? config;
  const opening = { without, safeToSkip, serve: [...new Set([...serve, ...closed.keys()])] };
  const count = counted(closed.size, 'action', 'actions');
  const [are, they, them] = closed.size === 1 ? ['is', 'it', 'it'] : ['are', 'they', 'them'];
  const message = [
    `${count} that Strapi does not have ${are} closed (403 to everyone), because ${they} would bypass code of the project:`,
    ...[...reasons].map(([reason, all]) => `    ${actionsText(new Set(all.map(([action]) => action)))}: ${reason}`),
    `  To serve ${them} without that code, ${toWrite(config)}`,
    `    ${config.written(opening)}`,
  ].join('\n');
  return { message, opening };
}

/**
 * One line about features that Strapi does not have and that code of the project guards; undefined where there are none.
 *
 * @param types how many streams of changes leave out. @param actions how many are closed.
 */
function summaryOfGuarded(types: number, actions: number): string | undefined {
  if (types + actions === 0) return undefined;
  const streams = types === 0 ? [] : [`streams of changes leave out ${counted(types, 'type')}`];
  const are = actions === 1 ? 'is' : 'are';
  const closed = actions === 0 ? [] : [`${counted(actions, 'action')} that Strapi does not have ${are} closed`];
  return `Code of the project guards its content, so ${[...streams, ...closed].join(', and ')}.`;
}

/** Counts of parts that code of the project guards, and of places where it fails. */
export interface CodeCounts {
  /** Types that streams of changes leave out. */
  readonly types: number;
  /** Closed actions that Strapi does not have. */
  readonly actions: number;
  /** Places that name a member of strapi which Galley lacks. */
  readonly places: number;
}

/**
 * The messages at start about code of the project; the last one names the command with the details, if there are any.
 *
 * @param others the messages about closed actions.
 */
export function codeSummary(dir: string, { types, actions, places }: CodeCounts, others: readonly string[]): string[] {
  const missing = `Code of the project uses members of strapi that Galley lacks, and fails in ${counted(places, 'place')}.`;
  const summary = [summaryOfGuarded(types, actions), places === 0 ? undefined : missing];
  const messages = summary.filter((one) => one !== undefined);
  if (messages.length + others.length === 0) return [];
  return [...messages, `"${commandText('check', dir)}" lists the code behind these warnings.`];
}

/** The lists of `config/galley` that open all closed actions; undefined where none is closed. */
export function openingLists(closed: ClosedActions, config: CodeConfig): ClosingLists | undefined {
  return closed.size === 0 ? undefined : listsThatOpen(closed, config);
}

/** Each action by its name, but for code that closes many, which is named itself. */
function listsThatOpen(closed: ClosedActions, { serve, without, safeToSkip }: CodeConfig): ClosingLists {
  const counts = new Map<string, number>();
  for (const codes of closed.values()) for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  const safe = [...counts].filter(([, count]) => count > NAMED).map(([code]) => code);
  const served = [...closed]
    .filter(([, codes]) => codes.some((code) => !safe.includes(code)))
    .map(([action]) => action);
  return {
    without: without.filter((code) => !safe.includes(code)),
    safeToSkip: [...new Set([...safeToSkip, ...safe])],
    serve: [...new Set([...serve, ...served])],
  };
}

/** `find, findOne of api::article.article, api::page.page and 40 more`. */
function actionsText(actions: ReadonlySet<string>): string {
  const byType = Map.groupBy(actions, (action) => action.slice(0, Math.max(action.lastIndexOf('.'), 0)));
  const byNames = Map.groupBy([...byType], ([uid, all]) =>
    all.map((action) => action.slice(uid.length).replace('.', '')).join(', '),
  );
  if (byNames.size > 3) return `${actions.size} actions of ${listed([...byType.keys()])}`;
  return [...byNames]
    .map(([names, types]) => (types[0]![0] === '' ? names : `${names} of ${listed(types.map(([uid]) => uid))}`))
    .join('; ');
}

function listed(names: readonly string[]): string {
  const [some, rest] = [names.slice(0, NAMES), names.length - NAMES];
  return rest > 0 ? `${some.join(', ')} and ${rest} more` : some.join(', ');
}

/**
 * An error of code that stops the start of the project, with the settings for a start without that code.
 *
 * @param code the name in `without` of `config/galley`.
 */
export class RefusedCode extends UsageError {
  constructor(reason: string, code: string, config: CodeConfig) {
    const { serve, without, safeToSkip } = config;
    const where = placeToWrite(config);
    const lists = config.written({ serve, safeToSkip, without: [...without, code] });
    super(`${reason}\n  To start without ${code}, which closes what it may guard, ${where}:\n    ${lists}`, 1);
  }
}
