/**
 * What lets somebody make the first administrator: a token that the start prints, of this process alone, or of the
 * processes that serve together. It opens nothing once there is an administrator.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';

export class FirstToken {
  readonly text: string;

  /** @param text the token that processes have in common; undefined makes one. */
  constructor(text: string = FirstToken.make()) {
    this.text = text;
  }

  static make(): string {
    return randomBytes(24).toString('base64url');
  }

  /** Whether a text is the token, in a time that depends only on its length. */
  is(text: string): boolean {
    const [given, own] = [Buffer.from(text), Buffer.from(this.text)];
    return given.length === own.length && timingSafeEqual(given, own);
  }
}
