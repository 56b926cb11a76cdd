/**
 * Encrypts backups so that any change of them is noticed: AES-256-GCM in pieces, with a key that scrypt derives from a
 * password. Each piece is authenticated by itself, with its number and whether it is the last, so that a backup is
 * decrypted as a stream, and none of its pieces can be changed, moved, repeated or cut off.
 *
 * The header is `GALLEYB1`, the power of two of scrypt's cost in one byte, and 16 bytes of salt. A piece is 64 KiB of
 * content, fewer in the last, and 16 bytes of authentication. Its nonce is its number in 11 bytes, and 1 for the last
 * one, else 0. The header is authenticated with each piece.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { promisify } from 'node:util';
import { UsageError } from '../errors.ts';
import type { ArchiveCipher } from '../transfer/archive/write.ts';

const MAGIC = Buffer.from('GALLEYB1');
const SALT = 16;
const HEADER = MAGIC.length + 1 + SALT;
const PIECE = 64 * 1024;
const TAG = 16;
/** scrypt's cost is two to the power of 16: a tenth of a second, and 64 MB. */
const COST = 16;
/** The highest cost that is accepted from a header: two seconds, and 1 GB. */
const HIGHEST_COST = 20;
const BLOCK_SIZE = 8;

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

function keyFor(password: string, salt: Buffer, cost: number): Promise<Buffer> {
  const memory = 128 * BLOCK_SIZE * 2 ** cost;
  return derive(password.normalize('NFC'), salt, 32, { N: 2 ** cost, r: BLOCK_SIZE, p: 1, maxmem: 2 * memory });
}

/** Whether bytes at the beginning of a file are those of an encrypted backup. */
export const isSealed = (start: Buffer): boolean => start.subarray(0, MAGIC.length).equals(MAGIC);

/** The cipher of a new backup. */
export async function sealWith(password: string): Promise<ArchiveCipher> {
  const salt = randomBytes(SALT);
  const header = Buffer.concat([MAGIC, Buffer.from([COST]), salt]);
  return { header, cipher: new Sealing(await keyFor(password, salt, COST), header) };
}

/** Decrypts a backup, header included. An error means that the password is wrong or the backup is damaged. */
export const unsealWith = (password: string): Transform => new Unsealing(password);

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(number, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** Cuts a stream into pieces, of which only the last may be shorter or empty. */
class Pieces {
  readonly #size: number;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  /** Takes a piece that another byte follows; undefined without one. */
  take(): Buffer | undefined {
    if (this.#length <= this.#size) return undefined;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all.subarray(this.#size)];
    this.#length -= this.#size;
    return all.subarray(0, this.#size);
  }

  rest(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

class Sealing extends Transform {
  readonly #key: Buffer;
  readonly #header: Buffer;
  readonly #pieces = new Pieces(PIECE);
  #number = 0;

  constructor(key: Buffer, header: Buffer) {
    super();
    this.#key = key;
    this.#header = header;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.#pieces.add(chunk);
    for (let piece = this.#pieces.take(); piece; piece = this.#pieces.take()) this.#seal(piece, false);
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#seal(this.#pieces.rest(), true);
    done();
  }

  #seal(piece: Buffer, isLast: boolean): void {
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonceOf(this.#number++, isLast)).setAAD(this.#header);
    this.push(Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()]));
  }
}

class Unsealing extends Transform {
  readonly #password: string;
  readonly #pieces = new Pieces(PIECE + TAG);
  #start = Buffer.alloc(0);
  #key: Buffer | undefined;
  #number = 0;

  constructor(password: string) {
    super();
    this.#password = password;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.#read(chunk).then(() => done(), done);
  }

  override _flush(done: TransformCallback): void {
    try {
      this.#unseal(this.#pieces.rest(), true);
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  async #read(chunk: Buffer): Promise<void> {
    let rest = chunk;
    if (!this.#key) {
      const all = Buffer.concat([this.#start, chunk]);
      this.#start = all.subarray(0, HEADER);
      if (all.length < HEADER) return;
      await this.#open();
      rest = all.subarray(HEADER);
    }
    this.#pieces.add(rest);
    for (let piece = this.#pieces.take(); piece; piece = this.#pieces.take()) this.#unseal(piece, false);
  }

  async #open(): Promise<void> {
    const cost = this.#start[MAGIC.length]!;
    if (!isSealed(this.#start) || cost > HIGHEST_COST) throw damaged();
    this.#key = await keyFor(this.#password, this.#start.subarray(MAGIC.length + 1), cost);
  }

  #unseal(piece: Buffer, isLast: boolean): void {
    if (!this.#key || piece.length < TAG) throw damaged();
    const number = this.#number++;
    const cipher = createDecipheriv('aes-256-gcm', this.#key, nonceOf(number, isLast));
    cipher.setAAD(this.#start).setAuthTag(piece.subarray(-TAG));
    const content = cipher.update(piece.subarray(0, -TAG));
    try {
      cipher.final();
    } catch {
      throw number === 0 ? new UsageError('the key is wrong, or the backup is damaged', 1) : damaged();
    }
    this.push(content);
  }
}

const damaged = (): UsageError => new UsageError('the encrypted backup is damaged or cut off', 1);
