/** What is done with the data of a document before it is written, beside the rules of its type: code of the project. */
import type { CallerValues } from '../../access/view.ts';
import type { WrittenData } from '../../query/body.ts';
import type { Status } from '../../query/content-query.ts';
import type { ContentType } from '../../schema/catalog.ts';

/** A write that is about to be made. */
export interface ComingWrite {
  readonly type: ContentType;
  readonly action: 'create' | 'update';
  /** Undefined for what is made. */
  readonly documentId: string | undefined;
  readonly locale: string | undefined;
  readonly status: Status;
  /** Whoever asks for it may write all of its keys. */
  readonly data: WrittenData;
  /** Who asks for it: neither value for code. */
  readonly by: CallerValues;
}

/** Looks at writes before their transactions. */
export interface BeforeWrites {
  /** Whether it looks at writes of a type. */
  concerns(type: ContentType): boolean;
  /** The data that is written instead, with any key that the type has. Throws ContentError to refuse the write. */
  changed(write: ComingWrite): Promise<WrittenData>;
}
