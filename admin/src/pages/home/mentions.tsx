/** Mentions of the administrator in comments, on the first page, until they are answered or read. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Mention } from '../../../contract/review.ts';
import type { Schema } from '../../../contract/schema.ts';
import { request } from '../../data/client.ts';
import { mentionsQuery } from '../../data/review.ts';
import { documentName } from '../../language/document-name.ts';
import { Moment, useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Avatar } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { Check } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import styles from './home.module.css';

export function Mentions({ schema }: { readonly schema: Schema | undefined }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const { data: mentions = [] } = useQuery(mentionsQuery);
  const read = useMutation({
    mutationFn: (time: string) => request('PUT me/mentions', { body: { read: time } }),
    onSuccess: () => client.invalidateQueries({ queryKey: mentionsQuery.queryKey }),
    onError: (error) => show({ text: failureText(t, error), tone: 'danger' }),
  });
  const [newest] = mentions;
  if (!schema || !newest) return null;
  return (
    <section className={styles['section']} aria-labelledby="home-mentions">
      <div className={styles['headed']}>
        <h2 id="home-mentions" className={styles['heading']}>
          {t('home.mentions')}
        </h2>
        <Button look="quiet" icon={Check} busy={read.isPending} onClick={() => read.mutate(newest.changedAt)}>
          {t('home.mentions.read')}
        </Button>
      </div>
      <ul className={styles['documents']}>
        {mentions.map((mention) => (
          <li key={mention.id}>
            <Row schema={schema} mention={mention} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Row({ schema, mention }: { readonly schema: Schema; readonly mention: Mention }): ReactNode {
  const t = useText();
  const { contentType: uid, documentId, locale, label, body, author, authorName, changedAt } = mention;
  const type = schema.contentTypes.find((one) => one.uid === uid);
  const isSingle = type?.kind === 'singleType';
  const name = author?.name ?? authorName;
  const document = documentName(t, { documentId, label: label ?? (isSingle ? type.displayName : null) });
  return (
    <Link
      to="/content/$uid/$documentId"
      params={{ uid, documentId: isSingle ? 'single' : documentId }}
      search={{ locale: locale ?? undefined, comments: 'all' }}
      className={styles['mention']}
    >
      <Avatar name={name} />
      <span className={styles['label']} dir="auto">
        {t('home.mentions.by', { author: name, document })}
      </span>
      <span className={styles['when']}>
        <Moment at={changedAt} />
      </span>
      <span className={styles['comment']} dir="auto">
        {body}
      </span>
    </Link>
  );
}
