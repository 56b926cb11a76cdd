/** What reads documents on behalf of administrators: the Reader, or one with code of the project around it. */
import type { Viewer } from '../../access/view.ts';
import type { RawObject } from '../../query/params.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { ListText, OneText } from './answers.ts';
import type { ReadOptions, Single } from './read-options.ts';
import type { Reader } from './reader.ts';

export interface DocumentReader extends Pick<Reader, 'shown'> {
  /** @throws ContentError 400 for a parameter that is wrong. */
  list(type: ContentType, viewer: Viewer, params: RawObject, options?: ReadOptions): Promise<ListText>;
  /** One document; undefined where there is none. @throws ContentError as `list`. */
  one(
    type: ContentType,
    viewer: Viewer,
    params: RawObject,
    single: Single,
    options?: ReadOptions,
  ): Promise<OneText | undefined>;
}
