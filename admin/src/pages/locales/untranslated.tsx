/** How many documents of each type lack each locale, with links to them. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Locale, Untranslated as OfType } from '../../../contract/site.ts';
import shared from '../../app/settings.module.css';
import { useTypeTitles } from '../../app/type-titles.ts';
import { LACKS, LOCALIZATIONS } from '../../data/list-search.ts';
import { schemaQuery } from '../../data/schema.ts';
import { useText } from '../../language/language.tsx';
import { Skeleton } from '../../ui/bits.tsx';
import { CircleCheck } from '../../ui/icons.ts';
import { untranslatedQuery } from './data.ts';
import styles from './locales.module.css';

export function Untranslated({ locales }: { readonly locales: readonly Locale[] }): ReactNode {
  const t = useText();
  const { data } = useQuery({ ...untranslatedQuery, enabled: locales.length > 1 });
  if (locales.length < 2) return null;
  const chosen = locales.find(({ isDefault }) => isDefault);
  return (
    <section aria-labelledby="untranslated">
      <h2 id="untranslated" className={styles['heading']}>
        {t('locales.untranslated')}
      </h2>
      {data !== undefined && data.length > 0 && chosen && (
        <p className={shared['quiet']}>{t('locales.untranslated.links', { name: chosen.name })}</p>
      )}
      {data?.length === 0 && <p className={shared['quiet']}>{t('locales.untranslated.none')}</p>}
      <ul>
        {data === undefined ? (
          <li className={styles['row']}>
            <Skeleton width="60%" />
          </li>
        ) : (
          data.map((one) => <Row key={one.uid} of={one} locales={locales} />)
        )}
      </ul>
    </section>
  );
}

function Row({ of, locales }: { readonly of: OfType; readonly locales: readonly Locale[] }): ReactNode {
  const t = useText();
  const { data: schema } = useQuery(schemaQuery);
  const titleOf = useTypeTitles();
  const { uid, documents, missing } = of;
  const type = schema?.contentTypes.find((one) => one.uid === uid);
  const lacking = locales.filter(({ code }) => (missing?.[code] ?? 0) > 0);
  const chosen = locales.find(({ isDefault }) => isDefault);
  return (
    <li className={styles['type']}>
      <div className={styles['name']}>
        <span dir="auto">{titleOf(of)}</span>
        <small className={shared['quiet']}>
          {documents === null ? t('locales.untranslated.many') : t('locales.untranslated.of', { count: documents })}
        </small>
      </div>
      {lacking.length === 0 && missing !== null ? (
        <span className={styles['whole']}>
          <CircleCheck size={15} />
          {t('locales.untranslated.complete')}
        </span>
      ) : (
        <ul className={styles['missing']}>
          {lacking.map((locale) => {
            const text = t('locales.untranslated.count', { name: locale.name, count: missing?.[locale.code] ?? 0 });
            const leads = type?.kind === 'collectionType' && chosen !== undefined && !locale.isDefault;
            return (
              <li key={locale.code}>
                {leads ? (
                  <Link
                    to="/content/$uid"
                    params={{ uid }}
                    search={{
                      locale: chosen.code,
                      where: [{ field: LOCALIZATIONS, operator: LACKS, value: locale.code }],
                    }}
                  >
                    {text}
                  </Link>
                ) : (
                  text
                )}
              </li>
            );
          })}
        </ul>
      )}
    </li>
  );
}
