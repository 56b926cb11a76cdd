/** What texts call a file by: the end of its address, which stays the same wherever the file is moved to. */
import { layoutOfModel, type ReadContext } from '../../content/rows/write-context.ts';
import { fileType, formatsOf } from '../file-record.ts';

/** The random end of the names that this server and the reference give to files: no other file's contains one. */
const RANDOM = /_[0-9a-f]{10}$/;

/**
 * Pieces of text one of which is in every text that mentions one of some files, or a format of one: by the address of
 * now, by the one that it had in another store, signed or not, or as a copy of its record, as blocks have it.
 */
export async function namesOf(context: ReadContext, ids: readonly number[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { table } = layoutOfModel(context, fileType(context));
  const rows = await context.tables.select(table, ['hash', 'url', 'preview_url', 'formats'], { id: ids }, ['id']);
  const names = rows.flatMap(([hash, url, preview, formats]) => {
    const sizes = Object.values(formatsOf(formats) ?? {}).map((size) => size?.url as unknown);
    const addresses = [url, preview, ...sizes].filter((each): each is string => typeof each === 'string');
    return namesIn(String(hash ?? ''), addresses);
  });
  return [...new Set(names)];
}

/** Names of a file by its hash and addresses. */
export function namesIn(hash: string, addresses: readonly string[]): string[] {
  const own = RANDOM.test(hash) ? [hash] : [];
  const others = addresses.filter((address) => own.length === 0 || !address.includes(hash));
  return [...own, ...others.map(endOf).filter((end) => end !== '')];
}

/** The last part of an address, with the slash before it; all of one whose parameters say which file it is. */
function endOf(address: string): string {
  if (/[?#]/.test(address)) return address;
  const end = address.slice(address.lastIndexOf('/'));
  return end.length > 1 ? end : address;
}
