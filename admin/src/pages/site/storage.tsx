/** Where files are stored, and a test that writes, reads and deletes one. */

import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { SiteSettings } from '../../../contract/site.ts';
import { Outcome } from '../../app/outcome.tsx';
import shared from '../../app/settings.module.css';
import { request } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Database } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import { Section } from '../account/section.tsx';
import { Fact, Facts } from './facts.tsx';
import styles from './site.module.css';

const PLACES = ['name', 'region', 'endpoint', 'folder', 'url'] as const;

export function Storage({ storage }: { readonly storage: NonNullable<SiteSettings['storage']> }): ReactNode {
  const t = useText();
  const { show } = useToasts();
  const test = useMutation({
    mutationFn: () => request('POST site/storage/test'),
    onError: (error) => show({ text: failureText(t, error), tone: 'danger', retry: () => test.mutate() }),
  });
  const { kind, provider, bucket } = storage;
  const outcome = test.data?.data;
  return (
    <Section title={t('site.storage')}>
      <Facts>
        <Fact label={t('site.storage.kind')} of={provider}>
          {t(`site.storage.${kind}`)}
          {kind !== 'local' && (
            <>
              {' '}
              <code>{provider.value}</code>
            </>
          )}
        </Fact>
        {bucket &&
          PLACES.map((key) => (
            <Fact key={key} label={t(`site.storage.bucket.${key}`)} of={bucket[key]}>
              {bucket[key].value ?? t('site.none')}
            </Fact>
          ))}
        {bucket && (
          <Fact label={t('site.storage.bucket.access')} of={bucket.private}>
            {t(bucket.private.value ? 'site.storage.bucket.private' : 'site.storage.bucket.public')}
          </Fact>
        )}
      </Facts>
      <div className={classes(shared['line'], styles['test'])}>
        <p>{t('site.storage.test.text')}</p>
        <Button icon={Database} busy={test.isPending} onClick={() => test.mutate()}>
          {t('site.storage.test')}
        </Button>
      </div>
      <div role="status">
        {outcome && (
          <Outcome
            ok={outcome.failure === null}
            text={
              outcome.failure === null
                ? t('site.storage.test.ok', {
                    steps: outcome.done.map((step) => t(`site.storage.done.${step}`)).join(', '),
                    milliseconds: outcome.milliseconds,
                  })
                : t(`site.storage.test.failed.${failedStep(outcome.done, kind)}`)
            }
            answer={outcome.failure ?? ''}
          />
        )}
      </div>
    </Section>
  );
}

/** The step after the last one that succeeded. The server cannot read from stores of the project's code. */
function failedStep(done: readonly string[], kind: string): 'write' | 'read' | 'delete' {
  if (!done.includes('write')) return 'write';
  return done.includes('read') || kind === 'code' ? 'delete' : 'read';
}
