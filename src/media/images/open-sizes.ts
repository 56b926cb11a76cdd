/** The sizes on the fly of a project, where its configuration has any. */
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Storage } from '../storage.ts';
import type { Images } from './images.ts';
import { Sizes } from './sizes.ts';

/** Undefined: the configuration allows none. Files of private stores have none: whoever asks need not show a token. */
export function openSizes(
  { publicDir, upload }: Pick<Config, 'publicDir' | 'upload'>,
  stores: readonly Storage[],
  images: Images,
): Sizes | undefined {
  if (!upload.sizes) return undefined;
  // a name with a dot is neither served nor listed
  const folder = path.join(publicDir, 'uploads', '.sizes');
  const { cacheSize } = upload.sizes;
  return new Sizes({ folder, cacheSize, images, stores: stores.filter(({ sign }) => sign === undefined) });
}
