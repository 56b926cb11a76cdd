/** Functions of `strapi.cron.add`, which Strapi calls with `{ strapi }`. */
import { type AnyNode, keyOf, plain } from '../reading/syntax.ts';
import { memberOf, type Value } from '../reading/values.ts';
import type { Path } from './path.ts';

type FunctionValue = Value & { readonly kind: 'function' };

/** Whether a call adds jobs. `of` gives the paths of an expression. */
export function jobsAdded(callee: AnyNode, of: (node: AnyNode) => readonly Path[]): boolean {
  const target = plain(callee);
  // a method that was taken out of it
  if (target.type === 'Identifier') return of(target).some(isCron);
  return target.type === 'MemberExpression' && keyOf(target) !== 'remove' && of(target.object).some(isCron);
}

const isCron = (path: Path): boolean => path.length === 1 && path[0] === 'cron';

/** The functions of jobs; undefined where they are not written out. */
export function tasksOf(jobs: Value): readonly FunctionValue[] | undefined {
  if (jobs.kind !== 'object' || jobs.open) return undefined;
  const tasks = [...jobs.entries.values()].map((job) => (job.kind === 'object' ? memberOf(job, 'task') : job));
  return tasks.every((task) => task.kind === 'function') ? tasks : undefined;
}
