/** Memory of long answers, with room for what is put around them: to move megabytes takes as many again. */

/** Bytes before and behind. */
const BEFORE = 32;
const BEHIND = 4 * 1024;

/** Memory whose room nobody has used yet. */
const unused = new WeakSet<ArrayBufferLike>();

/** Memory for so many bytes, with anything in it. */
export function allocateWithRoom(bytes: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(BEFORE + bytes + BEHIND);
  unused.add(whole.buffer);
  return whole.subarray(BEFORE, BEFORE + bytes);
}

/** Bytes with others before and behind them; where they have room, they stay where they are. */
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
