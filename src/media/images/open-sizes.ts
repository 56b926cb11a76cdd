/** The sizes on the fly of a project, where its configuration has any. */
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import type { Layout } from '../../schema/layout/layout.ts';
import type { Storage } from '../storage/storage.ts';
import type { Images } from './images.ts';
import { KeptSizes } from './kept-sizes.ts';
import { NamedImages } from './named-image.ts';
import { Sizes } from './sizes.ts';

export interface SizesRooms {
  readonly db: Queryable;
  readonly layout: Layout;
  readonly stores: readonly Storage[];
  readonly images: Images;
}

/** Undefined: the configuration allows none. Files of private stores have none: requests need not carry a token. */
export function openSizes(
  { publicDir, upload }: Pick<Config, 'publicDir' | 'upload'>,
  { db, layout, stores, images }: SizesRooms,
): Sizes | undefined {
  if (!upload.sizes) return undefined;
  const uploads = path.join(publicDir, 'uploads');
  // a name with a dot is neither served nor listed
  const kept = new KeptSizes(path.join(uploads, '.sizes'), upload.sizes.cacheSize);
  const open = stores.filter(({ sign }) => sign === undefined);
  const named = new NamedImages(db, layout, open);
  return new Sizes({ kept, named, images, folderOf: ({ name }) => (name === 'local' ? uploads : undefined) });
}
