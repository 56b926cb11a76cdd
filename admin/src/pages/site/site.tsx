/** The settings of the site: those that can be changed here, and those of files and the environment. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SiteSettings } from '../../../contract/site.ts';
import { Missing } from '../../app/not-found.tsx';
import { SITE_RIGHTS } from '../../app/places.ts';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { isSuper, permits, useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { Skeleton } from '../../ui/bits.tsx';
import account from '../account/account.module.css';
import { Section } from '../account/section.tsx';
import { Accounts } from './accounts.tsx';
import { siteQuery } from './data.ts';
import { Fact, Facts, Source } from './facts.tsx';
import { General } from './general.tsx';
import { Limits } from './limits.tsx';
import { Mail } from './mail.tsx';
import { Pictures } from './pictures.tsx';
import styles from './site.module.css';
import { Storage } from './storage.tsx';
import { MailTemplates } from './templates.tsx';

export function SitePage(): ReactNode {
  const t = useText();
  const session = useSession();
  const may = isSuper(session) || SITE_RIGHTS.some((action) => permits(session.rights, action));
  const { data, isError } = useQuery({ ...siteQuery, enabled: may });
  const isMissing = !may || (isError && !data);
  useTitle(isMissing ? undefined : t('site.title'));
  if (isMissing) return <Missing />;
  return (
    <>
      <PageHead title={t('site.title')} />
      <div className={account['sections']}>{data ? <Sections settings={data} /> : <Skeleton width="50%" />}</div>
    </>
  );
}

function Sections({ settings }: { readonly settings: SiteSettings }): ReactNode {
  const { site, accounts, templates, images, mail, storage, previews, limits } = settings;
  return (
    <>
      <General site={site} />
      {accounts && <Accounts accounts={accounts} />}
      {mail && <Mail mail={mail} />}
      {templates && <MailTemplates templates={templates} />}
      {images && <Pictures images={images} />}
      {storage && <Storage storage={storage} />}
      {previews && <Previews previews={previews} />}
      {limits && <Limits limits={limits} />}
      <Automation />
    </>
  );
}

function Previews({ previews }: { readonly previews: NonNullable<SiteSettings['previews']> }): ReactNode {
  const t = useText();
  return (
    <Section title={t('site.previews')}>
      {previews.value.length === 0 ? (
        <p className={styles['text']}>
          {t('site.previews.none')} <code>config/admin · preview.urls</code>
        </p>
      ) : (
        <>
          <Facts>
            {previews.value.map(({ uid, displayName, url }) => (
              <Fact key={uid} label={displayName} of={null}>
                <code>{url}</code>
              </Fact>
            ))}
          </Facts>
          <p>
            <Source of={previews} />
          </p>
        </>
      )}
    </Section>
  );
}

/** Links to the pages of webhooks and jobs, for those who may open them. */
function Automation(): ReactNode {
  const t = useText();
  const session = useSession();
  const webhooks = permits(session.rights, 'admin::webhooks.read');
  if (!webhooks && !isSuper(session)) return null;
  return (
    <Section title={t('site.automation')}>
      <ul className={styles['links']}>
        {webhooks && (
          <li>
            <Link to="/webhooks">{t('place.webhooks')}</Link>
            <span>{t('site.automation.webhooks')}</span>
          </li>
        )}
        {isSuper(session) && (
          <li>
            <Link to="/jobs">{t('place.jobs')}</Link>
            <span>{t('site.automation.jobs')}</span>
          </li>
        )}
      </ul>
    </Section>
  );
}
