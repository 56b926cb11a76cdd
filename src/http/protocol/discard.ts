/** What is done with the rest of a request's body that is refused. */
import type { IncomingMessage } from 'node:http';

/** Bytes of a refused body that are still read. */
const MOST = 32 * 1024 * 1024;
/** How long they are waited for, in milliseconds. */
const LONGEST = 2000;

/**
 * Reads the rest of a body and drops it. A connection that is closed while its client still sends is reset, and the
 * client loses the answer that was on its way to it (RFC 9112, section 9.6). Resolves at the end of the body, or when
 * there is no end to it.
 */
export function discardBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > MOST) done();
    };
    const done = (): void => {
      clearTimeout(timer);
      request.off('data', count).off('end', done).off('close', done).off('error', done);
      resolve();
    };
    const timer = setTimeout(done, LONGEST);
    if (request.readableEnded || request.destroyed) return done();
    request.on('end', done).on('close', done).on('error', done).on('data', count);
    request.resume();
  });
}
