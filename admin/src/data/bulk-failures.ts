/** The failures of bulk requests. The server stores them until they are displayed. */
import type { RefusedAction } from '../../contract/lists.ts';
import { request } from './client.ts';

/** The ids of failures that this tab displays or has displayed: it knows them before it reads them from the server. */
const displayed = new Set<number>();

/** Records that this tab displays failures, by their ids on the server. Null ids are ignored. */
export function markDisplayed(ids: readonly (number | null)[]): readonly number[] {
  const own = ids.filter((id) => id !== null);
  for (const id of own) displayed.add(id);
  return own;
}

/** The failures that no tab has displayed yet. */
export async function readUndisplayed(signal: AbortSignal): Promise<readonly RefusedAction[]> {
  const { data } = await request('GET me/refused', { signal });
  return data.filter(({ id }) => !displayed.has(id));
}

/** Deletes displayed failures on the server. If that fails, they are displayed once more. */
export async function deleteDisplayed(ids: readonly number[]): Promise<void> {
  const requests = ids.map((id) => request('DELETE me/refused/:id', { params: { id: String(id) }, outlives: true }));
  await Promise.allSettled(requests);
}
