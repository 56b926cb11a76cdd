/** Prometheus metrics at `/metrics`, on a port of their own. */
import { once } from 'node:events';
import type { HttpConfig } from '../../config/config.ts';
import { UsageError } from '../../errors.ts';
import { createServer } from '../../node-http.ts';
import { CONTENT_TYPE, exposition, type Family } from './prometheus.ts';

export interface MetricsListener {
  close(): Promise<void>;
}

/**
 * Publishes metrics at a port until it is closed.
 *
 * @param collect returns the current metrics.
 * @throws UsageError when the port is not available.
 */
export async function listenForMetrics(
  collect: () => Promise<readonly Family[]>,
  { host, port }: NonNullable<HttpConfig['metrics']>,
): Promise<MetricsListener> {
  const listener = createServer((request, response) => {
    const { method, url = '' } = request;
    if (method !== 'GET' && method !== 'HEAD') return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
    if (!/^\/metrics\/?(?:\?|$)/.test(url)) return void response.writeHead(404).end();
    collect().then(
      (families) => {
        response.writeHead(200, { 'content-type': CONTENT_TYPE });
        response.end(method === 'GET' ? exposition(families) : '');
      },
      () => response.writeHead(500).end(),
    );
  });
  listener.listen(port, host);
  try {
    await once(listener, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'is taken: choose another with METRICS_PORT' : `cannot be used: ${message}`;
    throw new UsageError(`port ${port} of ${host}, for /metrics, ${reason}`, 1);
  }
  return {
    async close() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
