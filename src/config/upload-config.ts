/** The file service's configuration: `config/plugins` `upload`, and environment. */
import type { UploadConfig } from './config.ts';
import type { ConfigFiles } from './config-file.ts';
import type { Variables } from './env-helper.ts';

/** Dotted paths of the plugin's entry that count. */
export const UPLOAD_KEYS: readonly string[] = ['enabled'];

/** The settings of the file service. Throws UsageError, naming the key, for values of the wrong shape. */
export function uploadConfig(_files: ConfigFiles, _variables: Variables): UploadConfig {
  return { sizeLimit: 1_000_000_000 };
}
