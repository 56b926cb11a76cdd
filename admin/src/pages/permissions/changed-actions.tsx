/** The difference between two sets of permissions: granted and revoked ones. */
import { Fragment, type ReactNode } from 'react';
import type { ActionSubject, SiteAction } from '../../../contract/permissions.ts';
import { useText } from '../../language/language.tsx';
import { ActionRequests, useSubjectName, Warnings } from './parts.tsx';
import styles from './permissions.module.css';
import { type Audience, actionText, goneSubject, riskTexts } from './words.ts';

interface Props {
  readonly subjects: readonly ActionSubject[];
  readonly audience: Audience;
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
}

interface Changed {
  readonly subject: ActionSubject;
  readonly action: SiteAction;
}

export function ChangedActions({ subjects, audience, before, after }: Props): ReactNode {
  const t = useText();
  const nameOf = useSubjectName();
  const missing = goneSubject(subjects, [...before, ...after]);
  const all = [...subjects, ...(missing ? [missing] : [])].flatMap((subject) =>
    subject.actions.map((action): Changed => ({ subject, action })),
  );
  const parts = [
    {
      title: t('perms.diff.opens'),
      opens: true,
      members: all.filter(({ action: { action } }) => after.has(action) && !before.has(action)),
    },
    {
      title: t('perms.diff.closes'),
      opens: false,
      members: all.filter(({ action: { action } }) => before.has(action) && !after.has(action)),
    },
  ];
  return parts.map(({ title, opens, members }) =>
    members.length === 0 ? null : (
      <Fragment key={title}>
        <h3 className={styles['diffTitle']}>{title}</h3>
        <ul className={opens ? styles['opening'] : styles['closing']} aria-label={title}>
          {members.map(({ subject, action }) => (
            <li key={action.action}>
              {actionText(t, audience, subject, action, nameOf(subject))}
              <ActionRequests action={action} />
              {opens && <Warnings texts={riskTexts(t, audience, action)} />}
            </li>
          ))}
        </ul>
      </Fragment>
    ),
  );
}
