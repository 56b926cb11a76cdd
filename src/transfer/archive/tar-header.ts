/** Entries of tar archives (POSIX.1-2001, pax), written with the same bytes for the same content. */

const BLOCK = 512;
/** Bytes of the fields of the name and of its beginning. */
const NAME = 100;
const PREFIX = 155;
/** The first size that eleven octal digits cannot express. */
const LARGE = 8 ** 11;
/** Seconds since 1970 of 1980-01-01: the same for all entries, so that equal content gives equal archives. */
const TIME = 315_532_800;
/** The end of an archive: two empty blocks. */
export const TAR_END = Buffer.alloc(2 * BLOCK);

/** The header of a file. Its content follows, and then `tarPadding`. */
export function tarHeader(name: string, size: number): Buffer {
  const place = placeOf(name);
  const records = [
    ...(place ? [] : [paxRecord('path', name)]),
    ...(size < LARGE ? [] : [paxRecord('size', String(size))]),
  ].join('');
  const own = header(place ?? { name: cut(name), prefix: '' }, size < LARGE ? size : 0, '0');
  if (records === '') return own;
  const content = Buffer.from(records);
  const extended = header({ name: 'pax', prefix: '' }, content.length, 'x');
  return Buffer.concat([extended, content, tarPadding(content.length), own]);
}

/** The zeros between a content of some bytes and the next header. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

interface Place {
  readonly name: string;
  readonly prefix: string;
}

/** A name in the fields of a header; undefined if it does not fit, or is not ASCII. */
function placeOf(name: string): Place | undefined {
  if (!/^[\x20-\x7e]+$/.test(name)) return undefined;
  if (name.length <= NAME) return { name, prefix: '' };
  const slash = name.indexOf('/', name.length - NAME - 1);
  if (slash <= 0 || slash > PREFIX) return undefined;
  return { name: name.slice(slash + 1), prefix: name.slice(0, slash) };
}

const cut = (name: string): string => name.replaceAll(/[^\x20-\x7e]/g, '_').slice(-NAME);

/** One record of a pax header, whose length counts its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + String(bytes).length;
  length = bytes + String(length).length;
  return `${length}${rest}`;
}

function header({ name, prefix }: Place, size: number, type: '0' | 'x'): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number): void =>
    void block.write(value.toString(8).padStart(digits, '0'), at, 'latin1');
  block.write(name, 0, 'latin1');
  octal(0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(TIME, 136, 11);
  block.write('        ', 148, 'latin1');
  block.write(type, 156, 'latin1');
  block.write('ustar\0' + '00', 257, 'latin1');
  block.write(prefix, 345, 'latin1');
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}
