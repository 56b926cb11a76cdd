/** The second factor of signing in: turning it on with an authenticator app, and off. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { encode } from 'uqr';
import { useForm } from '../../app/form.ts';
import shared from '../../app/settings.module.css';
import { ShownOnce } from '../../app/shown-once.tsx';
import { request } from '../../data/client.ts';
import { presenceQuery, useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { ShieldCheck } from '../../ui/icons.ts';
import { Input, PasswordInput } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import styles from './account.module.css';
import { Section } from './section.tsx';
import { sessionsQuery } from './sessions.tsx';

/** The number of unused recovery codes. */
const recoveryQuery = queryOptions({
  queryKey: ['recovery codes'],
  queryFn: async ({ signal }) => (await request('GET me/second-factor/recovery-codes', { signal })).data,
  // A code may have been used elsewhere.
  staleTime: 0,
});

export interface Secret {
  readonly secret: string;
  readonly uri: string;
}

export function SecondFactor(): ReactNode {
  const t = useText();
  const { secondFactor } = useSession().user;
  const { show } = useToasts();
  const [secret, setSecret] = useState<Secret>();
  const [codes, setCodes] = useState<readonly string[]>();
  const [isTurningOff, setTurningOff] = useState(false);
  const [isRenewing, setRenewing] = useState(false);
  const { data: recovery } = useQuery({ ...recoveryQuery, enabled: secondFactor });
  const begin = useMutation({
    mutationFn: () => request('POST me/second-factor'),
    onSuccess: ({ data }) => setSecret(data),
    onError: (error) => show({ text: failureText(t, error), tone: 'danger', retry: () => begin.mutate() }),
  });
  return (
    <Section title={t('account.factor')}>
      <div className={shared['line']}>
        <p>{t(secondFactor ? 'account.factor.on' : 'account.factor.off')}</p>
        {secondFactor ? (
          <Button onClick={() => setTurningOff(true)}>{t('account.factor.turnOff')}</Button>
        ) : (
          <Button icon={ShieldCheck} busy={begin.isPending} onClick={() => begin.mutate()}>
            {t('account.factor.setUp')}
          </Button>
        )}
      </div>
      {secondFactor && recovery && (
        <div className={shared['line']}>
          <p>
            {recovery.left === 0
              ? t('account.factor.codes.none')
              : t('account.factor.codes.left', { left: recovery.left, count: recovery.of })}
          </p>
          <Button onClick={() => setRenewing(true)}>{t('account.factor.codes.renew')}</Button>
        </div>
      )}
      {secret && <SetUp secret={secret} onClose={() => setSecret(undefined)} onDone={setCodes} />}
      {codes && <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />}
      {isTurningOff && <TurnOff onClose={() => setTurningOff(false)} />}
      {isRenewing && recovery && <Renew count={recovery.of} onClose={() => setRenewing(false)} onDone={setCodes} />}
    </Section>
  );
}

interface SetUpProps {
  readonly secret: Secret;
  readonly onClose: () => void;
  /** Called after `onClose`. */
  readonly onDone: (codes: readonly string[]) => void;
}

export function SetUp({ secret: { secret, uri }, onClose, onDone }: SetUpProps): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const form = useForm({
    initial: { code: '' },
    check: ({ code }) => ({ code: code.trim() === '' ? t('field.code') : undefined }),
    send: async ({ code }) => {
      const { data } = await request('PUT me/second-factor', { body: { code: code.replaceAll(/\s/g, '') } });
      void client.invalidateQueries(presenceQuery);
      // All other sessions have ended.
      void client.invalidateQueries(sessionsQuery);
      onClose();
      onDone(data.recoveryCodes);
    },
  });
  return (
    <Dialog open onOpenChange={onClose} title={t('account.factor')} text={t('account.factor.scan')} wide>
      <div className={styles['setUp']}>
        <QrCode text={uri} label={t('account.factor.picture')} />
        <form className={shared['form']} onSubmit={form.onSubmit} noValidate>
          <div>
            <p className={shared['quiet']}>{t('account.factor.key')}</p>
            <code className={styles['secret']}>{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
          </div>
          <FormError error={form.error} />
          <Field label={t('account.factor.code')} error={form.errorOf('code')} required>
            <Input {...form.control('code')} inputMode="numeric" autoComplete="one-time-code" autoFocus />
          </Field>
          <div className={shared['actions']}>
            <CancelButton onClick={onClose} />
            <Button type="submit" look="primary" busy={form.busy}>
              {t('account.factor.confirm')}
            </Button>
          </div>
        </form>
      </div>
    </Dialog>
  );
}

