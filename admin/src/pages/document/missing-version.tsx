/** A document without a version in a locale: creates one, empty or from another locale. */

import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { useTitle } from '../../app/title.ts';
import { RefusedError, request } from '../../data/client.ts';
import { localeName, mayInLocale } from '../../data/locales.ts';
import { useSession } from '../../data/session.ts';
import { toBody } from '../../form/values/to-body.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { typeLabel } from '../../language/type-name.ts';
import { EmptyState } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { ArrowLeft, Globe } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import styles from './document.module.css';
import { documentQuery, requestsFor, SINGLE } from './document-query.ts';
import { LocaleList } from './locale-list.tsx';
import { noteCopiedUids } from './use-filling.ts';

interface Props {
  readonly schema: Schema;
  readonly model: ContentType;
  readonly server: DocumentAnswer;
}

export function MissingVersion({ schema, model, server }: Props): ReactNode {
  const t = useText();
  const { show } = useToasts();
  const client = useQueryClient();
  const [busy, setBusy] = useState<string>();
  const { uid } = model;
  const documentId = model.kind === 'singleType' ? SINGLE : server.documentId!;
  const locale = server.locale!;
  const nameOf = (code: string) => localeName(schema, code);
  const { rights } = useSession();
  const mayMake = model.actions.create && mayInLocale(rights, 'create', model, locale);
  useTitle(`${typeLabel(t, model)} · ${nameOf(locale)}`);
  const make = async (from: string | undefined): Promise<void> => {
    setBusy(from ?? '');
    try {
      let data = {};
      if (from !== undefined) {
        const filled = await request('GET content/:uid/:documentId/filled', {
          params: { uid, documentId },
          query: { from, locale },
        });
        data = toBody(schema, model, filled.data.values, null);
        const { leftOut } = filled.data;
        if (leftOut > 0) show({ text: t('document.locale.leftOut', { count: leftOut, locale: nameOf(locale) }) });
      }
      const created = await requestsFor(model).write(server, data, { newId: documentId, outlives: false });
      if (from !== undefined) noteCopiedUids(model, created, data);
      client.setQueryData(documentQuery(uid, documentId, locale).queryKey, created);
      for (const code of Object.keys(server.states)) {
        void client.invalidateQueries({ queryKey: documentQuery(uid, documentId, code).queryKey });
      }
    } catch (error) {
      // Someone else has created it in the meantime: their version is shown and not overwritten.
      const current = error instanceof RefusedError && error.status === 412 && error.details['current'];
      if (current) client.setQueryData(documentQuery(uid, documentId, locale).queryKey, current as DocumentAnswer);
      show({
        text: failureText(t, error),
        tone: 'danger',
        ...(!current && { retry: () => void make(from) }),
      });
    } finally {
      setBusy(undefined);
    }
  };
  return (
    <div className={styles['page']}>
      <header className={styles['head']}>
        <Link
          to="/content/$uid/$documentId"
          params={{ uid, documentId }}
          search={{ locale: Object.keys(server.states)[0] }}
          className={styles['back']}
        >
          <ArrowLeft size={15} />
          {t('back')}
        </Link>
      </header>
      <div className={styles['edit']}>
        <EmptyState
          icon={Globe}
          level={1}
          title={t('document.locale.missing', { locale: nameOf(locale) })}
          text={t(mayMake ? 'document.locale.missing.text' : 'document.locale.missing.reader')}
          action={
            mayMake && (
              <div className={styles['choices']}>
                {Object.keys(server.states).map((code, index) => (
                  <Button
                    key={code}
                    look={index === 0 ? 'primary' : 'plain'}
                    busy={busy === code}
                    onClick={() => void make(code)}
                  >
                    {t('document.locale.fillFrom', { locale: nameOf(code) })}
                  </Button>
                ))}
                <Button busy={busy === ''} onClick={() => void make(undefined)}>
                  {t('document.locale.startEmpty')}
                </Button>
              </div>
            )
          }
        />
        <aside className={styles['side']}>
          <LocaleList schema={schema} model={model} server={server} />
        </aside>
      </div>
    </div>
  );
}
