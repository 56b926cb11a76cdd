/** The body of an answer: JSON text, or its bytes as an engine handed them over, which nothing decodes on their way. */
import { isUtf8 } from 'node:buffer';

export type JsonBody = string | Buffer;

/** JSON with text before and after it, in the same form. */
export function enclose(before: string, data: JsonBody, after: string): JsonBody {
  if (typeof data === 'string') return before + data + after;
  return Buffer.concat([Buffer.from(before), wellFormed(data), Buffer.from(after)]);
}

/** Another program may have stored half a character; it becomes what decoding makes of it. */
function wellFormed(data: Buffer): Buffer {
  return isUtf8(data) ? data : Buffer.from(data.toString());
}
