/** Lines of a stream of bytes. Only a line feed ends a line; `node:readline` also ends it at other characters. */

const LINE_FEED = 10;

/** The lines in UTF-8, without their ends. */
export async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  for await (const chunk of bytes) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      const part = chunk.subarray(from, end);
      yield (parts.length === 0 ? part : Buffer.concat([...parts, part])).toString();
      parts = [];
      from = end + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
  if (parts.length > 0) yield Buffer.concat(parts).toString();
}
