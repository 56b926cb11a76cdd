/** The chosen request as code. */
import { type ReactNode, useState } from 'react';
import shared from '../../app/settings.module.css';
import { useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/icons.ts';
import { Tabs } from '../../ui/tabs.tsx';
import type { Chosen } from './choice.ts';
import styles from './explore.module.css';
import { SAMPLE_KINDS, type SampleKind, sampleOf } from './samples.ts';
import { useCopy } from './use-copy.ts';

/** Names of programs and formats, which are the same in all languages. */
const NAMES = { curl: 'curl', fetch: 'fetch', client: '@strapi/client', typescript: 'TypeScript' } as const;

interface Props {
  readonly chosen: Chosen;
  readonly origin: string;
  readonly prefix: string;
}

export function Samples({ chosen, origin, prefix }: Props): ReactNode {
  const t = useText();
  const copy = useCopy();
  const [kind, setKind] = useState<SampleKind>('url');
  const { type, request, parameters, path, query, body, as } = chosen;
  const code = sampleOf(kind, {
    ...{ origin, prefix, path, query, type },
    body: body === undefined || body.trim() === '' ? undefined : body,
    ...{ method: request.method, name: request.isOwn ? '' : request.name },
    hasToken: as !== 'public',
    documentId: parameters.find(({ name }) => name === 'documentId')?.value,
  });
  const tabs = SAMPLE_KINDS.map((value) => ({ value, label: value === 'url' ? t('explore.url') : NAMES[value] }));
  return (
    <section aria-label={t('explore.code')} className={styles['block']}>
      <div className={styles['top']}>
        <h2 className={shared['heading']}>{t('explore.code')}</h2>
        <Button icon={Copy} look="quiet" onClick={() => copy(code)}>
          {t('copy')}
        </Button>
      </div>
      <Tabs label={t('explore.code')} tabs={tabs} value={kind} onValue={setKind}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long code scrolls with the keyboard */}
        <pre className={styles['code']} tabIndex={0} dir="ltr">
          {code}
        </pre>
      </Tabs>
      {as.startsWith('role:') && <p className={styles['quiet']}>{t('explore.code.role')}</p>}
    </section>
  );
}
