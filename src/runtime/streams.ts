/**
 * Types that streams of changes leave out because code of the project guards reading them: requests call that code, and
 * other reports of documents must not bypass it. The log names these types to the operator, not to callers.
 */
import { coreRoute } from '../access/actions.ts';
import type { CodeConfig, Config } from '../config/config.ts';
import { counted } from '../counted.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import type { OwnCode } from './galley/own-code.ts';
import { guardName } from './guards.ts';
import type { ProjectCode } from './project-code.ts';
import { type ClosingLists, toWrite } from './report.ts';
import { GALLEY, listedGalleyRoute } from './requests/written-routes.ts';

/** An action that reads documents. */
export type ReadAction = 'find' | 'findOne';

export type IsGuarded = (type: ContentType, action: ReadAction) => boolean;

export interface ReadGuards {
  /** Policies of `src/galley`, by action; undefined without any. */
  readonly policies: { has(action: string): boolean } | undefined;
  /** Whether code of a Strapi project guards or answers a core action. */
  readonly standsBefore: IsGuarded | undefined;
  /** Actions that `config/galley` says are safe without that code. */
  readonly serve: readonly string[];
}

/** Whether code of the project guards a read. A policy always counts: it is written for that very action. */
export function guardOf({ policies, standsBefore, serve }: ReadGuards): IsGuarded {
  return (type, action) => {
    const name = `${type.uid}.${action}`;
    if (policies?.has(name)) return true;
    return !serve.includes(name) && (standsBefore?.(type, action) ?? false);
  };
}

/** A type that streams leave out. */
export interface LeftOutType {
  readonly uid: string;
  /** The code, each piece with its file. */
  readonly reasons: readonly string[];
  /** Whether `serve` of `config/galley` has streams report the type. */
  readonly canBeServed: boolean;
}

/** A project, as far as its guards of reads are concerned. */
export interface GuardedProject {
  readonly catalog: Catalog;
  readonly code: Pick<ProjectCode, 'guardsOf'>;
  readonly closed: ReadonlyMap<string, string>;
  readonly own: OwnCode | undefined;
  readonly config: Pick<Config, 'code'>;
}

/** The reads that code guards, for a project that is not served. */
export function guardBeforeStart(project: Omit<GuardedProject, 'closed'>): IsGuarded {
  const { own, config } = project;
  return guardOf({
    policies: own?.definition.policies,
    standsBefore: (type, action) => reasonsOf(project, type, action).length > 0,
    serve: config.code.serve,
  });
}

/** The code that guards a read. */
export function reasonsOf(
  { code, own }: Pick<GuardedProject, 'code' | 'own'>,
  type: ContentType,
  action: ReadAction,
): readonly string[] {
  const policies = own?.definition.policies.get(`${type.uid}.${action}`) ?? [];
  const named = policies.map(({ name }, index) => `policy ${name || index + 1} of ${GALLEY}`);
  const others = code.guardsOf(`${type.uid}.${action}`).map(guardName);
  return [...new Set([...named, ...others, ...takenBy(own, type, action)])];
}

/** Routes of `src/galley` that answer in the place of a core route. */
function takenBy(own: OwnCode | undefined, type: ContentType, action: ReadAction): readonly string[] {
  const { path } = coreRoute(type, action);
  return (own?.definition.routes ?? []).flatMap((route) => {
    const isTaken = ['GET', 'ALL'].includes(route.method) && listedGalleyRoute(route).pattern.match(path) !== undefined;
    return isTaken ? [`route ${route.name} of ${GALLEY}`] : [];
  });
}

/** The types that streams leave out, but for those that are closed to requests as well. */
export function leftOutOfStreams(project: GuardedProject, isGuarded: IsGuarded, action: ReadAction): LeftOutType[] {
  const { catalog, closed, own } = project;
  return [...catalog.contentTypes.values()].flatMap((type): LeftOutType[] => {
    const { uid, routed } = type;
    if (!routed || closed.has(`${uid}.${action}`) || !isGuarded(type, action)) return [];
    const reasons = reasonsOf(project, type, action);
    const canBeServed = !own?.definition.policies.has(`${uid}.${action}`);
    return [
      { uid, reasons: reasons.length > 0 ? reasons : ['code that the project adds during its start'], canBeServed },
    ];
  });
}

/**
 * The message about types that streams of changes leave out; undefined without any.
 *
 * @param path of the streams.
 * @param opening the lists of `config/galley` that open closed actions, if the previous message names some: the line to
 *   paste then serves both.
 */
export function silencedMessage(
  leftOut: readonly LeftOutType[],
  path: string,
  config: CodeConfig,
  opening?: ClosingLists,
): string | undefined {
  if (leftOut.length === 0) return undefined;
  const served = leftOut.filter(({ canBeServed }) => canBeServed).map(({ uid }) => `${uid}.find`);
  const others = leftOut.filter(({ canBeServed }) => !canBeServed).map(({ uid }) => uid);
  const them = leftOut.length === 1 ? 'it' : 'them';
  const lines = [
    `Streams of changes (${path}) leave out ${counted(leftOut.length, 'type')}: code of the project may refuse to show ${them} or change what is shown, and only requests call that code.`,
    ...silenceText(leftOut).map((line) => `    ${line}`),
  ];
  if (served.length > 0) {
    const { safeToSkip, without, serve } = opening ?? config;
    const lists = { safeToSkip, without, serve: [...new Set([...serve, ...served])] };
    const included = served.length === leftOut.length ? them : 'the others';
    const both = opening === undefined ? '' : ' and to serve the closed actions above';
    lines.push(`  To include ${included} all the same${both}, ${toWrite(config)}`, `    ${config.written(lists)}`);
  }
  if (others.length > 0) lines.push(`  A policy of src/galley always keeps its type out: ${others.join(', ')}.`);
  return lines.join('\n');
}

/** One line for the log about types that a listener may find and that its stream leaves out. */
export function silencedReason(leftOut: readonly LeftOutType[]): string | undefined {
  if (leftOut.length === 0) return undefined;
  const remedy = leftOut.some(({ canBeServed }) => canBeServed)
    ? '; config/galley can open types that this code does not guard'
    : '';
  return `streams of changes leave out ${silenceText(leftOut).join('; ')}${remedy}`;
}

/** Types with the code that guards them, those with the same code together. */
function silenceText(leftOut: readonly LeftOutType[]): string[] {
  const groups = Map.groupBy(leftOut, ({ reasons }) => reasons.join('; '));
  return [...groups].map(([reasons, types]) => `${types.map(({ uid }) => uid).join(', ')}: ${reasons}`);
}
