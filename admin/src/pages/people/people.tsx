/** The list of people who administer the site, and inviting more. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import type { Invitation, Person } from '../../../contract/people.ts';
import { Missing } from '../../app/not-found.tsx';
import shared from '../../app/settings.module.css';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { permits, useSession } from '../../data/session.ts';
import { Moment, useText } from '../../language/language.tsx';
import { Avatar, Chip, Skeleton } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Plus, ShieldCheck } from '../../ui/icons.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { peopleOptionsQuery, peopleQuery, personName } from './data.ts';
import { InvitationLink } from './invitation-link.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import styles from './people.module.css';

/** The number of people from which they can be searched. */
const MANY = 8;

export function People(): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { rights } = useSession();
  const may = permits(rights, 'admin::users.read');
  const { data, isError, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...peopleQuery,
    enabled: may,
  });
  const [text, setText] = useState('');
  const [isInviting, setInviting] = useState(false);
  const [invited, setInvited] = useState<{ readonly email: string; readonly invitation: Invitation }>();
  // The filter applies to all people.
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const isMissing = !may || (isError && !data);
  useTitle(isMissing ? undefined : t('people.title'));
  if (isMissing) return <Missing />;
  const all = data?.pages.flatMap((page) => page.data);
  const shown = all?.filter((person) => isFound(person, text));
  return (
    <>
      <PageHead title={t('people.title')} {...(all && { count: all.length })}>
        {permits(rights, 'admin::users.create') && (
          <Button look="primary" icon={Plus} onClick={() => setInviting(true)}>
            {t('people.invite')}
          </Button>
        )}
      </PageHead>
      <div className={styles['page']}>
        {all && all.length > MANY && (
          <SearchField
            label={t('people.search')}
            value={text}
            onValue={setText}
            clearLabel={t('people.search.clear')}
          />
        )}
        <ul className={classes(shared['rows'], styles['people'])} aria-label={t('people.title')}>
          {shown === undefined && (
            <li className={shared['row']}>
              <Skeleton width="40%" />
            </li>
          )}
          {shown?.map((person) => (
            <Row key={person.id} person={person} />
          ))}
        </ul>
        {shown?.length === 0 && <p className={shared['quiet']}>{t('people.search.none')}</p>}
      </div>
      {isInviting && (
        <InviteDialog
          onClose={() => setInviting(false)}
          onInvited={(email, invitation) => {
            setInviting(false);
            setInvited({ email, invitation });
            void client.invalidateQueries({ queryKey: peopleQuery.queryKey });
            void client.invalidateQueries({ queryKey: peopleOptionsQuery.queryKey });
          }}
        />
      )}
      {invited && <InvitationLink {...invited} onClose={() => setInvited(undefined)} />}
    </>
  );
}

function isFound({ firstname, lastname, username, email, roles }: Person, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const all = [firstname, lastname, username, email, ...roles.map(({ name }) => name)].join(' ').toLowerCase();
  return words.every((word) => all.includes(word));
}

function Row({ person }: { readonly person: Person }): ReactNode {
  const t = useText();
  const { id, email, roles, isYou, secondFactor } = person;
  const name = personName(person);
  return (
    <li className={shared['row']}>
      <div className={styles['who']}>
        <Avatar name={name} />
        <div className={shared['main']}>
          <p>
            <Link to="/people/$administratorId" params={{ administratorId: String(id) }} className={shared['name']}>
              <span dir="auto">{name}</span>
            </Link>
            {isYou && <span className={styles['you']}> {t('people.you')}</span>}
          </p>
          {name !== email && <span className={shared['quiet']}>{email}</span>}
        </div>
      </div>
      <div className={classes(shared['below'], styles['chips'])}>
        {roles.map((role) => (
          <Chip key={role.id}>{role.name}</Chip>
        ))}
      </div>
      <div className={shared['main']}>
        <span className={styles['state']}>
          <PersonState person={person} />
          {secondFactor && (
            <span role="img" className={styles['factor']} aria-label={t('people.factor')} title={t('people.factor')}>
              <ShieldCheck size={16} />
            </span>
          )}
        </span>
        {person.state === 'active' && (
          <span className={shared['quiet']}>
            {person.lastUsedAt === null ? t('people.neverUsed') : <Moment at={person.lastUsedAt} />}
          </span>
        )}
      </div>
    </li>
  );
}

/** The state of a person in words. */
export function PersonState({ person }: { readonly person: Person }): ReactNode {
  const t = useText();
  const { state } = person;
  return (
    <span className={styles[state]}>
      {t(isInvitationOver(person) ? 'people.state.expired' : `people.state.${state}`)}
    </span>
  );
}

export const isInvitationOver = ({ state, invitedUntil }: Person): boolean =>
  state === 'invited' && (invitedUntil === null || Date.parse(invitedUntil) <= Date.now());
