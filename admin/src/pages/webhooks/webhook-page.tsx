/** A webhook: its settings, signature, test and deliveries. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Webhook } from '../../../contract/webhooks.ts';
import { Confirmation, DeleteButton } from '../../app/confirmation.tsx';
import { Missing } from '../../app/not-found.tsx';
import { Outcome } from '../../app/outcome.tsx';
import shared from '../../app/settings.module.css';
import { ShownOnce } from '../../app/shown-once.tsx';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { type AnswerOf, request } from '../../data/client.ts';
import { permits, useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Button } from '../../ui/button.tsx';
import { KeyRound, Send } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import { Section } from '../account/section.tsx';
import { webhookQuery, webhooksQuery } from './data.ts';
import { Deliveries } from './deliveries.tsx';
import { WebhookForm } from './webhook-form.tsx';
import styles from './webhooks.module.css';

export function WebhookPage(): ReactNode {
  const { webhookId } = useParams({ strict: false }) as { webhookId: string };
  const { rights } = useSession();
  if (webhookId === 'new') return permits(rights, 'admin::webhooks.create') ? <NewWebhook /> : <Missing />;
  return permits(rights, 'admin::webhooks.read') ? <Stored key={webhookId} id={webhookId} /> : <Missing />;
}

function NewWebhook(): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [created, setMade] = useState<AnswerOf<'POST webhooks'>['data']>();
  useTitle(t('webhooks.new'));
  const open = (): void => {
    if (created)
      void navigate({ to: '/webhooks/$webhookId', params: { webhookId: String(created.id) }, replace: true });
  };
  return (
    <>
      <PageHead title={t('webhooks.new')} />
      <div className={styles['sections']}>
        <Section title={t('webhook.about')}>
          <WebhookForm
            onSend={async (body) => {
              setMade((await request('POST webhooks', { body })).data);
              void client.invalidateQueries({ queryKey: webhooksQuery.queryKey });
              return undefined;
            }}
          />
        </Section>
      </div>
      {created && <Secret secret={created.secret} onClose={open} />}
    </>
  );
}

function Stored({ id }: { readonly id: string }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const { rights } = useSession();
  const { data: webhook, isError } = useQuery(webhookQuery(id));
  useTitle(isError ? undefined : (webhook?.name ?? t('webhooks.title')));
  if (isError && !webhook) return <Missing />;
  if (!webhook) return null;
  const mayUpdate = permits(rights, 'admin::webhooks.update');
  return (
    <>
      <PageHead title={webhook.name}>
        {permits(rights, 'admin::webhooks.delete') && <Delete webhook={webhook} />}
      </PageHead>
      <div className={styles['sections']}>
        <Section title={t('webhook.about')}>
          <WebhookForm
            webhook={webhook}
            disabled={!mayUpdate}
            onSend={async (body) => {
              const { data } = await request('PUT webhooks/:id', { params: { id }, body });
              client.setQueryData(webhookQuery(id).queryKey, data);
              show({ text: t('saved') });
              return data;
            }}
          />
        </Section>
        {mayUpdate && <Signature webhook={webhook} />}
        {mayUpdate && <Test webhook={webhook} />}
        <Deliveries webhook={webhook} mayRetry={mayUpdate} />
      </div>
    </>
  );
}

function Signature({ webhook: { id, signed } }: { readonly webhook: Webhook }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const [isAsking, setAsking] = useState(false);
  const renew = useMutation({
    mutationFn: () => request('POST webhooks/:id/secret', { params: { id: String(id) } }),
    onSuccess: () => {
      setAsking(false);
      void client.invalidateQueries({ queryKey: webhookQuery(String(id)).queryKey });
    },
    onError: (error) => show({ text: failureText(t, error), tone: 'danger', retry: () => renew.mutate() }),
  });
  return (
    <Section title={t('webhook.signature')}>
      <div className={shared['line']}>
        <p>{t(signed ? 'webhook.signed' : 'webhook.unsigned')}</p>
        <Button icon={KeyRound} busy={renew.isPending} onClick={() => (signed ? setAsking(true) : renew.mutate())}>
          {t('webhook.secret.new')}
        </Button>
      </div>
      {isAsking && (
        <Confirmation
          title={t('webhook.secret.renew')}
          text={t('webhook.secret.renew.text')}
          button={t('webhook.secret.new')}
          busy={renew.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => renew.mutate()}
        />
      )}
      {renew.data && <Secret secret={renew.data.data.secret} onClose={() => renew.reset()} />}
    </Section>
  );
}

function Secret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }): ReactNode {
  const t = useText();
  return (
    <ShownOnce title={t('webhook.secret.title')} text={t('webhook.secret.text')} value={secret} onClose={onClose}>
      <code className={shared['secret']}>{secret}</code>
    </ShownOnce>
  );
}

function Test({ webhook: { id } }: { readonly webhook: Webhook }): ReactNode {
  const t = useText();
  const { show } = useToasts();
  const test = useMutation({
    mutationFn: () => request('POST webhooks/:id/test', { params: { id: String(id) } }),
    onError: (error) => show({ text: failureText(t, error), tone: 'danger', retry: () => test.mutate() }),
  });
  const answer = test.data?.data;
  return (
    <Section title={t('webhook.test')}>
      <div className={shared['line']}>
        <p>{t('webhook.test.text')}</p>
        <Button icon={Send} busy={test.isPending} onClick={() => test.mutate()}>
          {t('webhook.test.send')}
        </Button>
      </div>
      <div role="status">{answer && <Answer {...answer} />}</div>
    </Section>
  );
}

function Answer({ ok, status, milliseconds, answer }: AnswerOf<'POST webhooks/:id/test'>['data']): ReactNode {
  const t = useText();
  const text =
    status === null
      ? t('webhook.test.none', { milliseconds })
      : t(ok ? 'webhook.test.ok' : 'webhook.test.refused', { status: String(status), milliseconds });
  return <Outcome ok={ok} text={text} answer={answer} />;
}

function Delete({ webhook: { id, name, waiting } }: { readonly webhook: Webhook }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { show } = useToasts();
  const remove = useMutation({
    mutationFn: () => request('DELETE webhooks/:id', { params: { id: String(id) } }),
    onSuccess: async () => {
      await navigate({ to: '/webhooks', replace: true });
      client.removeQueries({ queryKey: webhookQuery(String(id)).queryKey });
      void client.invalidateQueries({ queryKey: webhooksQuery.queryKey, exact: true });
      show({ text: t('webhook.deleted') });
    },
    onError: (error) => show({ text: failureText(t, error), tone: 'danger', retry: () => remove.mutate() }),
  });
  return (
    <DeleteButton
      label={t('webhook.delete')}
      title={t('webhook.delete.title', { name })}
      text={t('webhook.delete.text', { count: waiting })}
      remove={remove}
    />
  );
}
