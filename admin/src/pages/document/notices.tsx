/** Decisions about a draft, above its form. They do not interrupt editing. */
import type { ReactNode } from 'react';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { useSession } from '../../data/session.ts';
import type { Unsaved } from '../../data/unsaved-version.ts';
import type { GoneField } from '../../form/values/gone-fields.ts';
import type { UncopiedValue } from '../../form/values/uncopied-values.ts';
import { Around, useLanguage, useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import styles from './document.module.css';

interface Props {
  /** Unsaved changes from the device. */
  readonly kept: Unsaved | undefined;
  readonly onBringBack: () => Promise<void>;
  readonly onThrowAway: () => void;
  /** The version that someone else has saved in the meantime. */
  readonly theirs: DocumentAnswer | undefined;
  readonly onLook: () => void;
  /** The fields that the form has lost because the schema or the rights have changed. */
  readonly gone: readonly GoneField[];
  readonly onForgetGone: () => void;
  /** Whether a password was entered that is not saved anywhere. */
  readonly hasPassword: boolean;
  /** What remains of the document if someone else has deleted the version. */
  readonly left: DocumentAnswer | undefined;
  /** The values that a new document could not take. */
  readonly without: readonly UncopiedValue[];
  /** Whether only the changes of a deleted version were stored, and not its other values. */
  readonly isPart: boolean;
  /** Saves the values as a new document or version; undefined if that is not permitted. */
  readonly onRenew?: () => void;
  readonly onGiveUp: () => void;
}

export function Notices({
  kept,
  onBringBack,
  onThrowAway,
  theirs,
  onLook,
  gone,
  onForgetGone,
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
  const texts = [...new Set(gone.flatMap((field) => field.texts))];
  return (
    // Always rendered, so that screen readers announce changes.
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
      {gone.length > 0 && (
        <div className={styles['notice']}>
          <span>
            {t(gone.length === 1 ? 'document.fieldGone' : 'document.fieldsGone', {
              fields: new Intl.ListFormat(language).format(gone.map(({ label }) => label)),
            })}
            {texts.length > 0 && <> {t('document.fieldGone.texts')}</>}
          </span>
          <Button onClick={onForgetGone}>{t('close')}</Button>
          {texts.map((text) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled with the keyboard
            <blockquote key={text} tabIndex={0} className={styles['goneText']}>
              {text}
            </blockquote>
          ))}
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
