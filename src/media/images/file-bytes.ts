/** Reads and overwrites parts of files. */
import { type FileHandle, open } from 'node:fs/promises';

/** Bytes written, copied or compared at once. */
const PIECE = 1024 * 1024;

export async function reading<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** Reads bytes at a position; fewer at the end of the file. */
export async function at(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** Overwrites bytes with zeros. */
export async function overwrite(file: FileHandle, from: number, to: number): Promise<void> {
  for (let position = from; position < to; position += PIECE) {
    const length = Math.min(PIECE, to - position);
    await file.write(Buffer.alloc(length), 0, length, position);
  }
}

/** Adds bytes of one file to the end of another. */
export async function appendRange(source: FileHandle, target: FileHandle, from: number, to: number): Promise<void> {
  for (let position = from; position < to; position += PIECE) {
    await target.appendFile(await at(source, position, Math.min(PIECE, to - position)));
  }
}

/** Whether two files have the same bytes. */
export async function areEqual(one: FileHandle, other: FileHandle): Promise<boolean> {
  const [{ size }, { size: otherSize }] = await Promise.all([one.stat(), other.stat()]);
  if (size !== otherSize) return false;
  for (let position = 0; position < size; position += PIECE) {
    if (!(await at(one, position, PIECE)).equals(await at(other, position, PIECE))) return false;
  }
  return true;
}
