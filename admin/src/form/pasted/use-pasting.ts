/** Pasting from other programs into a text: pictures are uploaded first, and what was left out is said. */
import { useRef, useState } from 'react';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { useMayFiles } from '../../media/data.ts';
import { uploadFiles } from '../../media/upload-files.ts';
import type { MediaFile } from '../values/links.ts';
import type { PastedBlock, PastedPicture } from './pasted.ts';
import { fetchedFile, MOST_UPLOADS, planPictures, type Reason } from './pictures.ts';
import { readHtml } from './read-html.ts';

/** A picture that stands in the text: a file that was uploaded, or one of this server. */
export interface Stored {
  readonly picture: PastedPicture;
  readonly file: MediaFile | undefined;
  readonly url: string;
}

type Put = (blocks: readonly PastedBlock[], pictures: ReadonlyMap<string, Stored>) => void;

interface Pasting {
  /** Takes what is pasted, if it has a format. Whether it did: else its text is pasted as it is. */
  readonly take: (data: DataTransfer) => boolean;
  /** What is to be said of what was pasted last. */
  readonly told: readonly string[];
  readonly tell: (text: string) => void;
  /** How many pictures are being uploaded. */
  readonly onTheWay: number;
}

/**
 * @param hold remembers the place where the selection is; gives what puts it there, however long it took.
 * @param keepsOwn see `planPictures`.
 */
export function usePasting(hold: () => Put, keepsOwn: boolean): Pasting {
  const t = useText();
  const may = useMayFiles();
  const [told, setTold] = useState<readonly string[]>([]);
  const [onTheWay, setOnTheWay] = useState(0);
  const number = useRef(0);
  const tell = (text: string): void => setTold((before) => [...before.filter((one) => one !== text), text]);
  const leftText = (reason: Reason, count: number): string =>
    reason === 'tooMany'
      ? t('paste.left.tooMany', { count, limit: MOST_UPLOADS })
      : t(`paste.left.${reason}`, { count });
  const nameOf = ({ alternative }: PastedPicture): string => {
    number.current += 1;
    const words = alternative
      .replaceAll(/[^\p{L}\p{N} -]/gu, '')
      .trim()
      .slice(0, 60);
    return words || t('paste.name', { number: number.current });
  };
  const take = (data: DataTransfer): boolean => {
    setTold([]);
    const html = data.getData('text/html');
    // editors of code copy their colours
    if (html === '' || data.types.includes('vscode-editor-data')) return false;
    const blocks = readHtml(html);
    if (!blocks) {
      tell(t('paste.tooLarge'));
      return false;
    }
    const files = [...data.files].filter(({ type }) => type.startsWith('image/'));
    if (blocks.length === 0) return false;
    const plan = planPictures(blocks, files, { origin: location.origin, keepsOwn, mayUpload: may.create, nameOf });
    for (const [reason, count] of plan.left) tell(leftText(reason, count));
    const put = hold();
    const own = [...plan.own].map(([source, url]) => {
      const picture: PastedPicture = { type: 'picture', source, alternative: '' };
      return [source, { picture, file: undefined, url }] as const;
    });
    if (plan.uploads.length === 0) put(blocks, new Map(own));
    else void send(plan.uploads).then((stored) => put(blocks, new Map([...own, ...stored])));
    return true;
  };
  const send = async (
    uploads: readonly { readonly picture: PastedPicture; readonly file: File | URL }[],
  ): Promise<readonly (readonly [string, Stored])[]> => {
    setOnTheWay((before) => before + uploads.length);
    const stored = await Promise.all(
      uploads.map(async ({ picture, file: given }) => {
        const file = given instanceof URL ? await fetchedFile(given, nameOf(picture)) : given;
        return { picture, file };
      }),
    );
    const missing = stored.filter(({ file }) => file === undefined).length;
    if (missing > 0) tell(leftText('unreadable', missing));
    const known = stored.flatMap(({ picture, file }) => (file ? [{ picture, file }] : []));
    const done = await Promise.all(
      known.map(async ({ picture, file }) => {
        const { files, failed } = await uploadFiles([file], { folder: null });
        for (const { error } of failed) tell(t('files.failed', { name: file.name, reason: failureText(t, error) }));
        return files.map((one) => [picture.source, { picture, file: one, url: one.url }] as const);
      }),
    );
    setOnTheWay((before) => before - uploads.length);
    return done.flat();
  };
  return { take, told, tell, onTheWay };
}
