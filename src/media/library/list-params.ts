/** Parameters of the library's reads of files. */
import type { RawObject, RawValue } from '../../query/params.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { FilePlace } from './folder-rows.ts';
import type { FileList } from './requests.ts';

/** Attributes of files in answers; a project's extension of the type may lack some. */
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
/** Attributes that are searched. */
const SEARCHED = ['name', 'alternativeText', 'caption'];
/** Beginnings of the media types of each kind; all other types are of kind `file`. */
const MIME_PREFIXES: Readonly<Record<string, string>> = { image: 'image/', video: 'video/', audio: 'audio/' };

/** Files without a path, which other programs may create. They are in no folder. */
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
 * @param within the folder; undefined for all files. A search includes the folders below it.
 * @param withPathless whether files without a path are listed among those without a folder. No index has both in order.
 */
export function listParams(
  type: ContentType,
  list: FileList,
  within: FilePlace | undefined,
  withPathless: boolean,
): RawObject {
  const conditions: RawObject[] = [];
  const isSearch = list.words.length > 0;
  if (within && !(isSearch && within.id === null)) {
    // an index on the path may also have the order of the list
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

/** A list of files as project code receives it, with the conditions that the reference's panel would send. */
export function announcedList({ folder, words, url, kinds, sort, page, pageSize }: FileList) {
  const [field = '', order] = sort.split(':');
  const conditions = [
    ...(folder === undefined ? [] : [{ folder: { id: folder ?? { $null: true } } }]),
    ...(url === undefined ? [] : [{ url }]),
    ...(kinds.length > 0 ? [{ $or: kinds.map(ofKind) }] : []),
  ];
  return {
    ...(words.length > 0 ? { _q: words.join(' ') } : {}),
    where: conditions.length > 0 ? { $and: conditions } : {},
    populate: { folder: true },
    orderBy: [{ [field]: order }],
    offset: (page - 1) * pageSize,
    limit: pageSize,
  };
}

/** A filter for files in a folder and below. */
export function inside({ path }: Pick<FilePlace, 'path'>): RawObject {
  return { $or: [{ folderPath: { $eq: path } }, { folderPath: { $startsWith: `${path}/` } }] };
}

function ofKind(kind: string): RawObject {
  const prefix = MIME_PREFIXES[kind];
  const begins = (value: RawValue): RawObject => ({ mime: { $startsWith: value } });
  if (prefix !== undefined) return begins(prefix);
  return { $not: { $or: Object.values(MIME_PREFIXES).map(begins) } };
}
