/** What can be done to the documents that are chosen: it is shown at once, and done when nobody has taken it back. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Outcome } from '../../../contract/lists.ts';
import type { ContentType, Schema } from '../../../contract/schema.ts';
import { type FieldError, RefusedError, request } from '../../data/client.ts';
import { defer, type Intent, inRequests } from '../../data/deferred.ts';
import { documentsChanged } from '../../data/lists.ts';
import { localeName, mayIn } from '../../data/locales.ts';
import { schemaQuery } from '../../data/schema.ts';
import { useSession } from '../../data/session.ts';
import { fieldName } from '../../form/values/field-name.ts';
import { useText } from '../../language/language.tsx';
import { failureText, refusalText } from '../../language/refusal-text.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { X } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import { BulkDeleteDialog, type Loss, usesOf } from './bulk-delete-dialog.tsx';
import styles from './list.module.css';

interface Props {
  readonly schema: Schema;
  readonly type: ContentType;
  /** Undefined where the type has no locales. */
  readonly locale: string | undefined;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
  /** How a document is called. */
  readonly nameOf: (documentId: string) => string;
}

const REQUESTS = {
  publish: 'POST content/:uid/bulk/publish',
  unpublish: 'POST content/:uid/bulk/unpublish',
  delete: 'POST content/:uid/bulk/delete',
} as const;

/** What was refused, to be read when somebody wants to. */
interface Refused {
  readonly name: string;
  readonly reasons: readonly string[];
}

export function BulkBar({ schema, type, locale, chosen, onChoose, nameOf }: Props): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const { rights } = useSession();
  const [refused, setRefused] = useState<readonly Refused[]>();
  const [isAsking, setAsking] = useState(false);
  /** To be looked at before it is deleted. */
  const [loss, setLoss] = useState<Loss>();
  const names = new Map([...chosen].map((id) => [id, nameOf(id)]));

  /** Why a document was left as it is: what is wrong with its fields, else what the answer means. */
  const reasonsOf = ({ status, message, errors }: NonNullable<Outcome['error']>): readonly string[] => {
    const fields = (errors as readonly FieldError[]).filter(({ path }) => path.length > 0);
    if (fields.length === 0) return [failureText(t, new RefusedError(status, message))];
    return fields.map((field) => `${fieldName(schema, type, field.path)}: ${refusalText(t, field.message)}`);
  };
  const send = async (intent: Intent): Promise<void> => {
    const { action, uid, locale: code } = intent;
    try {
      const outcomes: Outcome[] = [];
      for (const documentIds of inRequests(intent)) {
        const body = { documentIds: [...documentIds], ...(code === undefined ? {} : { locale: code }) };
        outcomes.push(...(await request(REQUESTS[action], { params: { uid }, body })).data);
      }
      const failed = outcomes.flatMap(({ documentId, error }) =>
        error ? [{ name: names.get(documentId) ?? documentId, reasons: reasonsOf(error) }] : [],
      );
      if (failed.length > 0) {
        const text = t(`lists.refused.${action}`, { count: failed.length });
        show({ text, tone: 'danger', more: { label: t('lists.refused.show'), run: () => setRefused(failed) } });
      }
    } catch (error) {
      show({ text: failureText(t, error), tone: 'danger', retry: () => start(intent) });
      // nothing has become of it, and who knows when the server answers again
      void documentsChanged(client, uid);
      return;
    }
    // until then rows show what they will be
    await documentsChanged(client, uid);
  };
  // who may delete in some of the locales alone deletes versions, and no whole documents
  const { data: whole = schema } = useQuery(schemaQuery);
  const deletesVersions =
    locale !== undefined && !whole.locales.every(({ code }) => mayIn(rights, 'delete', type, code));
  const mayHere = (what: 'publish' | 'delete'): boolean =>
    type.actions[what] && mayIn(rights, what, type, locale ?? null);
  const ofVersion = { locale: locale === undefined ? '' : localeName(schema, locale) };
  const intentTo = (action: Intent['action']): Intent => {
    const ofLocale = action === 'delete' && !deletesVersions ? undefined : locale;
    return { uid: type.uid, action, documentIds: chosen, locale: ofLocale };
  };
  const doneText = ({ action, locale: code, documentIds: { size: count } }: Intent): string =>
    action === 'delete' && code !== undefined
      ? t('lists.done.versions', { count, locale: localeName(schema, code) })
      : t(`lists.done.${action}`, { count });
  const start = (intent: Intent): void => {
    const deferred = defer(intent, () => {
      close();
      return send(intent);
    });
    onChoose(new Set());
    const close = show({
      text: doneText(intent),
      onGone: () => void deferred.send(),
      undo: () => {
        deferred.drop();
        onChoose(intent.documentIds);
      },
    });
  };
  const remove = async (intent: Intent): Promise<void> => {
    setAsking(true);
    try {
      const uses = await usesOf(intent);
      // of what is not all to be deleted, the version of this list is
      const keepsOthers = intent.locale === undefined && locale !== undefined && !uses.meta.whole;
      const wanted = keepsOthers ? { ...intent, locale } : intent;
      const hasOthers = wanted.locale === undefined && uses.meta.locales.some((code) => code !== locale);
      const among = hasOthers ? locale : undefined;
      // of types without locales nothing goes but whole documents
      const keepsSome = locale === undefined && !uses.meta.whole;
      if (uses.data.length > 0 || uses.meta.more || hasOthers || keepsOthers || keepsSome) {
        setLoss({ intent: wanted, uses, among, keepsOthers, keepsSome });
      } else start(intent);
    } catch (error) {
      show({ text: failureText(t, error), tone: 'danger', retry: () => void remove(intent) });
    } finally {
      setAsking(false);
    }
  };
  return (
    <>
      {chosen.size > 0 && (
        <div className={styles['bulk']} role="toolbar" aria-label={t('lists.chosen', { count: chosen.size })}>
          <span className={styles['chosen']}>
            <IconButton icon={X} label={t('lists.chooseNone')} onClick={() => onChoose(new Set())} />
            {t('lists.chosen', { count: chosen.size })}
          </span>
          {type.draftAndPublish && mayHere('publish') && (
            <>
              <Button onClick={() => start(intentTo('publish'))}>{t('lists.publish')}</Button>
              <Button onClick={() => start(intentTo('unpublish'))}>{t('lists.unpublish')}</Button>
            </>
          )}
          {mayHere('delete') && (
            <Button busy={isAsking} onClick={() => void remove(intentTo('delete'))}>
              {deletesVersions ? t('document.delete.ownVersion', ofVersion) : t('lists.delete')}
            </Button>
          )}
        </div>
      )}
      {loss && (
        <BulkDeleteDialog
          schema={schema}
          loss={loss}
          onClose={() => setLoss(undefined)}
          onDelete={(intent) => {
            setLoss(undefined);
            start(intent);
          }}
        />
      )}
      <Dialog
        open={refused !== undefined}
        onOpenChange={() => setRefused(undefined)}
        title={t('lists.refused.title')}
        actions={
          <Button look="primary" onClick={() => setRefused(undefined)}>
            {t('close')}
          </Button>
        }
      >
        <dl className={styles['refused']}>
          {refused?.map(({ name, reasons }) => (
            <div key={name}>
              <dt>{name}</dt>
              {reasons.map((reason) => (
                <dd key={reason}>{reason}</dd>
              ))}
            </div>
          ))}
        </dl>
      </Dialog>
    </>
  );
}
