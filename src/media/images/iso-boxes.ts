/** Removes metadata from AVIF files and films, which consist of boxes (ISO 14496-12 and 23008-12). No box moves. */
import type { FileHandle } from 'node:fs/promises';
import { at, overwrite } from './file-bytes.ts';

/** Boxes in one box that are examined, and bytes of a box that is read completely. */
const MOST_BOXES = 10_000;
const MOST_BYTES = 1024 * 1024;

/** Boxes of a file that contain no others and stay. */
const OF_FILES: ReadonlySet<string> = new Set(['ftyp', 'styp', 'sidx', 'mdat', 'moof', 'mfra', 'wide']);
/** Boxes whose contents are examined. */
const CONTAINERS: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia']);
/** Boxes of a film with metadata. */
const METADATA_BOXES: ReadonlySet<string> = new Set(['udta', 'meta', 'uuid', 'free', 'skip']);
/** Boxes of the item list that stay. */
const OF_ITEMS: ReadonlySet<string> = new Set(['hdlr', 'pitm', 'iloc', 'iinf', 'iprp', 'iref', 'idat', 'grpl', 'dinf']);
/** Item properties with metadata: descriptions and times. */
const METADATA_PROPERTIES: ReadonlySet<string> = new Set(['udes', 'crtt', 'mdft', 'uuid', 'free', 'skip']);
/** Types of items that are pictures. */
const PICTURES: ReadonlySet<string> = new Set(['av01', 'grid', 'iovl', 'iden', 'tmap']);
/** Tracks that are seen or heard; others may contain places. */
const TRACKS: ReadonlySet<string> = new Set(['vide', 'pict', 'auxv', 'soun']);

interface Box {
  readonly type: string;
  /** The position of its type. */
  readonly typeAt: number;
  /** The positions of its content. */
  readonly start: number;
  readonly end: number;
}

/** The box at a position. `broken`: it is longer than its parent; undefined: there is none. */
async function boxAt(file: FileHandle, position: number, to: number): Promise<Box | 'broken' | undefined> {
  const head = await at(file, position, Math.min(16, to - position));
  if (head.length < 8) return undefined;
  const type = head.toString('latin1', 4, 8);
  if (!/^[\x20-\x7e\xa9]{4}$/.test(type)) return undefined;
  const short = head.readUInt32BE(0);
  if (short === 1 && head.length < 16) return 'broken';
  const length = short === 0 ? to - position : short === 1 ? Number(head.readBigUInt64BE(8)) : short;
  const start = position + (short === 1 ? 16 : 8);
  const end = position + length;
  return end < start || end > to ? 'broken' : { type, typeAt: position + 4, start, end };
}

/** The boxes in a range, and their end; undefined for damaged ones. */
async function boxesIn(file: FileHandle, from: number, to: number): Promise<{ boxes: Box[]; end: number } | undefined> {
  const boxes: Box[] = [];
  let position = from;
  while (position < to) {
    const box = await boxAt(file, position, to);
    if (box === 'broken' || boxes.length === MOST_BOXES) return undefined;
    if (!box) break;
    boxes.push(box);
    position = box.end;
  }
  return { boxes, end: position };
}

/** Turns a box into free space. */
async function empty(file: FileHandle, { typeAt, start, end }: Box): Promise<void> {
  await file.write('free', typeAt, 'latin1');
  await overwrite(file, start, end);
}

/**
 * Overwrites the metadata of an AVIF or a film.
 *
 * @param hasItems whether it is an AVIF, which lists its pictures where a film has metadata.
 * @returns the end of its boxes; undefined if some metadata may remain.
 */
export async function clearBoxes(
  file: FileHandle,
  from: number,
  to: number,
  hasItems: boolean,
): Promise<number | undefined> {
  const content = await boxesIn(file, from, to);
  if (!content) return undefined;
  for (const box of content.boxes) {
    if (box.type === 'meta' && hasItems) {
      if (!(await clearItems(file, box))) return undefined;
    } else if (CONTAINERS.has(box.type)) {
      if (!(await clearContainer(file, box))) return undefined;
    } else if (!OF_FILES.has(box.type)) await empty(file, box);
  }
  return content.end;
}

async function clearContainer(file: FileHandle, container: Box): Promise<boolean> {
  const content = await boxesIn(file, container.start, container.end);
  if (!content) return false;
  for (const box of content.boxes) {
    if (METADATA_BOXES.has(box.type)) await empty(file, box);
    else if (CONTAINERS.has(box.type)) {
      if (!(await clearContainer(file, box))) return false;
    } else if (box.type === 'hdlr' && !TRACKS.has((await at(file, box.start + 8, 4)).toString('latin1'))) return false;
  }
  return true;
}

