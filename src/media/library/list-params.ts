/** Files as the library tells of them, and how its lists are asked for. */
import type { RawObject, RawValue } from '../../query/params.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { FolderPlace } from './folder-rows.ts';
import type { FileList } from './requests.ts';

/** What is told of a file; a project's extension of the type may lack some. */
const FIELDS = [
  'name',
  'alternativeText',
  'caption',
  'focalPoint',
  'width',
  'height',
  'formats',
  'ext',
  'mime',
  'size',
  'url',
  'hash',
  'provider',
];
/** Where words are looked for. */
const SEARCHED = ['name', 'alternativeText', 'caption'];
/** What the media types of a kind begin with; files are what is none of these. */
const BEGINNINGS: Readonly<Record<string, string>> = { image: 'image/', video: 'video/', audio: 'audio/' };

/** Files without a path, as other programs may leave them. They are in no folder. */
export const PATHLESS: RawObject = { folderPath: { $null: 'true' } };

/** The parameters of a read of files. */
export function libraryShape({ attributes }: ContentType): RawObject {
  return {
    fields: [...FIELDS.filter((name) => attributes.has(name)), 'createdAt', 'updatedAt'],
    populate: {
      ...(attributes.has('folder') ? { folder: { fields: ['name'] } } : {}),
      createdBy: { fields: ['firstname', 'lastname', 'username'] },
    },
  };
}

/**
 * The parameters of a list of files.
 *
 * @param within the folder that is asked for; undefined: all there are. What is searched for may lie in any folder below.
 * @param withPathless whether files without a path are listed with those in no folder. No index gives the two in order.
 */
export function listParams(
  type: ContentType,
  list: FileList,
  within: FolderPlace | undefined,
  withPathless: boolean,
): RawObject {
  const conditions: RawObject[] = [];
  const isSearch = list.words.length > 0;
  if (within && !(isSearch && within.id === null)) {
    // the path has an index, which the order of the list can be of as well
    const here = { folderPath: { $eq: within.path } };
    if (isSearch) conditions.push(inside(within));
    else conditions.push(withPathless ? { $or: [here, PATHLESS] } : here);
  }
  const searched = SEARCHED.filter((name) => type.attributes.has(name));
  for (const word of list.words) conditions.push({ $or: searched.map((name) => ({ [name]: { $containsi: word } })) });
  if (list.url !== undefined) conditions.push({ url: { $eq: list.url } });
  if (list.kinds.length > 0) conditions.push({ $or: list.kinds.map(ofKind) });
  return {
    ...libraryShape(type),
    sort: [list.sort, 'id:desc'],
    ...(conditions.length === 0 ? {} : { filters: { $and: conditions } }),
  };
}

/** Files of a folder and of those below it, as a filter. */
export function inside({ path }: Pick<FolderPlace, 'path'>): RawObject {
  return { $or: [{ folderPath: { $eq: path } }, { folderPath: { $startsWith: `${path}/` } }] };
}

function ofKind(kind: string): RawObject {
  const beginning = BEGINNINGS[kind];
  const begins = (value: RawValue): RawObject => ({ mime: { $startsWith: value } });
  if (beginning !== undefined) return begins(beginning);
  return { $not: { $or: Object.values(BEGINNINGS).map(begins) } };
}
