/** A server that webhooks are sent to. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

/** An answer: a status, with headers where there are any; undefined: none at all. */
export type ReceiverAnswer = {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
};

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** What it answers from now on; 200 at first. */
  answer: (request: Received) => ReceiverAnswer | undefined;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).join('');
    const one = { path: request.url!, headers: request.headers, text, body: JSON.parse(text) as Received['body'] };
    received.push(one);
    const answer = receiver.answer(one);
    if (answer) response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: () => ({ status: 200 }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
