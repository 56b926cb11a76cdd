/** Buffers of long answers with space for the text around them, since moving megabytes takes long. */

/** Bytes of space before and after. */
const BEFORE = 32;
const BEHIND = 4 * 1024;

/** Memory with unused space. */
const unused = new WeakSet<ArrayBufferLike>();

/** Uninitialised memory with space around it. */
export function allocateWithRoom(bytes: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(BEFORE + bytes + BEHIND);
  unused.add(whole.buffer);
  return whole.subarray(BEFORE, BEFORE + bytes);
}

/** Data with bytes before and after it; data with enough space is not moved. */
export function surround(before: Buffer, data: Buffer, behind: Buffer): Buffer {
  const { buffer, byteOffset, byteLength } = data;
  const isWhole = byteOffset === BEFORE && byteLength === buffer.byteLength - BEFORE - BEHIND;
  const fits = before.length <= BEFORE && behind.length <= BEHIND;
  if (!isWhole || !fits || !unused.delete(buffer)) return Buffer.concat([before, data, behind]);
  const all = Buffer.from(buffer, BEFORE - before.length, before.length + byteLength + behind.length);
  before.copy(all);
  behind.copy(all, before.length + byteLength);
  return all;
}
