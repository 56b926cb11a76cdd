/** The bar below the pages: the unsaved changes, their steps, and the review. */
import { useQuery } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useText } from '../../language/language.tsx';
import { BottomBar } from '../../ui/bottom-bar.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Redo2, TriangleAlert, Undo2 } from '../../ui/icons.ts';
import { type ContentTypes, planQuery } from './data.ts';
import { Review } from './review.tsx';
import styles from './types.module.css';
import { clearWork, redoStep, undoStep, useWork } from './work.ts';

export function ChangeBar({ all }: { readonly all: ContentTypes }): ReactNode {
  const t = useText();
  const { past, future } = useWork();
  const { changes, state } = all;
  const [isReviewing, setReviewing] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const { data: plan } = useQuery(planQuery(all, {}));
  // Nothing is left to review once the changes are applied or discarded.
  if (isReviewing && changes.length === 0) setReviewing(false);
  // A closing tab loses the changes; moving within the app keeps them.
  useBlocker({ shouldBlockFn: () => false, enableBeforeUnload: changes.length > 0 });
  const mistakes = plan?.problems.filter(({ severity }) => severity === 'mistake').length ?? 0;
  if (!state.isEditable || (changes.length === 0 && past.length === 0 && future.length === 0)) return null;
  return (
    <BottomBar
      className={styles['bar']}
      label={t('types.bar')}
      text={
        <>
          {t('types.changes', { count: changes.length })}
          {changes.length > 0 && mistakes > 0 && (
            <span className={styles['mistakes']}>
              <TriangleAlert size={14} />
              {t('types.mistakes', { count: mistakes })}
            </span>
          )}
        </>
      }
    >
      <IconButton icon={Undo2} label={t('types.step.undo')} disabled={past.length === 0} onClick={undoStep} />
      <IconButton icon={Redo2} label={t('types.step.redo')} disabled={future.length === 0} onClick={redoStep} />
      <Button look="quiet" disabled={changes.length === 0} onClick={() => setAsking(true)}>
        {t('types.discard')}
      </Button>
      <Button look="primary" disabled={changes.length === 0} onClick={() => setReviewing(true)}>
        {t('types.review')}
      </Button>
      {isReviewing && <Review all={all} onClose={() => setReviewing(false)} />}
      <Dialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t('types.discard.title', { count: changes.length })}
        text={t('types.discard.text')}
        actions={
          <>
            <CancelButton onClick={() => setAsking(false)} />
            <Button
              look="danger"
              onClick={() => {
                setAsking(false);
                clearWork();
              }}
            >
              {t('types.discard')}
            </Button>
          </>
        }
      />
    </BottomBar>
  );
}
