/** What has to be decided about a draft, above its form: nothing of it interrupts whoever is writing. */
import type { ReactNode } from 'react';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { useSession } from '../../data/session.ts';
import type { Unsaved } from '../../data/unsaved-version.ts';
import type { LeftBehind } from '../../form/values/left-behind.ts';
import { Around, useLanguage, useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import styles from './document.module.css';

interface Props {
  /** What was kept on the device and is not saved. */
  readonly kept: Unsaved | undefined;
  readonly onBringBack: () => Promise<void>;
  readonly onThrowAway: () => void;
  /** What somebody else has saved meanwhile. */
  readonly theirs: DocumentAnswer | undefined;
  readonly onLook: () => void;
  /** Whether a password is written that is saved nowhere. */
  readonly hasPassword: boolean;
  /** What there is instead of what somebody else has deleted meanwhile. */
  readonly left: DocumentAnswer | undefined;
  /** What would be missing in what is made anew. */
  readonly without: readonly LeftBehind[];
  /** Whether only what was written into it was kept, and nothing else of what is gone. */
  readonly isPart: boolean;
  /** Makes what is written anew; not given to whoever may not. */
  readonly onRenew?: () => void;
  readonly onGiveUp: () => void;
}

export function Notices({
  kept,
  onBringBack,
  onThrowAway,
  theirs,
  onLook,
  hasPassword,
  left,
  without,
  isPart,
  onRenew,
  onGiveUp,
}: Props): ReactNode {
  const t = useText();
  const language = useLanguage();
  const missing = without.map(({ label, links }) =>
    links === undefined ? label : t('document.gone.links', { field: label, count: links }),
  );
  const { user } = useSession();
  return (
    // there from the beginning: what is put into it is read out
    <div role="status" className={styles['notices']}>
      {theirs && (
        <div className={styles['notice']}>
          <span>
            {theirs.updatedBy?.id === user.id
              ? t('document.conflict.own.notice')
              : theirs.isThroughApi
                ? t('document.conflict.notice.api')
                : t('document.conflict.notice', { name: theirs.updatedBy?.name ?? t('document.somebody') })}
            {hasPassword && <> {t('document.conflict.notice.passwords')}</>}
          </span>
          <Button look="primary" onClick={onLook}>
            {t('document.conflict.look')}
          </Button>
        </div>
      )}
      {left && (
        <div className={styles['notice']}>
          <span>
            {t('document.gone')}
            {isPart && <> {t('document.gone.part')}</>}
            {onRenew && missing.length > 0 && (
              <> {t('document.gone.without', { fields: new Intl.ListFormat(language).format(missing) })}</>
            )}
          </span>
          {onRenew && (
            <Button look="primary" onClick={onRenew}>
              {t(left.documentId === null ? 'document.gone.new' : 'document.gone.again')}
            </Button>
          )}
          <Button onClick={onGiveUp}>{t('document.kept.throwAway')}</Button>
        </div>
      )}
      {kept && (
        <div className={styles['notice']}>
          <span>
            <Around text={t('document.kept', { when: '\0' })} at={new Date(kept.at).toISOString()} />
          </span>
          <Button look="primary" onClick={() => void onBringBack()}>
            {t('document.kept.bringBack')}
          </Button>
          <Button onClick={onThrowAway}>{t('document.kept.throwAway')}</Button>
        </div>
      )}
    </div>
  );
}
