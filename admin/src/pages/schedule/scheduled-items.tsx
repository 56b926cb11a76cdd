/** What is scheduled for a document, and what of it has failed. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ScheduledItem } from '../../../contract/schedule.ts';
import type { Schema } from '../../../contract/schema.ts';
import { localeName } from '../../data/locales.ts';
import { ofDocumentQuery } from '../../data/schedule.ts';
import { fieldName } from '../../form/values/field-name.ts';
import type { Path } from '../../form/values/model.ts';
import { Moment, useLocale, useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { refusalText } from '../../language/refusal-text.ts';
import { CircleAlert, Clock } from '../../ui/icons.ts';
import styles from './schedule.module.css';
import { useItemActions } from './use-item-actions.ts';
import { whenSummary } from './when-text.ts';

interface Props {
  readonly schema: Schema;
  readonly uid: string;
  /** The id in addresses: `single` for a single type. */
  readonly documentId: string;
  readonly mayChange: boolean;
}

export function ScheduledItems({ schema, uid, documentId, mayChange }: Props): ReactNode {
  const t = useText();
  const { data = [] } = useQuery(ofDocumentQuery(uid, documentId));
  const open = data.filter(({ state }) => state === 'waiting' || state === 'failed').toReversed();
  if (open.length === 0) return null;
  return (
    <ul className={styles['items']} aria-label={t('schedule.list')}>
      {open.map((item) => (
        <Item key={item.id} schema={schema} item={item} mayChange={mayChange} />
      ))}
    </ul>
  );
}

/** What happens next with a document, in few words. */
export function NextAction({ uid, documentId }: Pick<Props, 'uid' | 'documentId'>): ReactNode {
  const t = useText();
  const { data = [] } = useQuery(ofDocumentQuery(uid, documentId));
  const next = data.findLast(({ state }) => state === 'waiting');
  if (!next) return null;
  return (
    <small data-quiet>
      {t(`schedule.coming.${next.action}`)} <Moment at={next.at} isAhead />
    </small>
  );
}

/** The locales of an item in words; undefined on types without locales. */
export function localesText(t: Text, schema: Schema, { locale }: ScheduledItem): string | undefined {
  if (schema.locales.length < 2 || locale === null) return undefined;
  if (locale === '*') return t('schedule.locale.all');
  return (locale as readonly string[]).map((code) => localeName(schema, code)).join(', ');
}

/** Why an item has failed: the fields that are wrong, or else what the server says. */
export function failureOf(t: Text, schema: Schema, { failure, contentType }: ScheduledItem): string {
  if (failure === null) return '';
  const model = schema.contentTypes.find(({ uid }) => uid === contentType);
  const { errors = [], isInternal } = failure;
  if (model && errors.length > 0) {
    const texts = errors.map((one) => `${fieldName(schema, model, one.path as Path)}: ${refusalText(t, one)}`);
    return texts.join(' ');
  }
  return isInternal ? t('refused.broken') : refusalText(t, failure);
}

/** What a user can do about an item that has failed. */
export function nextStep(t: Text, { action, failure }: ScheduledItem): string {
  const code = failure?.reason?.code;
  // Whoever tries again becomes the person in whose name it happens.
  if (code === 'actorGone' || code === 'actorForbidden') return t('schedule.next.actor');
  if (failure?.isInternal) return t('schedule.next.broken');
  return t(action === 'run' ? 'schedule.next.release' : 'schedule.next.document');
}

function Item({ schema, item, mayChange }: Pick<Props, 'schema' | 'mayChange'> & { readonly item: ScheduledItem }) {
  const t = useText();
  const locale = useLocale();
  const { busy, cancel, retry } = useItemActions(item);
  const { action, at, state, by } = item;
  const hasFailed = state === 'failed';
  const Icon = hasFailed ? CircleAlert : Clock;
  const about = [localesText(t, schema, item), by.name && t('schedule.by', { name: by.name })].filter(Boolean);
  return (
    <li className={styles['item']} data-failed={hasFailed || undefined}>
      <Icon size={15} />
      <div>
        <p className={styles['what']}>{t(hasFailed ? `schedule.failed.${action}` : `schedule.coming.${action}`)}</p>
        <p>{whenSummary(t, at, locale)}</p>
        {about.length > 0 && <p className={styles['about']}>{about.join(' · ')}</p>}
        {hasFailed && <p className={styles['reason']}>{failureOf(t, schema, item)}</p>}
        {hasFailed && mayChange && <p className={styles['about']}>{nextStep(t, item)}</p>}
      </div>
      {mayChange && (
        <div className={styles['tools']}>
          {hasFailed && (
            <button type="button" className={styles['tool']} disabled={busy} onClick={retry}>
              {t('schedule.retry')}
            </button>
          )}
          <button type="button" className={styles['tool']} disabled={busy} onClick={cancel}>
            {t(hasFailed ? 'schedule.dismiss' : 'schedule.cancel')}
          </button>
        </div>
      )}
    </li>
  );
}
