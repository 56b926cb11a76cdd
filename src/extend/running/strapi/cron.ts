/** `strapi.cron`, and the tasks of `config/server`: one process of many runs each. */
import type { Cron, CronOptions } from 'croner';
import { UsageError } from '../../../errors.ts';
import { changeSetting } from '../../turns.ts';
import { isPlain } from '../documents/plain-params.ts';
import type { CodeRooms } from '../rooms.ts';

/** A task as code writes it: a function, or one with its rule. */
export type Task = ((tools: object) => unknown) | { readonly task: (tools: object) => unknown; readonly options: Rule };
type Time = string | number | Date;
/** A cron expression, a date for one run, or either with a time zone and the dates between which it counts. */
type Rule = Time | { readonly rule?: Time; readonly tz?: string; readonly start?: Time; readonly end?: Time };

export interface CronContext {
  readonly rooms: Pick<CodeRooms, 'database' | 'log'>;
  readonly tools: object;
  /** What becomes of an error of a task. */
  readonly failed: (error: unknown, purpose: string) => void;
}

interface Job {
  readonly name: string;
  readonly cron: Cron;
}

export class CronTasks {
  readonly #context: CronContext;
  readonly #waiting: { readonly name: string; readonly task: Task }[] = [];
  #jobs: Job[] = [];
  #isStarted = false;

  constructor(context: CronContext) {
    this.#context = context;
  }

  /** Adds those of `config/server`, where they are enabled. */
  addConfigured(cron: unknown): void {
    if (!isPlain(cron) || cron['enabled'] !== true || !isPlain(cron['tasks'])) return;
    this.add(cron['tasks'] as Record<string, Task>);
  }

  /** Adds tasks by their rules or names. They begin when the project is served. */
  add(tasks: Readonly<Record<string, Task>>): void {
    for (const [name, task] of Object.entries(tasks)) {
      this.remove(name);
      this.#waiting.push({ name, task });
    }
    if (this.#isStarted) this.start().catch((error: unknown) => this.#context.failed(error, 'strapi.cron.add'));
  }

  remove(name: string): void {
    for (const { cron } of this.#jobs.filter((job) => job.name === name)) cron.stop();
    this.#jobs = this.#jobs.filter((job) => job.name !== name);
  }

  get jobs(): readonly { readonly name: string; readonly nextRun: Date | null }[] {
    return this.#jobs.map(({ name, cron }) => ({ name, nextRun: cron.nextRun() }));
  }

  /** @throws UsageError naming the task for a rule, or a time zone, that is none. */
  async start(): Promise<void> {
    this.#isStarted = true;
    if (this.#waiting.length === 0) return;
    const { Cron: Made } = await import('croner');
    for (const { name, task } of this.#waiting.splice(0)) {
      const { run, rule, options } = taskOf(name, task);
      try {
        const cron = new Made(rule, { protect: true, unref: true, ...options }, (self: Cron) =>
          this.#run(name, run, self.currentRun() ?? new Date()),
        );
        this.#jobs.push({ name, cron });
      } catch (error) {
        const [reason] = (error as Error).message.split('\n', 1);
        throw new UsageError(`the cron task ${name} cannot be run at its times: ${reason}`, 1);
      }
    }
  }

  stop(): void {
    for (const { cron } of this.#jobs) cron.stop();
    this.#jobs = [];
  }

  async #run(name: string, run: (tools: object) => unknown, now: Date): Promise<void> {
    try {
      if (await this.#claims(name, Math.floor(now.getTime() / 1000))) await run(this.#context.tools);
    } catch (error) {
      this.#context.failed(error, `cron task ${name}`);
    }
  }

  /** Whether this process is the one that runs a task at its time. */
  async #claims(name: string, second: number): Promise<boolean> {
    let isOwn = false;
    await changeSetting(this.#context.rooms.database, { key: `galley_cron_${name}`, type: 'number' }, (last) => {
      isOwn = !(last !== undefined && Number(last) >= second);
      return isOwn ? String(second) : undefined;
    });
    return isOwn;
  }
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

const ruleOf = (rule: Time): string | Date => (typeof rule === 'number' ? new Date(rule) : rule);
