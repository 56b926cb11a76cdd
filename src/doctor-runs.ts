/**
 * Examinations and repairs of a project beside its requests: one at a time among all processes on the database, which
 * has their progress and their result.
 */
import { type Examined, examineProject, repairProject } from './doctor.ts';
import { ContentError, unavailable } from './errors.ts';
import type { Diagnosis, DoctorProgress, DoctorRun, DoctorWork } from './http/monitoring/diagnosis.ts';
import { logFailure } from './media/failures.ts';
import { isRunning, JobRuns, outcomeOf, type Ran, type Report } from './runtime/jobs/job-runs.ts';
import type { Background } from './users/accounts/background.ts';

/** The name among the runs of their kind. */
const NAME = 'project';
/** Problems that are stored. */
const MOST = 50;
/** Milliseconds between two reports of rows that are repaired. */
const REPORTED = 500;

/** What a run reports. */
interface Reported {
  readonly work: DoctorWork;
  readonly progress: DoctorProgress | null;
  readonly problems: readonly Diagnosis[] | null;
}

export class DoctorRuns {
  readonly #examined: Examined;
  readonly #background: Background;
  readonly #runs: JobRuns;
  readonly #end = new AbortController();

  constructor(examined: Examined, background: Background) {
    this.#examined = examined;
    this.#background = background;
    const alone = (purpose: string, work: () => Promise<unknown>) =>
      work().catch((error: unknown) => logFailure(purpose, error));
    this.#runs = new JobRuns({ database: examined.database, kind: 'galley_doctor', alone });
  }

  /** The last run in any process; undefined if there was none. */
  async last(): Promise<DoctorRun | undefined> {
    const state = await this.#runs.stateOf(NAME);
    const outcome = outcomeOf(state);
    if (!state || !outcome) return undefined;
    const { work, progress, problems } = state.report as unknown as Reported;
    const isOver = outcome === 'done' || outcome === 'failed';
    return {
      ...{ work, outcome, progress },
      startedAt: state.began ?? state.at,
      endedAt: isOver ? (state.done ?? null) : null,
      problems: outcome === 'done' ? problems : null,
      error: outcome === 'failed' ? state.failed || null : null,
    };
  }

  /** Begins a run, and returns false if one is running in any process. */
  async begin(work: DoctorWork): Promise<boolean> {
    const at = Date.now();
    const first: Reported = { work, progress: null, problems: null };
    const isFree = await this.#runs.claims(NAME, at, (known, now) => !isRunning(known, now), { report: { ...first } });
    if (!isFree) return false;
    this.#background.run(work, async () => {
      await this.#runs.perform(NAME, at, (report) => this.#perform(first, report));
    });
    return true;
  }

  /** Ends a run of this process after its current batch: its schema is no longer served. */
  close(): void {
    this.#end.abort(unavailable('The server has ended or has another schema by now: start again'));
  }

  async #perform(first: Reported, report: Report): Promise<Ran> {
    const { signal } = this.#end;
    try {
      const problems =
        first.work === 'repair'
          ? await repairProject(this.#examined, following(first, report), signal)
          : await examineProject(this.#examined, signal);
      await report({ ...first, problems: problems.slice(0, MOST) });
      return { failed: undefined };
    } catch (error) {
      if (error instanceof ContentError) return { failed: error.message };
      logFailure(`${first.work} of the project failed`, error);
      return { failed: '' };
    }
  }
}

/** Reports each step, and the rows of a step now and then. */
function following(first: Reported, report: Report): (progress: DoctorProgress) => Promise<unknown> {
  let [step, at] = ['', 0];
  return async (progress) => {
    const now = Date.now();
    if (progress.step === step && now - at < REPORTED) return;
    [step, at] = [progress.step, now];
    await report({ ...first, progress });
  };
}
