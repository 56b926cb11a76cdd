/** Opens the configured stores, and the temporary folder of uploads. */
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Config, UploadConfig } from '../../config/config.ts';
import type { FileUrls } from '../../content/reading/file-urls.ts';
import { ContentError } from '../../errors.ts';
import { Incoming } from '../incoming.ts';
import { localStorage } from './local-storage.ts';
import type { Storage } from './storage.ts';

export interface OpenStorage {
  /** The store of new files. */
  readonly storage: Storage;
  /** All configured stores, including `storage`; during a move files are in several. */
  readonly stores: readonly Storage[];
  readonly incoming: Incoming;
  /** Marks and signs the addresses of a private store; undefined if there is none. */
  readonly fileUrls: FileUrls | undefined;
}

/** Opens the stores of a project. @throws UsageError in one line if a private store has no keys. */
export async function openStorage(config: Pick<Config, 'dir' | 'publicDir' | 'upload'>): Promise<OpenStorage> {
  const { dir, publicDir, upload } = config;
  const uploads = path.join(publicDir, 'uploads');
  // the temporary folder of a local store is inside it, so that files are renamed and not copied between file systems;
  // names with a dot are not served
  const incoming =
    upload.storage.store === 's3'
      ? new Incoming(
          path.join(
            tmpdir(),
            `galley-incoming-${process.getuid?.() ?? 0}-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`,
          ),
          true,
        )
      : new Incoming(path.join(uploads, '.incoming'));
  const { storage, stores, fileUrls } = await openStores(upload, localStorage(uploads));
  return { storage, stores, incoming, fileUrls };
}

async function openStores({ storage: { store, provider, s3: config, code }, sizeLimit }: UploadConfig, local: Storage) {
  const s3 = config && (await (await import('./s3-storage.ts')).openS3Storage(config));
  const stores = s3 ? [local, s3] : [local];
  const fileUrls = s3?.fileUrls;
  if (store === 's3') return { storage: s3!, stores, fileUrls };
  if (store === 'local') return { storage: local, stores, fileUrls };
  const other = code
    ? new (await import('./code-storage.ts')).CodeStorage(code, sizeLimit)
    : unsupportedStorage(provider);
  return { storage: other, stores: [...stores, other], fileUrls };
}

/** The store of a provider that does not exist: stored addresses stay, and changes are refused with 400. */
function unsupportedStorage(name: string): Storage {
  const refuse = async (): Promise<never> => {
    throw new ContentError('ApplicationError', `Files cannot be changed: there is no provider ${name} here`);
  };
  return {
    name,
    names: new Set([name]),
    put: refuse,
    get: async () => undefined,
    remove: refuse,
    stat: async () => undefined,
    async *list() {},
    urlOf: (key) => key,
    keyOf: () => undefined,
    close: async () => undefined,
  };
}
