/** The dialog for removing a locale: lists what is deleted, and requires the code of the locale. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import type { Locale } from '../../../contract/site.ts';
import { useTypeTitles } from '../../app/type-titles.ts';
import { request } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Skeleton } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { contentQuery, refreshLocales } from './data.ts';
import styles from './locales.module.css';

interface Props {
  readonly locale: Locale;
  readonly onClose: () => void;
}

export function RemoveDialog({ locale: { id, code, name }, onClose }: Props): ReactNode {
  const t = useText();
  const titleOf = useTypeTitles();
  const formId = useId();
  const client = useQueryClient();
  const { show } = useToasts();
  const { data: content, error } = useQuery(contentQuery(id));
  const [typed, setTyped] = useState('');
  const [remaining, setLeft] = useState<number>();
  const documents = content?.reduce((sum, one) => sum + one.documents, 0) ?? 0;
  const remove = useMutation({
    mutationFn: async () => {
      // Each request deletes some documents, so that none takes long.
      for (let rest = documents; ; ) {
        const { data } = await request('POST locales/:id/remove', { params: { id: String(id) }, body: { code } });
        if (data.isDone) return;
        rest = Math.max(1, rest - data.removed);
        setLeft(rest);
      }
    },
    onSuccess: async () => {
      onClose();
      show({ text: t('locales.removed', { name }) });
      // Lists and documents in the locale are gone.
      await Promise.all([refreshLocales(client), client.invalidateQueries()]);
    },
    onError: () => client.invalidateQueries({ queryKey: contentQuery(id).queryKey }),
  });
  const isConfirmed = typed.trim() === code;
  const failure = remove.error ?? error;
  return (
    <Dialog
      open
      isHeld={remove.isPending}
      onOpenChange={(open) => !open && onClose()}
      title={t('locales.remove.title', { name })}
      text={documents > 0 ? t('locales.remove.text', { count: documents }) : t('locales.remove.empty')}
      actions={
        <>
          <CancelButton onClick={onClose} disabled={remove.isPending} />
          <Button look="danger" type="submit" form={formId} busy={remove.isPending} disabled={!isConfirmed || !content}>
            {t('locales.remove')}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className={styles['form']}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isConfirmed && content && !remove.isPending) remove.mutate();
        }}
      >
        <FormError error={failure ? failureText(t, failure) : undefined} />
        {!content && !error && <Skeleton width="60%" />}
        {content && content.length > 0 && (
          <ul className={styles['lost']} aria-label={t('locales.remove.list')}>
            {content.map((one) => (
              <li key={one.uid}>
                <span dir="auto">{titleOf(one)}</span>
                <span>
                  {t('locales.remove.documents', { count: one.documents })}
                  {one.only > 0 && <small>{t('locales.remove.only', { count: one.only })}</small>}
                </span>
              </li>
            ))}
          </ul>
        )}
        <Field label={t('locales.remove.confirm', { code })} required>
          <Input
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
          />
        </Field>
        <p role="status">
          {remove.isPending && remaining !== undefined && t('locales.remove.left', { count: remaining })}
        </p>
      </form>
    </Dialog>
  );
}
