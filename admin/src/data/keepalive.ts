/**
 * Requests that outlive their page. Browsers send up to 64 KiB of bodies, counted over all such requests of a page that
 * are being sent.
 */

/** The bytes that are certain to be sent. The rest is reserved for small requests that are not counted. */
const MAX_BYTES = 60_000;

let pendingBytes = 0;

/** Whether a body of this size would outlive the page, together with the requests that are being sent. */
export function canOutlive(bytes: number): boolean {
  return pendingBytes + bytes <= MAX_BYTES;
}

/** The size of a body in bytes. */
export function bytesOf(body: string): number {
  return new TextEncoder().encode(body).length;
}

/** Counts the bytes of a request until it is answered. */
export async function withKeepalive<T>(bytes: number, send: () => Promise<T>): Promise<T> {
  pendingBytes += bytes;
  try {
    return await send();
  } finally {
    pendingBytes -= bytes;
  }
}
