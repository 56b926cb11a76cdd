/** Stores samples of the health of a server, as another process of the same server would. */
import { HealthHistory } from '../../../src/http/monitoring/health-history.ts';
import { KnownNames } from '../../../src/http/monitoring/request-shape.ts';
import { Traffic } from '../../../src/http/monitoring/traffic.ts';
import type { RunningServer } from '../servers/project.ts';

const MINUTE = 60_000;

/** Stores a sample for each of some minutes before now, with slow requests in the last one. */
export async function measure(
  { app: { database, catalog } }: RunningServer,
  minutes: readonly number[],
): Promise<void> {
  const names = new KnownNames();
  names.replace(catalog, ['/api/articles/:id', '/api/authors/:id']);
  const traffic = new Traffic(names);
  const history = new HealthHistory({ database, traffic, waiting: () => 0 });
  const answer = (statusCode: number) => ({ statusCode, writableFinished: true, getHeader: () => 'application/json' });
  const note = (target: string, statusCode: number, milliseconds: number) =>
    traffic.note('GET', target, answer(statusCode) as unknown as Parameters<Traffic['note']>[2], milliseconds);
  for (const before of minutes) {
    const requests = Math.round(300 + 200 * Math.sin(before / 7));
    for (let n = 0; n < requests; n++) note('/api/articles', 200, 2 + (n % 17) ** 1.4 / 3);
    for (let n = 0; n < before % 5; n++) note('/api/authors/nobody-1', 404, 1);
    if (before % 19 === 3) note('/api/articles', 503, 5);
    if (before === Math.min(...minutes)) {
      note('/api/articles?filters[title][$contains]=private&sort=title', 200, 612);
      note('/api/authors/abc123', 200, 48);
    }
    await history.record(Date.now() - before * MINUTE);
  }
}
