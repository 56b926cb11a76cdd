/** Time-based codes (RFC 6238 with HMAC-SHA-1, six digits, 30 seconds) of authenticator apps. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Bytes of a secret: the length of the hash (RFC 4226, section 4, R6). */
const SECRET_BYTES = 20;
const STEP_MS = 30_000;
const DIGITS = 6;
/** Valid steps before and after the present one, since clocks differ and typing takes time. */
const WINDOW = 1;
/** RFC 4648, section 6. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret, in base32 without padding. */
export function newTotpSecret(): string {
  return base32(randomBytes(SECRET_BYTES));
}

/** The URI from which authenticator apps read a secret. */
export function totpUri(secret: string, account: string, issuer: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

/** The time step of epoch milliseconds. */
export const stepOf = (now: number): number => Math.floor(now / STEP_MS);

/** The code of a step. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', bytesOfBase32(secret)).update(counter).digest();
  // RFC 4226, section 5.3
  const offset = digest.at(-1)! & 15;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** The valid step with a code; undefined for another text. */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  const present = stepOf(now);
  const digits = Buffer.from(code.replaceAll(/[\s-]/g, ''));
  let found: number | undefined;
  for (let step = present - WINDOW; step <= present + WINDOW; step++) {
    const right = Buffer.from(totpCode(secret, step));
    if (digits.length === right.length && timingSafeEqual(digits, right)) found = step;
  }
  return found;
}

/** Bytes in base32, without padding. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let [bits, value] = [0, 0];
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += ALPHABET[(value >> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + ALPHABET[(value << (5 - bits)) & 31];
}

function bytesOfBase32(text: string): Buffer {
  const bytes: number[] = [];
  let [bits, value] = [0, 0];
  for (const letter of text) {
    value = ((value << 5) | ALPHABET.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 255);
  }
  return Buffer.from(bytes);
}
