/** When and by whom a document was created and last changed. */
import type { ReactNode } from 'react';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { Moment, useText } from '../../language/language.tsx';
import panelStyles from './side.module.css';

export function AboutList({
  server: { draft, createdBy, updatedBy, isThroughApi },
}: {
  readonly server: DocumentAnswer;
}): ReactNode {
  const t = useText();
  if (!draft) return null;
  const { createdAt, updatedAt } = draft;
  const rows = [
    { name: t('document.about.made'), at: createdAt, by: createdBy?.name },
    {
      name: t('document.about.changed'),
      at: updatedAt,
      by: isThroughApi ? t('throughApi') : updatedBy?.name,
    },
  ];
  return (
    <section aria-labelledby="document-about">
      <h2 id="document-about" className={panelStyles['sideHead']}>
        {t('document.about')}
      </h2>
      <dl className={panelStyles['about']}>
        {rows.map(({ name, at, by }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {typeof at === 'string' && <Moment at={at} />}
              {by !== undefined && <span>{by}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
