/** What was refused of bulk requests: the server keeps it until somebody was told. */
import type { RefusedAction } from '../../contract/lists.ts';
import { request } from './client.ts';

/** What this tab tells, or has told: it is known here before it is read there. */
const told = new Set<number>();

/** Notes that this tab tells of it, under the ids that the server has for it; those that are null are none. */
export function noteTold(ids: readonly (number | null)[]): readonly number[] {
  const own = ids.filter((id) => id !== null);
  for (const id of own) told.add(id);
  return own;
}

/** What nobody has told of yet, which is then told here. */
export async function readUntold(signal: AbortSignal): Promise<readonly RefusedAction[]> {
  const { data } = await request('GET me/refused', { signal });
  return data.filter(({ id }) => !told.has(id));
}

/** Has the server forget what somebody was told. What it does not hear of is told once more. */
export async function forgetTold(ids: readonly number[]): Promise<void> {
  const asked = ids.map((id) => request('DELETE me/refused/:id', { params: { id: String(id) }, outlives: true }));
  await Promise.allSettled(asked);
}
