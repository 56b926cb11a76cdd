/** Listening for changes by other processes while there is no database server. */
import { ok } from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { it } from 'node:test';
import { Notifications } from '../../../src/db/postgres/notifications.ts';
import { until } from '../../support/wait.ts';

it('tries to reach an absent server after longer and longer pauses', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const tries: number[] = [];
  const stream = (): Socket => {
    tries.push(performance.now());
    return new Socket();
  };
  const notifications = new Notifications({ host: '127.0.0.1', port, user: 'nobody', database: 'none', stream });
  notifications.start();
  await until('it is tried for the third time', () => tries.length >= 3);
  await notifications.close();
  // half of the first two pauses at least; a timer may be a millisecond early
  const taken = tries[2]! - tries[0]!;
  ok(taken >= 370, `${taken} ms`);
});
