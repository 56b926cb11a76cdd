/** The documents for which a bulk action has failed, with the reasons. */
import { Fragment, type ReactNode } from 'react';
import { Moment, useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import styles from './bulk-failures.module.css';
import type { Refused } from './bulk-failures.ts';

interface Props {
  /** Undefined closes the dialog. */
  readonly refused: readonly Refused[] | undefined;
  readonly onClose: () => void;
}

export function RefusedDialog({ refused, onClose }: Props): ReactNode {
  const t = useText();
  return (
    <Dialog
      open={refused !== undefined}
      onOpenChange={onClose}
      title={t('lists.refused.title')}
      actions={
        <Button look="primary" onClick={onClose}>
          {t('close')}
        </Button>
      }
    >
      <div className={styles['refused']}>
        {refused?.map(({ asked, documents, more }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they stay as they are
          <Fragment key={index}>
            {asked && (
              <h3>
                {asked.text} · <Moment at={asked.at} />
              </h3>
            )}
            <dl>
              {documents.map(({ documentId, name, reasons }) => (
                <div key={documentId}>
                  <dt dir="auto">{name}</dt>
                  {reasons.map((reason) => (
                    <dd key={reason}>{reason}</dd>
                  ))}
                </div>
              ))}
            </dl>
            {more > 0 && <p>{t('lists.refused.more', { count: more })}</p>}
          </Fragment>
        ))}
      </div>
    </Dialog>
  );
}
