/** A proxy to PostgreSQL that can become silent: it drops all bytes and closes no connection. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Proxy {
  /** The URL of the database by way of the proxy. */
  readonly url: string;
  isSilent: boolean;
  close(): void;
}

export async function startProxy(databaseUrl: string): Promise<Proxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const pass = (from: Socket, to: Socket): void => {
      sockets.add(from);
      from.on('data', (chunk) => {
        if (!proxy.isSilent) to.write(chunk);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        // dropped packets tell nobody that the other side has gone
        if (!proxy.isSilent) to.destroy();
      });
    };
    pass(client, upstream);
    pass(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  url.hostname = '127.0.0.1';
  const proxy: Proxy = {
    url: url.href,
    isSilent: false,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return proxy;
}
