/** The actions on the selected documents. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ContentType, Schema } from '../../../contract/schema.ts';
import type { Intent } from '../../data/deferred.ts';
import { localeName, mayInLocale } from '../../data/locales.ts';
import { schemaQuery } from '../../data/schema.ts';
import { permits, useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Clock, X } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import { type Refused, useRefused } from '../bulk-failures/bulk-failures.ts';
import { RefusedDialog } from '../bulk-failures/bulk-failures-dialog.tsx';
import { AddToReleaseDialog } from '../releases/add-dialog.tsx';
import { type Choice as ScheduleChoice, ScheduleDialog } from '../schedule/schedule-dialog.tsx';
import { scheduleSeveral } from '../schedule/schedule-document.ts';
import { BulkDeleteDialog, countOnSite, type Loss, usesOf } from './bulk-delete-dialog.tsx';
import styles from './list.module.css';
import { useBulk } from './use-bulk.ts';
import { type Choice, MOST_CHOSEN } from './use-selection.ts';

interface Props {
  readonly schema: Schema;
  readonly type: ContentType;
  /** Undefined if the type has no locales. */
  readonly locale: string | undefined;
  readonly choice: Choice;
  /** The number of documents of the list; undefined while it is unknown. */
  readonly total: number | undefined;
  /** The name of a document, if it is loaded. */
  readonly nameOf: (documentId: string) => string | undefined;
}

