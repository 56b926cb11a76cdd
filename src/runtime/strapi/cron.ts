/** `strapi.cron`, and the tasks of `config/server`: one process of many runs each. */
import { createRequire } from 'node:module';
import type { Cron, CronOptions } from 'croner';
import { actingAs } from '../../db/interface/account.ts';
import { codeActor } from '../../db/interface/actor.ts';
import type { Database } from '../../db/interface/database.ts';
import { UsageError } from '../../errors.ts';
import { isPlain } from '../documents/plain-params.ts';
import { cronMistake } from '../jobs/cron-expression.ts';
import {
  isRunning,
  type JobOrigin,
  JobRuns,
  type JobState,
  type Jobs,
  type ListedJob,
  lateSince,
  type Ran,
} from '../jobs/job-runs.ts';
import { UnitOfWork } from '../unit-of-work.ts';
import type { Settings } from './settings.ts';

/** A task as code writes it: a function, or one with its rule. */
export type Task = ((tools: object) => unknown) | { readonly task: (tools: object) => unknown; readonly options: Rule };
type Time = string | number | Date;
/** A cron expression, a date for one run, or either with a time zone and the dates between which it counts. */
type Rule = Time | { readonly rule?: Time; readonly tz?: string; readonly start?: Time; readonly end?: Time };

export interface CronContext {
  readonly database: Database;
  readonly tools: object;
  /** Logs an error of a task, or passes it to `report`. Returns its first line. */
  readonly failed: (error: unknown, purpose: string, report?: (failure: Error) => void) => string;
}

/** A task as code sees it. */
export interface Job {
  readonly name: string | null;
  readonly options: unknown;
  readonly nextRun: () => Date | null;
}

interface Declared {
  readonly name: string;
  readonly task: Task;
  readonly origin: JobOrigin;
  /** Undefined: it has not begun. */
  cron?: Cron;
}

/** Loads the scheduler, which most projects do not need. */
const croner = (): typeof import('croner') => createRequire(import.meta.url)('croner') as typeof import('croner');

/** The number of tasks with stored runs, and the interval for removing old ones. */
const KEPT = 500;
const FORGETTING = 60_000;

export class CronTasks implements Jobs {
  readonly #context: CronContext;
  readonly #runs: JobRuns;
  readonly #tasks = new Map<string, Declared>();
  #isStarted = false;
  #forgotten = 0;

  constructor(context: CronContext) {
    this.#context = context;
    const alone = async (purpose: string, work: () => Promise<unknown>) =>
      work().catch((error: unknown) => context.failed(error, purpose));
    this.#runs = new JobRuns({ database: context.database, kind: 'galley_cron', alone });
  }

  /** Adds tasks by their rules or names. They begin when the project is served. */
  add(tasks: Readonly<Record<string, Task>>, origin: JobOrigin = 'code'): void {
    for (const [name, task] of Object.entries(tasks)) {
      this.remove(name);
      this.#tasks.set(name, { name, task, origin });
    }
    if (this.#isStarted) this.start().catch((error: unknown) => this.#context.failed(error, 'strapi.cron.add'));
  }

  remove(name: string): void {
    this.#tasks.get(name)?.cron?.stop();
    this.#tasks.delete(name);
  }

  /** The tasks as code has added them, with the times of their runs. A function alone has no name. */
  get jobs(): readonly Job[] {
    return [...this.#tasks.values()].map((declared) => {
      const { name, task } = declared;
      const times = () => declared.cron ?? timesOf(name, task);
      const [label, options] = typeof task === 'function' ? [null, name] : [name, task.options];
      return { name: label, options, nextRun: () => times().nextRun() };
    });
  }

