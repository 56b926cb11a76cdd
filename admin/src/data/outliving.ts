/** What browsers send for pages that have gone: 64 KiB of bodies, of all requests of a page that are under way together. */

/** Bytes that surely are sent; something is left for what is small and not counted. */
const MOST = 60_000;

let underWay = 0;

/** Whether as many bytes are sent though the page goes, beside what is under way already. */
export function canOutlive(bytes: number): boolean {
  return underWay + bytes <= MOST;
}

/** Bytes of a body. */
export function bytesOf(body: string): number {
  return new TextEncoder().encode(body).length;
}

/** Counts the bytes of a request until it is answered. */
export async function outliving<T>(bytes: number, send: () => Promise<T>): Promise<T> {
  underWay += bytes;
  try {
    return await send();
  } finally {
    underWay -= bytes;
  }
}
