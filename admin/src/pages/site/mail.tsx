/** The mail server, and a test mail that shows its answer. */

import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { SiteSettings } from '../../../contract/site.ts';
import { Outcome } from '../../app/outcome.tsx';
import shared from '../../app/settings.module.css';
import { request } from '../../data/client.ts';
import { useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Send } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import { Section } from '../account/section.tsx';
import { Fact, Facts } from './facts.tsx';
import styles from './site.module.css';

export function Mail({ mail }: { readonly mail: NonNullable<SiteSettings['mail']> }): ReactNode {
  const t = useText();
  const { show } = useToasts();
  const { email } = useSession().user;
  const test = useMutation({
    mutationFn: () => request('POST site/mail/test'),
    onError: (error) => show({ text: failureText(t, error), tone: 'danger', retry: () => test.mutate() }),
  });
  const { kind, server, from, replyTo } = mail;
  const outcome = test.data?.data;
  return (
    <Section title={t('site.mail')}>
      <Facts>
        <Fact label={t('site.mail.server')} of={server}>
          {t(`site.mail.${kind}`)}
          {server.value !== null && (
            <>
              {' '}
              <code>{server.value}</code>
            </>
          )}
        </Fact>
        <Fact label={t('site.mail.from')} of={from}>
          {from.value ?? t('site.none')}
        </Fact>
        <Fact label={t('site.mail.replyTo')} of={replyTo}>
          {replyTo.value ?? t('site.none')}
        </Fact>
      </Facts>
      <div className={classes(shared['line'], styles['test'])}>
        <p>{t('site.mail.test.text', { email })}</p>
        <Button icon={Send} busy={test.isPending} onClick={() => test.mutate()}>
          {t('site.mail.test')}
        </Button>
      </div>
      <div role="status">
        {outcome && (
          <Outcome
            ok={outcome.ok}
            text={t(
              outcome.ok ? (kind === 'log' ? 'site.mail.test.logged' : 'site.mail.test.ok') : 'site.mail.test.failed',
              {
                milliseconds: outcome.milliseconds,
              },
            )}
            answer={outcome.answer}
          />
        )}
      </div>
    </Section>
  );
}
