/**
 * A token for creating the first administrator, which the start prints. It belongs to this process, or to the processes
 * that serve together, and has no effect once there is an administrator.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';

export class FirstToken {
  readonly text: string;

  /** @param text the common token of several processes; undefined creates one. */
  constructor(text: string = FirstToken.create()) {
    this.text = text;
  }

  static create(): string {
    return randomBytes(24).toString('base64url');
  }

  /** Whether a text is the token, in time that depends only on its length. */
  is(text: string): boolean {
    const [other, own] = [Buffer.from(text), Buffer.from(this.text)];
    return other.length === own.length && timingSafeEqual(other, own);
  }
}
