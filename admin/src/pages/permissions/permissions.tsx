/**
 * The roles of the site and, as a table of content and roles, the permissions of each of them and of each custom token.
 */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import type { ActionSubject, RoleInList } from '../../../contract/permissions.ts';
import { Missing } from '../../app/not-found.tsx';
import shared from '../../app/settings.module.css';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { permits, useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { Skeleton } from '../../ui/bits.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Plus } from '../../ui/icons.ts';
import { maySeeTokens, tokensQuery } from '../tokens/data.ts';
import { ROLES, rolesQuery, subjectsQuery } from './data.ts';
import { useSubjectName } from './parts.tsx';
import styles from './permissions.module.css';
import { COLUMNS, columnOf, columnText, isColumn, isType } from './words.ts';

export function Permissions(): ReactNode {
  const t = useText();
  const { rights } = useSession();
  const may = permits(rights, `${ROLES}.read`);
  const { data: roles, isError } = useQuery({ ...rolesQuery, enabled: may });
  // The roles that every project has come first.
  const sorted = roles && [...roles].sort((a, b) => rankOf(a) - rankOf(b));
  const isMissing = !may || (isError && !roles);
  useTitle(isMissing ? undefined : t('perms.title'));
  if (isMissing) return <Missing />;
  return (
    <>
      <PageHead title={t('perms.title')}>
        {permits(rights, `${ROLES}.create`) && (
          <ButtonLink look="primary" icon={Plus} to="/permissions/$roleId" params={{ roleId: 'new' }}>
            {t('perms.role.new')}
          </ButtonLink>
        )}
      </PageHead>
      <div className={styles['page']}>
        <p className={styles['lead']}>{t('perms.lead')}</p>
        <ul className={shared['rows']} aria-label={t('perms.roles')}>
          {sorted?.map((role) => <Role key={role.id} role={role} />) ?? (
            <li className={shared['row']}>
              <Skeleton width="40%" />
            </li>
          )}
        </ul>
        {sorted && <Overview roles={sorted} />}
      </div>
    </>
  );
}

const FIRST = ['public', 'authenticated'];

function rankOf({ type }: RoleInList): number {
  const rank = FIRST.indexOf(type);
  return rank < 0 ? FIRST.length : rank;
}

function Role({ role }: { readonly role: RoleInList }): ReactNode {
  const t = useText();
  const { id, type, name, description, accounts } = role;
  return (
    <li className={shared['row']}>
      <div className={shared['main']}>
        <Link to="/permissions/$roleId" params={{ roleId: String(id) }} dir="auto" className={shared['name']}>
          {name}
        </Link>
        <p dir="auto" className={styles['quiet']}>
          {type === 'public' ? t('perms.role.everyone') : description}
        </p>
      </div>
      {type !== 'public' && <span className={styles['quiet']}>{t('perms.role.accounts', { count: accounts })}</span>}
    </li>
  );
}

/** A column of the overview: a role, or a custom token. */
interface Holder {
  readonly key: string;
  readonly name: string;
  readonly head: ReactNode;
  readonly actions: ReadonlySet<string>;
}

function Overview({ roles }: { readonly roles: readonly RoleInList[] }): ReactNode {
  const t = useText();
  const { rights } = useSession();
  const nameOf = useSubjectName();
  const { data: subjects } = useQuery(subjectsQuery);
  const { data: tokens = [] } = useQuery({ ...tokensQuery, enabled: maySeeTokens(rights) });
  if (!subjects) return null;
  const holders: readonly Holder[] = [
    ...roles.map(
      ({ id, name, actions }): Holder => ({
        key: `role:${id}`,
        name,
        head: (
          <Link to="/permissions/$roleId" params={{ roleId: String(id) }} dir="auto" className={shared['name']}>
            {name}
          </Link>
        ),
        actions: new Set(actions),
      }),
    ),
    ...tokens
      .filter(({ type }) => type === 'custom')
      .map(
        ({ id, name, permissions }): Holder => ({
          key: `token:${id}`,
          name,
          head: (
            <>
              <Link to="/tokens/$tokenId" params={{ tokenId: String(id) }} dir="auto" className={shared['name']}>
                {name}
              </Link>
              <span className={styles['quiet']}>{t('perms.overview.token')}</span>
            </>
          ),
          actions: new Set(permissions),
        }),
      ),
  ];
  const groups = [
    [t('perms.group.content'), subjects.filter(isType)],
    [t('perms.group.server'), subjects.filter((one) => !isType(one) && one.kind !== 'code')],
    [t('perms.group.code'), subjects.filter(({ kind }) => kind === 'code')],
  ] as const;
  return (
    <div className={styles['permissions']}>
      <h2 className={shared['heading']}>{t('perms.overview')}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <section className={styles['scrolling']} aria-label={t('perms.overview')} tabIndex={0}>
        <table className={styles['overview']}>
          <thead>
            <tr>
              <th scope="col">{t('perms.overview.subject')}</th>
              {holders.map(({ key, head }) => (
                <th key={key} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {groups.map(([title, members]) => (
              <Fragment key={title}>
                {members.length > 0 && (
                  <tr>
                    <th scope="rowgroup" colSpan={holders.length + 1} className={styles['group']}>
                      {title}
                    </th>
                  </tr>
                )}
                {members.map((subject) => {
                  const levels = holders.map(({ actions }) => levelText(t, subject, actions));
                  return (
                    <tr key={subject.uid} className={classes(!levels.some(Boolean) && styles['closed'])}>
                      <th scope="row" dir="auto">
                        {nameOf(subject)}
                      </th>
                      {holders.map(({ key, name }, index) => (
                        <td key={key} className={classes(levels[index] === undefined && styles['nothing'])}>
                          <span className={styles['holder']} dir="auto" aria-hidden="true">
                            {name}
                          </span>
                          {levels[index] ?? <span className={styles['quiet']}>{t('perms.level.none')}</span>}
                        </td>
                      ))}
                    </tr>
                  );
                })}
              </Fragment>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

/** What of a subject is granted, in a few words; undefined for nothing. */
function levelText(t: Text, subject: ActionSubject, granted: ReadonlySet<string>): string | undefined {
  const { actions } = subject;
  const own = actions.filter(({ action }) => granted.has(action));
  if (own.length === 0) return undefined;
  if (own.length === actions.length) return t('perms.level.all');
  if (!isType(subject)) return t('perms.count', { count: own.length, all: actions.length });
  const named = COLUMNS.filter((column) => own.some((one) => columnOf(subject, one) === column)).map((one) =>
    columnText(t, one),
  );
  const others = own.filter(({ name }) => !isColumn(name)).map(({ name }) => name);
  return [...named, ...others].join(', ');
}
