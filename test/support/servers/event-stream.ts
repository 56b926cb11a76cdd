/** A client of server-sent events. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { until } from '../wait.ts';

export interface StreamedEvent {
  readonly event: string;
  readonly id: string;
  readonly data: Record<string, unknown>;
}

export interface OpenStream {
  readonly events: StreamedEvent[];
  /** The changes among them. */
  changes(): Record<string, unknown>[];
  /** Waits for so many changes. */
  told(count: number): Promise<Record<string, unknown>[]>;
  /** Whether the server has ended it. */
  isEnded(): boolean;
  close(): void;
}

/** Opens a stream and waits until it is ready. */
export async function openStream(
  url: string,
  { token, lastEventId }: { token?: string | undefined; lastEventId?: string | undefined } = {},
): Promise<OpenStream> {
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  // a connection of its own: fetch opens another one when it is cut off, which the server would wait for
  const asked = request(url, { agent: false, headers }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${await text(response)}`);
  const events: StreamedEvent[] = [];
  let isEnded = false;
  void read(response, events)
    .catch(() => {})
    .finally(() => {
      isEnded = true;
    });
  const changes = () => events.filter(({ event }) => event === 'change').map(({ data }) => data);
  const stream: OpenStream = {
    events,
    changes,
    told: (count) => until(`${count} changes are told`, () => changes().length >= count && changes()),
    isEnded: () => isEnded,
    close: () => void asked.destroy(),
  };
  await until('the stream is ready', () => events.length > 0);
  return stream;
}

async function read(body: IncomingMessage, events: StreamedEvent[]): Promise<void> {
  let rest = '';
  for await (const chunk of body.setEncoding('utf8') as AsyncIterable<string>) {
    const parts = (rest + chunk).split('\n\n');
    rest = parts.pop()!;
    for (const part of parts) {
      const lines = part.split('\n');
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const event = field('event');
      if (event !== undefined) {
        const data = JSON.parse(field('data') ?? '{}') as StreamedEvent['data'];
        events.push({ event, id: field('id') ?? '', data });
      }
    }
  }
}
