/** The list of roles of the people who administer the site. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { RoleSummary } from '../../../contract/people.ts';
import { Missing } from '../../app/not-found.tsx';
import shared from '../../app/settings.module.css';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { permits, useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { Skeleton } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Plus, ShieldCheck } from '../../ui/icons.ts';
import { rolesQuery } from './data.ts';
import { NewRoleDialog } from './new-role-dialog.tsx';
import styles from './roles.module.css';

export function Roles(): ReactNode {
  const t = useText();
  const { rights } = useSession();
  const may = permits(rights, 'admin::roles.read');
  const { data, isError } = useQuery({ ...rolesQuery, enabled: may });
  const [isCreating, setCreating] = useState(false);
  const isMissing = !may || (isError && !data);
  useTitle(isMissing ? undefined : t('roles.title'));
  if (isMissing) return <Missing />;
  return (
    <>
      <PageHead title={t('roles.title')} {...(data && { count: data.length })}>
        {permits(rights, 'admin::roles.create') && (
          <Button look="primary" icon={Plus} onClick={() => setCreating(true)}>
            {t('roles.new')}
          </Button>
        )}
      </PageHead>
      <p className={styles['lead']}>{t('roles.lead')}</p>
      <ul className={classes(shared['rows'], styles['rows'])} aria-label={t('roles.title')}>
        {data === undefined && (
          <li className={shared['row']}>
            <Skeleton width="40%" />
          </li>
        )}
        {data?.map((role) => (
          <Row key={role.id} role={role} />
        ))}
      </ul>
      {isCreating && <NewRoleDialog onClose={() => setCreating(false)} />}
    </>
  );
}

function Row({ role: { id, name, description, people, secondFactor } }: { readonly role: RoleSummary }): ReactNode {
  const t = useText();
  return (
    <li className={shared['row']}>
      <div className={shared['main']}>
        <Link to="/roles/$roleId" params={{ roleId: String(id) }} className={shared['name']}>
          <span dir="auto">{name}</span>
        </Link>
        {description !== '' && (
          <span className={styles['quiet']} dir="auto">
            {description}
          </span>
        )}
      </div>
      <span className={classes(shared['below'], styles['factor'])}>
        {secondFactor && (
          <>
            <ShieldCheck size={16} />
            {t('role.factor.short')}
          </>
        )}
      </span>
      <span className={styles['people']}>{t('role.people', { count: people })}</span>
    </li>
  );
}