export function BulkBar({ schema, type, locale, choice, total, nameOf }: Props): ReactNode {
  const t = useText();
  const { show } = useToasts();
  const { rights } = useSession();
  const { chosen, choose } = choice;
  const bulk = useBulk({ schema, type, onChoose: choose, nameOf });
  const client = useQueryClient();
  const read = useRefused(schema);
  const [isAsking, setAsking] = useState(false);
  const [isReleasing, setReleasing] = useState(false);
  const [isScheduling, setScheduling] = useState(false);
  /** The documents whose action could not be scheduled. */
  const [unscheduled, setUnscheduled] = useState<readonly Refused[]>();
  /** The deletion to confirm. */
  const [loss, setLoss] = useState<Loss>();

  // With permissions for some locales only, versions are deleted rather than documents.
  const { data: whole = schema } = useQuery(schemaQuery);
  const deletesVersions =
    locale !== undefined && !whole.locales.every(({ code }) => mayInLocale(rights, 'delete', type, code));
  const mayHere = (operation: 'publish' | 'delete'): boolean =>
    type.actions[operation] && mayInLocale(rights, operation, type, locale ?? null);
  const ofVersion = { locale: locale === undefined ? '' : localeName(schema, locale) };
  const intentTo = (action: Intent['action']): Intent => {
    const ofLocale = action === 'delete' && !deletesVersions ? undefined : locale;
    return { uid: type.uid, action, documentIds: chosen, locale: ofLocale };
  };
  const remove = async (intent: Intent): Promise<void> => {
    setAsking(true);
    try {
      const uses = await usesOf(intent);
      // If not everything may be deleted, only the versions of this list are.
      const keepsOthers = intent.locale === undefined && locale !== undefined && !uses.meta.whole;
      const wanted = keepsOthers ? { ...intent, locale } : intent;
      const hasOthers = wanted.locale === undefined && uses.meta.locales.some((code) => code !== locale);
      const among = hasOthers ? locale : undefined;
      // In types without locales, only whole documents can be deleted.
      const keepsSome = locale === undefined && !uses.meta.whole;
      const isOnSite = countOnSite(uses, wanted.locale) > 0;
      if (isOnSite || uses.data.length > 0 || uses.meta.more || hasOthers || keepsOthers || keepsSome) {
        setLoss({ intent: wanted, uses, among, keepsOthers, keepsSome });
      } else bulk.start(intent);
    } catch (error) {
      show({ text: failureText(t, error), tone: 'danger', retry: () => void remove(intent) });
    } finally {
      setAsking(false);
    }
  };
  const schedule = async (wanted: ScheduleChoice): Promise<void> => {
    const outcomes = await scheduleSeveral(client, type, chosen, wanted);
    const failed = outcomes.filter(({ error }) => error !== null);
    const count = outcomes.length - failed.length;
    setScheduling(false);
    if (count > 0) show({ text: t('schedule.done.many', { count }) });
    choose(new Set(failed.map(({ documentId }) => documentId)));
    if (failed.length > 0) setUnscheduled([await read({ type, locale, outcomes: failed, nameOf })]);
  };
  return (
    <>
      {chosen.size > 0 && (
        <div className={styles['bulk']} role="toolbar" aria-label={t('lists.chosen', { count: chosen.size })}>
          <span className={styles['chosen']}>
            <IconButton icon={X} label={t('lists.chooseNone')} onClick={() => choose(new Set())} />
            <span>{t('lists.chosen', { count: chosen.size })}</span>
            {total !== undefined && chosen.size < Math.min(total, MOST_CHOSEN) && (
              <Button look="quiet" busy={choice.isAsking} onClick={() => void choice.chooseAll()}>
                {total > MOST_CHOSEN
                  ? t('lists.chooseFirst', { count: MOST_CHOSEN })
                  : t('lists.chooseAll', { count: total })}
              </Button>
            )}
          </span>
          {type.draftAndPublish && mayHere('publish') && (
            <>
              <Button onClick={() => bulk.start(intentTo('publish'))}>{t('lists.publish')}</Button>
              <Button onClick={() => bulk.start(intentTo('unpublish'))}>{t('lists.unpublish')}</Button>
              <Button icon={Clock} onClick={() => setScheduling(true)}>
                {t('schedule.open')}
              </Button>
            </>
          )}
          {type.draftAndPublish && permits(rights, 'plugin::content-releases.create-action') && (
            <Button onClick={() => setReleasing(true)}>{t('releases.add')}</Button>
          )}
          {mayHere('delete') && (
            <Button busy={isAsking} onClick={() => void remove(intentTo('delete'))}>
              {deletesVersions ? t('document.delete.ownVersion', ofVersion) : t('lists.delete')}
            </Button>
          )}
          <span role="status" className={styles['asking']}>
            {isAsking ? t('lists.delete.looking') : ''}
          </span>
        </div>
      )}
      {isReleasing && (
        <AddToReleaseDialog
          documents={[...chosen].map((documentId) => ({ contentType: type.uid, documentId, locale: locale ?? null }))}
          onClose={() => setReleasing(false)}
        />
      )}
      {loss && (
        <BulkDeleteDialog
          schema={schema}
          loss={loss}
          onClose={() => setLoss(undefined)}
          onDelete={(intent) => {
            setLoss(undefined);
            bulk.startAnswered(intent);
          }}
        />
      )}
      <ScheduleDialog
        open={isScheduling}
        schema={schema}
        model={type}
        locale={locale ?? null}
        count={chosen.size}
        onClose={() => setScheduling(false)}
        onSchedule={schedule}
      />
      {bulk.question && <Question schema={schema} intent={bulk.question} onAnswer={bulk.answer} />}
      <RefusedDialog refused={bulk.refused} onClose={bulk.forgetRefused} />
      <RefusedDialog refused={unscheduled} onClose={() => setUnscheduled(undefined)} />
    </>
  );
}

interface QuestionProps {
  readonly schema: Schema;
  readonly intent: Intent;
  readonly onAnswer: (isYes: boolean) => void;
}

/** Asks for confirmation before an action that cannot be undone. */
function Question({ schema, intent: { action, documentIds, locale }, onAnswer }: QuestionProps): ReactNode {
  const t = useText();
  const { size: count } = documentIds;
  const version = { count, locale: locale === undefined ? '' : localeName(schema, locale) };
  return (
    <Dialog
      open
      onOpenChange={() => onAnswer(false)}
      title={
        action === 'delete'
          ? locale === undefined
            ? t('lists.delete.title', { count })
            : t('lists.delete.versions', version)
          : t(`lists.many.${action}`, { count })
      }
      text={t('lists.many.text')}
      actions={
        <>
          <CancelButton onClick={() => onAnswer(false)} />
          <Button look={action === 'delete' ? 'danger' : 'primary'} onClick={() => onAnswer(true)}>
            {t(`lists.${action}`)}
          </Button>
        </>
      }
    />
  );
}
