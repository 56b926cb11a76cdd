/** The link of an invitation, which is shown once. */

import type { ReactNode } from 'react';
import type { Invitation } from '../../../contract/people.ts';
import shared from '../../app/settings.module.css';
import { ShownOnce } from '../../app/shown-once.tsx';
import { useText } from '../../language/language.tsx';
import { classes } from '../../ui/classes.ts';
import { invitationAddress } from './data.ts';
import styles from './people.module.css';

interface Props {
  readonly email: string;
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

export function InvitationLink({ email, invitation, onClose }: Props): ReactNode {
  const t = useText();
  const address = invitationAddress(invitation);
  const text = t(invitation.isMailed ? 'people.link.mailed' : 'people.link.text', { email });
  return (
    <ShownOnce title={t('people.link.title')} text={text} value={address} onClose={onClose}>
      <code className={classes(shared['secret'], styles['link'])}>{address}</code>
    </ShownOnce>
  );
}