export function RecoveryCodes({
  codes,
  onClose,
}: {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}): ReactNode {
  const t = useText();
  return (
    <ShownOnce
      title={t('account.factor.codes.title')}
      text={t('account.factor.codes.text')}
      value={codes.join('\n')}
      onClose={onClose}
    >
      <ul className={styles['codes']}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </ShownOnce>
  );
}

function TurnOff({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useText();
  const { secondFactorRequired } = useSession().user;
  const client = useQueryClient();
  const { show } = useToasts();
  const send = async ({ password }: Confirmed): Promise<void> => {
    await request('DELETE me/second-factor', { body: { password } });
    void client.invalidateQueries(presenceQuery);
    show({ text: t('account.factor.turnedOff') });
    onClose();
  };
  return (
    <Confirm
      title={t('account.factor.turnOff')}
      text={t(secondFactorRequired ? 'account.factor.turnOff.required' : 'account.factor.turnOff.text')}
      button={t('account.factor.turnOff')}
      look="danger"
      send={send}
      onClose={onClose}
    />
  );
}

interface RenewProps {
  readonly count: number;
  readonly onClose: () => void;
  /** Called after `onClose`. */
  readonly onDone: (codes: readonly string[]) => void;
}

/** Replaces the recovery codes. */
function Renew({ count, onClose, onDone }: RenewProps): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const send = async ({ password, code }: Confirmed): Promise<void> => {
    const body = { password, code: code.replaceAll(/\s/g, '') };
    const { data } = await request('POST me/second-factor/recovery-codes', { body });
    void client.invalidateQueries(recoveryQuery);
    onClose();
    onDone(data.recoveryCodes);
  };
  return (
    <Confirm
      title={t('account.factor.codes.renew')}
      text={t('account.factor.codes.renew.text', { count })}
      button={t('account.factor.codes.renew.confirm')}
      look="primary"
      codeLabel={t('account.factor.codes.renew.code')}
      send={send}
      onClose={onClose}
    />
  );
}

interface Confirmed {
  readonly password: string;
  /** Empty if no code is required. */
  readonly code: string;
}

interface ConfirmProps {
  readonly title: string;
  readonly text: string;
  readonly button: string;
  readonly look: 'primary' | 'danger';
  /** The label of the code; undefined if none is required. */
  readonly codeLabel?: string;
  readonly send: (confirmed: Confirmed) => Promise<void>;
  readonly onClose: () => void;
}

/** Requests the password, and possibly a code, for an action that requires them. */
function Confirm({ title, text, button, look, codeLabel, send, onClose }: ConfirmProps): ReactNode {
  const t = useText();
  const form = useForm({
    initial: { password: '', code: '' },
    check: ({ password, code }) => ({
      password: password === '' ? t('field.password') : undefined,
      code: codeLabel !== undefined && code.trim() === '' ? t('field.code') : undefined,
    }),
    send,
  });
  return (
    <Dialog open onOpenChange={onClose} title={title} text={text}>
      <form className={shared['form']} onSubmit={form.onSubmit} noValidate>
        <FormError error={form.error} />
        <Field label={t('account.password.current')} error={form.errorOf('password')} required>
          <PasswordInput {...form.control('password')} autoComplete="current-password" autoFocus />
        </Field>
        {codeLabel !== undefined && (
          <Field label={codeLabel} error={form.errorOf('code')} required>
            <Input {...form.control('code')} autoComplete="one-time-code" />
          </Field>
        )}
        <div className={shared['actions']}>
          <CancelButton onClick={onClose} />
          <Button type="submit" look={look} busy={form.busy}>
            {button}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** A QR code. It is drawn on this device because it holds a secret. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const { size, path } = useMemo(() => {
    const { size, data } = encode(text, { border: 0 });
    const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : [])));
    return { size, path: squares.join('') };
  }, [text]);
  return (
    <div className={styles['picture']}>
      <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
        <path d={path} fill="currentColor" />
      </svg>
    </div>
  );
}
