/** The panel of a file: preview, details and uses. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { LibraryFile } from '../../contract/media.ts';
import { request } from '../data/client.ts';
import { Moment, useLocale, useText } from '../language/language.tsx';
import { failureText } from '../language/refusal-text.ts';
import { Skeleton } from '../ui/bits.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { BareDialog } from '../ui/dialog.tsx';
import { ArrowDown, ArrowUp, Crosshair, FolderInput, Trash, X } from '../ui/icons.ts';
import { useToasts } from '../ui/toast.tsx';
import { addressOf } from './current.ts';
import { type Chosen, fileChanged, fileQuery, fileReplaced, useFolders, useMayFiles, usesQuery } from './data.ts';
import { FileActions } from './file-actions.tsx';
import { FileFields } from './file-fields.tsx';
import { Missing } from './file-not-found.tsx';
import styles from './file-panel.module.css';
import { FocalPicture } from './focal-point.tsx';
import { kindOf, sizeText } from './kinds.ts';
import { FilePreview } from './preview.tsx';
import { UseList } from './uses.tsx';

interface Props {
  readonly id: number;
  readonly onClose: () => void;
  /** Opens the neighbour in the list; undefined if there is none. */
  readonly onPrevious?: (() => void) | undefined;
  readonly onNext?: (() => void) | undefined;
  /** Absent if the file is shown outside of the library. */
  readonly onMove?: ((chosen: Chosen) => void) | undefined;
  readonly onDelete?: ((chosen: Chosen, name: string) => void) | undefined;
}

export function FilePanel({ id, onClose, onPrevious, onNext, onMove, onDelete }: Props): ReactNode {
  const t = useText();
  const { data: file, error } = useQuery(fileQuery(id));
  const title = file?.name ?? t('media.title');
  return (
    <BareDialog open huge onOpenChange={(open) => !open && onClose()} title={title}>
      <div className={styles['panel']}>
        <header className={styles['head']}>
          <h2 className={styles['title']}>{title}</h2>
          {onMove && (
            <>
              <IconButton icon={ArrowUp} label={t('media.file.previous')} disabled={!onPrevious} onClick={onPrevious} />
              <IconButton icon={ArrowDown} label={t('media.file.next')} disabled={!onNext} onClick={onNext} />
            </>
          )}
          <IconButton icon={X} label={t('close')} onClick={onClose} />
        </header>
        {file ? (
          <Inside key={file.id} file={file} onMove={onMove} onDelete={onDelete} />
        ) : error ? (
          <Missing />
        ) : (
          <div className={styles['body']}>
            <Skeleton height="50dvh" />
            <Skeleton height="30dvh" />
          </div>
        )}
      </div>
    </BareDialog>
  );
}

interface InsideProps extends Pick<Props, 'onMove' | 'onDelete'> {
  readonly file: LibraryFile;
}

function Inside({ file, onMove, onDelete }: InsideProps): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const update = useMayFiles().updateOf(file);
  const tree = useFolders();
  const isPicture = kindOf(file) === 'image';
  const own: Chosen = { files: [file.id], folders: [] };
  const setPoint = async (focalPoint: LibraryFile['focalPoint']): Promise<void> => {
    fileChanged(client, { ...file, focalPoint });
    try {
      const { data } = await request('PUT files/:id', { params: { id: String(file.id) }, body: { focalPoint } });
      fileChanged(client, data);
    } catch (error) {
      fileChanged(client, file);
      show({ text: failureText(t, error), tone: 'danger' });
    }
  };
  return (
    <div className={styles['body']}>
      <div className={styles['stage']}>
        <div className={styles['preview']}>
          {isPicture ? (
            <FocalPicture file={file} onPoint={update ? (point) => void setPoint(point) : undefined} />
          ) : (
            <Preview file={file} />
          )}
        </div>
        {isPicture && update && (
          <p className={styles['focal']}>
            <Crosshair size={14} />
            {file.focalPoint
              ? t('media.focal.at', { x: file.focalPoint.x, y: file.focalPoint.y })
              : t('media.focal.hint')}
            {file.focalPoint && (
              <Button look="quiet" onClick={() => void setPoint(null)}>
                {t('media.focal.reset')}
              </Button>
            )}
          </p>
        )}
      </div>
      <div className={styles['side']}>
        <FileFields file={file} readOnly={!update} />
        <Uses file={file} />
        <About file={file} place={tree.nameOf(file.folder?.id ?? null)} />
        <FileActions file={file} onReplaced={(now) => void fileReplaced(client, now)} />
        {update && onMove && onDelete && (
          <div className={styles['actions']}>
            <Button icon={FolderInput} onClick={() => onMove(own)}>
              {t('media.move')}
            </Button>
            <Button icon={Trash} look="quiet" onClick={() => onDelete(own, file.name)}>
              {t('media.delete')}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

/** Audio and video can be played; other files show an icon. */
function Preview({ file }: { readonly file: LibraryFile }): ReactNode {
  const kind = kindOf(file);
  const address = addressOf(file.url, file);
  // biome-ignore lint/a11y/useMediaCaption: the library has no captions of its own
  if (kind === 'video') return <video src={address} controls className={styles['film']} />;
  // biome-ignore lint/a11y/useMediaCaption: as above
  if (kind === 'audio') return <audio src={address} controls className={styles['sound']} />;
  return <FilePreview file={file} width={240} fit="contain" />;
}

function Uses({ file }: { readonly file: LibraryFile }): ReactNode {
  const t = useText();
  const { data } = useQuery(usesQuery({ files: [file.id], folders: [] }));
  return (
    <section aria-label={t('media.uses')}>
      <h3 className={styles['heading']}>{t('media.uses')}</h3>
      {data ? (
        <>
          {data.data.length + data.meta.hidden === 0 && (
            <p className={styles['quiet']}>{t(data.meta.texts ? 'media.uses.none' : 'media.uses.unlinked')}</p>
          )}
          <UseList uses={data.data} />
          {data.meta.hidden > 0 && (
            <p className={styles['quiet']}>{t('media.uses.hidden', { count: data.meta.hidden })}</p>
          )}
          {data.meta.more && <p className={styles['quiet']}>{t('media.uses.more')}</p>}
          {!data.meta.texts && <p className={styles['quiet']}>{t('media.uses.unsearched')}</p>}
        </>
      ) : (
        <Skeleton width="60%" />
      )}
    </section>
  );
}

function About({ file, place }: { readonly file: LibraryFile; readonly place: string }): ReactNode {
  const t = useText();
  const locale = useLocale();
  const by =
    [file.createdBy?.firstname, file.createdBy?.lastname].filter(Boolean).join(' ') || file.createdBy?.username;
  const lines: readonly (readonly [string, ReactNode])[] = [
    [
      t('media.column.kind'),
      [file.ext?.replace('.', '').toUpperCase(), sizeText(file.size, locale), dimensionsOf(file, t)]
        .filter(Boolean)
        .join(' · '),
    ],
    [t('media.file.folder'), place],
    [t('media.file.added'), <Moment key="at" at={file.createdAt} />],
    ...(by ? [[t('media.file.by'), by] as const] : []),
    [t('media.file.changed'), <Moment key="at" at={file.updatedAt} />],
  ];
  return (
    <section aria-label={t('media.file.about')}>
      <h3 className={styles['heading']}>{t('media.file.about')}</h3>
      <dl className={styles['about']}>
        {lines.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const dimensionsOf = ({ width, height }: LibraryFile, t: ReturnType<typeof useText>): string | undefined =>
  width === null || height === null ? undefined : t('media.size', { width: String(width), height: String(height) });