  /** @throws UsageError with the name of the task for an invalid rule or time zone. */
  async start(): Promise<void> {
    this.#isStarted = true;
    const waiting = [...this.#tasks.values()].filter(({ cron }) => cron === undefined);
    if (waiting.length === 0) return;
    const { Cron: CronClass, CronPattern } = croner();
    for (const declared of waiting) {
      const { name, task } = declared;
      const { rule, options } = taskOf(name, task);
      try {
        declared.cron = new CronClass(rule, { protect: true, unref: true, ...options }, (self: Cron) =>
          this.#runAt(name, task, self.currentRun() ?? new Date()),
        );
      } catch (error) {
        const mistake = typeof rule === 'string' ? cronMistake(rule, CronPattern) : undefined;
        const [reason] = (mistake ?? (error as Error).message).split('\n', 1);
        throw new UsageError(`the cron task ${name} cannot be run at its times: ${reason}`, 1);
      }
    }
    if (Date.now() - this.#forgotten < FORGETTING) return;
    this.#forgotten = Date.now();
    await this.#runs.keep(KEPT);
  }

  stop(): void {
    for (const { cron } of this.#tasks.values()) cron?.stop();
    this.#tasks.clear();
  }

  async list(): Promise<ListedJob[]> {
    const tasks: ListedJob[] = [];
    for (const { name, task, origin, cron } of this.#tasks.values()) {
      const { rule, options } = taskOf(name, task);
      const times = cron ?? timesOf(name, task);
      const state = await this.#runs.stateOf(name);
      const late = lateSince(state, (time) => times.nextRun(time));
      const { timezone } = options;
      tasks.push({ name, origin, rule: ruleText(rule), timezone, next: times.nextRun(), state, lateSince: late });
    }
    return tasks;
  }

  /** The same with tasks that other processes have added and run, without their next run. */
  async listWithRecorded(): Promise<ListedJob[]> {
    const tasks = await this.list();
    const others = (await this.#runs.recorded()).filter(({ name }) => !this.#tasks.has(name));
    const added = others.map(({ name, state }): ListedJob => {
      return {
        name,
        origin: 'code',
        rule: state.rule ?? '',
        timezone: undefined,
        next: null,
        state,
        lateSince: undefined,
      };
    });
    return [...tasks, ...added];
  }

  async begin(name: string, report?: (failure: Error) => void): Promise<{ readonly done: Promise<Ran> } | undefined> {
    const declared = this.#tasks.get(name);
    if (!declared) throw new Error(`there is no job ${name}`);
    const at = Date.now();
    const { task } = declared;
    const isOwn = await this.#runs.claims(name, at, (known, now) => !isRunning(known, now), {
      rule: ruleOfTask(name, task),
    });
    return isOwn ? { done: this.#perform(name, task, at, report) } : undefined;
  }

  async #runAt(name: string, task: Task, time: Date): Promise<void> {
    const at = Math.floor(time.getTime() / 1000) * 1000;
    try {
      const isDue = (known: JobState | undefined, now: number) => (known?.at ?? 0) < at && !isRunning(known, now);
      const isOwn = await this.#runs.claims(name, at, isDue, { rule: ruleOfTask(name, task) });
      if (isOwn) await this.#perform(name, task, at);
    } catch (error) {
      this.#context.failed(error, `cron task ${name}`);
    }
  }

  #perform(name: string, task: Task, at: number, report?: (failure: Error) => void): Promise<Ran> {
    const failed = (error: unknown): string => this.#context.failed(error, `cron task ${name}`, report);
    return this.#runs.perform(name, at, async () => {
      try {
        const actor = codeActor(`cron task ${name}`);
        await actingAs(actor, () => UnitOfWork.whole(() => taskOf(name, task).run(this.#context.tools), failed));
        return { failed: undefined };
      } catch (error) {
        return { failed: failed(error) };
      }
    });
  }
}

/** The tasks of the configuration; none if cron is disabled. */
export function configuredTasks(settings: Settings): Readonly<Record<string, Task>> {
  const cron = settings.get('server.cron');
  if (!isPlain(cron) || cron['enabled'] !== true || !isPlain(cron['tasks'])) return {};
  return cron['tasks'] as Record<string, Task>;
}

/** The times of a task that has not begun. */
function timesOf(name: string, task: Task): Cron {
  const { rule, options } = taskOf(name, task);
  return new (croner().Cron)(rule, { ...options, paused: true });
}

function taskOf(name: string, task: Task): TaskToRun {
  if (typeof task === 'function') return { run: task, rule: name, options: {} };
  const { task: run, options = name } = task;
  if (typeof options !== 'object' || options instanceof Date) return { run, rule: ruleOf(options), options: {} };
  const { rule = name, tz: timezone, start, end } = options;
  return {
    run,
    rule: ruleOf(rule),
    options: {
      ...(timezone ? { timezone } : {}),
      ...(start === undefined ? {} : { startAt: new Date(start) }),
      ...(end === undefined ? {} : { stopAt: new Date(end) }),
    },
  };
}

interface TaskToRun {
  readonly run: (tools: object) => unknown;
  readonly rule: string | Date;
  readonly options: CronOptions;
}

const ruleText = (rule: string | Date): string => (typeof rule === 'string' ? rule : rule.toISOString());

const ruleOfTask = (name: string, task: Task): string => ruleText(taskOf(name, task).rule);

const ruleOf = (rule: Time): string | Date => (typeof rule === 'number' ? new Date(rule) : rule);