/** Overwrites items that are not pictures, such as Exif and XMP, and makes readers skip them. */
async function clearItems(file: FileHandle, meta: Box): Promise<boolean> {
  const content = await boxesIn(file, meta.start + 4, meta.end);
  if (!content || content.end !== meta.end) return false;
  const one = (type: string) => content.boxes.find((box) => box.type === type);
  const [infos, places, data] = [one('iinf'), one('iloc'), one('idat')];
  const metadata = infos && (await metadataItems(file, infos));
  if (infos && !metadata) return false;
  if (metadata && metadata.size > 0) {
    const extents = places && (await extentsOf(file, places, metadata, data));
    if (!extents) return false;
    for (const [start, end] of extents) await overwrite(file, start, end);
    for (const typeAt of metadata.values()) await file.write('skip', typeAt, 'latin1');
  }
  for (const box of content.boxes) {
    if (box.type === 'iprp') {
      if (!(await clearProperties(file, box))) return false;
    } else if (!OF_ITEMS.has(box.type)) await empty(file, box);
  }
  return true;
}

async function clearProperties(file: FileHandle, properties: Box): Promise<boolean> {
  const content = await boxesIn(file, properties.start, properties.end);
  if (!content) return false;
  for (const box of content.boxes) {
    if (box.type !== 'ipco') continue;
    const inner = await boxesIn(file, box.start, box.end);
    if (!inner) return false;
    for (const property of inner.boxes) if (METADATA_PROPERTIES.has(property.type)) await empty(file, property);
  }
  return true;
}

/** Items that are not pictures, with the positions of their types; undefined for an unknown structure. */
async function metadataItems(file: FileHandle, infos: Box): Promise<Map<number, number> | undefined> {
  const [version = 0] = await at(file, infos.start, 1);
  const content = await boxesIn(file, infos.start + (version === 0 ? 6 : 8), infos.end);
  if (!content || content.end !== infos.end) return undefined;
  const items = new Map<number, number>();
  for (const box of content.boxes) {
    const head = await at(file, box.start, 16);
    const [version = 0] = head;
    if (box.type !== 'infe' || version < 2 || version > 3 || head.length < 14) return undefined;
    const isLong = version === 3;
    const typeAt = isLong ? 10 : 8;
    const type = head.toString('latin1', typeAt, typeAt + 4);
    if (!PICTURES.has(type)) items.set(isLong ? head.readUInt32BE(4) : head.readUInt16BE(4), box.start + typeAt);
  }
  return items;
}

/** The positions of items in the file; undefined for an unknown structure. */
async function extentsOf(
  file: FileHandle,
  places: Box,
  items: ReadonlyMap<number, number>,
  data: Box | undefined,
): Promise<[start: number, end: number][] | undefined> {
  if (places.end - places.start > MOST_BYTES) return undefined;
  const bytes = await at(file, places.start, places.end - places.start);
  let position = 4;
  const next = (length: number): number => {
    const value = length === 0 ? 0 : Number(`0x${bytes.toString('hex', position, position + length)}`);
    position += length;
    return value;
  };
  const version = bytes[0]!;
  if (version > 2) return undefined;
  const [sizes, more] = [next(1), next(1)];
  const [offsetSize, lengthSize, baseSize] = [sizes >> 4, sizes & 15, more >> 4];
  const indexSize = version === 0 ? 0 : more & 15;
  const idSize = version === 2 ? 4 : 2;
  const count = next(idSize);
  const extents: [number, number][] = [];
  for (let n = 0; n < count; n++) {
    const item = next(idSize);
    const method = version === 0 ? 0 : next(2) & 15;
    const elsewhere = next(2);
    const base = next(baseSize);
    const parts = next(2);
    for (let part = 0; part < parts; part++) {
      next(indexSize);
      const offset = base + next(offsetSize);
      const length = next(lengthSize);
      if (!(position <= bytes.length)) return undefined;
      if (!items.has(item)) continue;
      const origin = method === 0 ? 0 : method === 1 ? data?.start : undefined;
      if (origin === undefined || elsewhere !== 0 || length === 0) return undefined;
      extents.push([origin + offset, origin + offset + length]);
    }
  }
  const { size } = await file.stat();
  return extents.every(([, end]) => end <= size) ? extents : undefined;
}
