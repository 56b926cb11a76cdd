/** Setting up a second factor that a role requires. Until then, the session permits nothing else. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useSignOut } from '../../app/me-menu.tsx';
import { hrefOf } from '../../app/sign-in-return.ts';
import { useSignedOut } from '../../app/signed-out.ts';
import { useTitle } from '../../app/title.ts';
import { request } from '../../data/client.ts';
import { presenceQuery } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Button } from '../../ui/button.tsx';
import { ShieldCheck } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import { RecoveryCodes, type Secret, SetUp } from '../account/second-factor.tsx';
import styles from './signed-out.module.css';
import { SignedOutPage } from './signed-out-page.tsx';

export function RequiredFactor(): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const router = useRouter();
  const signOut = useSignOut();
  const { show } = useToasts();
  const { to } = useSearch({ from: '/second-factor' });
  const [secret, setSecret] = useState<Secret>();
  const [codes, setCodes] = useState<readonly string[]>();
  useTitle(t('requiredFactor.title'));
  // The stored session may have ended since.
  const { data: presence } = useQuery({ ...presenceQuery, refetchOnMount: 'always' });
  useSignedOut(presence, () => ({ to }));
  const begin = useMutation({
    mutationFn: () => request('POST me/second-factor'),
    onSuccess: ({ data }) => setSecret(data),
    onError: (error) => show({ text: failureText(t, error), tone: 'danger' }),
  });
  const leave = async (): Promise<void> => {
    await client.refetchQueries({ queryKey: presenceQuery.queryKey });
    await router.navigate({ href: hrefOf(to), replace: true });
  };
  return (
    <SignedOutPage title={t('requiredFactor.title')} text={t('requiredFactor.text')}>
      <div className={styles['submit']}>
        <Button look="primary" wide icon={ShieldCheck} busy={begin.isPending} onClick={() => begin.mutate()}>
          {t('account.factor.setUp')}
        </Button>
        <Button look="quiet" wide onClick={signOut}>
          {t('me.signOut')}
        </Button>
      </div>
      {secret && <SetUp secret={secret} onClose={() => setSecret(undefined)} onDone={setCodes} />}
      {codes && <RecoveryCodes codes={codes} onClose={() => void leave()} />}
    </SignedOutPage>
  );
}
