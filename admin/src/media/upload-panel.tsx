/** The running uploads, each with its progress and a button to cancel it. */
import { type ReactNode, useState } from 'react';
import { RefusedError } from '../data/failures.ts';
import { useText } from '../language/language.tsx';
import { failureText } from '../language/refusal-text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Check, CircleAlert, RotateCcw, X } from '../ui/icons.ts';
import { AlternativeTexts } from './alternative-texts.tsx';
import { useMayFiles } from './data.ts';
import { kindOf } from './kinds.ts';
import styles from './upload-panel.module.css';
import { cancelUpload, clearUploads, isGoing, retryUpload, type Upload, useUploads } from './uploads.ts';

export function UploadPanel(): ReactNode {
  const t = useText();
  const uploads = useUploads();
  const { update } = useMayFiles();
  const [isWriting, setWriting] = useState(false);
  const going = uploads.filter(isGoing);
  const failed = uploads.filter(({ state }) => state === 'failed').length;
  const done = uploads.filter(({ state }) => state === 'done').length;
  const untold = uploads.flatMap(({ stored }) =>
    stored && kindOf(stored) === 'image' && !stored.alternativeText ? [stored] : [],
  );
  const summary = [
    going.length > 0 ? t('media.uploads.going', { count: going.length }) : undefined,
    going.length === 0 && done > 0 ? t('media.uploads.done', { count: done }) : undefined,
    failed > 0 ? t('media.uploads.failed', { count: failed }) : undefined,
  ].filter((text) => text !== undefined);
  return (
    <>
      {/* Always rendered, so that screen readers announce changes. */}
      <section aria-label={t('media.uploads')} className={styles['panel']} hidden={uploads.length === 0}>
        <header className={styles['head']}>
          <span role="status" className={styles['summary']}>
            {summary.join(' · ') || (uploads.length > 0 && t('media.uploads.cancelled'))}
          </span>
          {update && going.length === 0 && untold.length > 0 && (
            <span className={styles['ask']}>
              {t('media.texts.ask', { count: untold.length })}
              <Button onClick={() => setWriting(true)}>{t('media.texts.write')}</Button>
            </span>
          )}
          {going.length > 1 && (
            <Button look="quiet" onClick={() => cancelAll(going)}>
              {t('media.uploads.cancelAll')}
            </Button>
          )}
          {going.length === 0 && <IconButton icon={X} label={t('close')} onClick={clearUploads} />}
        </header>
        {(going.length > 0 || failed > 0) && (
          <ul className={styles['list']}>
            {uploads.toSorted(bySight).map((upload) => (
              <Row key={upload.id} upload={upload} />
            ))}
          </ul>
        )}
      </section>
      {isWriting && <AlternativeTexts files={untold} onClose={() => setWriting(false)} />}
    </>
  );
}

/** The order of the uploads: failed ones and running ones come first. */
const SIGHT: readonly Upload['state'][] = ['failed', 'storing', 'sending', 'waiting', 'cancelled', 'done'];

const bySight = (one: Upload, other: Upload): number => SIGHT.indexOf(one.state) - SIGHT.indexOf(other.state);

/** Whether a retry may succeed. */
const maySucceed = (error: unknown): boolean =>
  !(error instanceof RefusedError) || error.status >= 500 || error.status === 429;

function cancelAll(uploads: readonly Upload[]): void {
  for (const { id } of uploads) cancelUpload(id);
}

function Row({ upload }: { readonly upload: Upload }): ReactNode {
  const t = useText();
  const { id, file, state, sent, error } = upload;
  const says = {
    waiting: t('media.uploads.waiting'),
    sending: `${Math.floor(sent * 100)} %`,
    storing: t('media.uploads.processing'),
    done: '',
    failed: failureText(t, error),
    cancelled: t('media.uploads.cancelled'),
  }[state];
  return (
    <li className={styles['row']}>
      {state === 'done' && <Check size={14} />}
      {state === 'failed' && <CircleAlert size={14} className={styles['wrong']} />}
      <span dir="auto" className={styles['name']}>
        {file.name}
      </span>
      <span className={state === 'failed' ? styles['wrong'] : styles['says']}>{says}</span>
      {isGoing(upload) && (
        <>
          <progress className={styles['bar']} value={sent} max={1} aria-label={file.name} />
          <IconButton
            icon={X}
            label={t('media.uploads.cancel', { name: file.name })}
            onClick={() => cancelUpload(id)}
          />
        </>
      )}
      {state === 'failed' && maySucceed(error) && (
        <IconButton
          icon={RotateCcw}
          label={t('media.uploads.retry', { name: file.name })}
          onClick={() => retryUpload(id)}
        />
      )}
    </li>
  );
}
