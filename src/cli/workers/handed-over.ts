/**
 * Connections on their way to a worker. Node's cluster accepts them in the parent, sends them, and closes its own copy
 * when the worker says that it has it (lib/internal/cluster/round_robin_handle.js). One that was sent to a worker which
 * ends before that would stay open for ever, and its client wait as long. Node has no public place to see them: where
 * its messages change, they are merely overlooked.
 */
import type { Worker } from 'node:cluster';

interface Sent {
  readonly cmd?: unknown;
  readonly act?: unknown;
  readonly seq?: number;
  readonly ack?: number;
}

interface Handle {
  close(): void;
}

/** Closes the connections that a worker was sent and did not take, once it has ended. */
export function closeUntaken({ process }: Worker): void {
  const underWay = new Map<number, Handle>();
  const send = process.send.bind(process) as (...args: unknown[]) => boolean;
  process.send = ((...args: unknown[]) => {
    const [message, handle] = args as [Sent | undefined, Handle | undefined];
    if (message?.cmd === 'NODE_CLUSTER' && message.act === 'newconn' && message.seq !== undefined && handle) {
      underWay.set(message.seq, handle);
    }
    return send(...args);
  }) as typeof process.send;
  process.on('internalMessage', ({ cmd, ack }: Sent) => {
    if (cmd === 'NODE_CLUSTER' && ack !== undefined) underWay.delete(ack);
  });
  process.once('exit', () => {
    for (const handle of underWay.values()) handle.close();
    underWay.clear();
  });
}
