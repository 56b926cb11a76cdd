/** An API token: its rights, its use, a new secret, and revoking it. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { TokenDetails } from '../../../contract/permissions.ts';
import { Confirmation, DeleteButton } from '../../app/confirmation.tsx';
import { useForm } from '../../app/form.ts';
import { Missing } from '../../app/not-found.tsx';
import shared from '../../app/settings.module.css';
import { ShownOnce } from '../../app/shown-once.tsx';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { type AnswerOf, request } from '../../data/client.ts';
import { useSession } from '../../data/session.ts';
import { Moment, useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { failureText } from '../../language/refusal-text.ts';
import { Skeleton } from '../../ui/bits.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Field, FormError } from '../../ui/field.tsx';
import { KeyRound, Send } from '../../ui/icons.ts';
import { Input, Select } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { subjectsQuery } from '../permissions/data.ts';
import {
  GrantEditor,
  KindField,
  type StoredGrants,
  TOKEN_KINDS,
  type TokenKind,
} from '../permissions/grant-editor.tsx';
import { Matrix } from '../permissions/matrix.tsx';
import permissions from '../permissions/permissions.module.css';
import { maySeeTokens, mayTokens, tokenQuery, tokensQuery } from './data.ts';
import styles from './tokens.module.css';
import { isOver } from './tokens.tsx';

/** The lifetimes to choose from, in days. */
const DAYS = [7, 30, 90, 365] as const;

export function TokenPage(): ReactNode {
  const { tokenId } = useParams({ strict: false }) as { tokenId: string };
  const { rights } = useSession();
  if (tokenId === 'new') return mayTokens(rights, 'create') ? <NewToken /> : <Missing />;
  return maySeeTokens(rights) ? <Stored key={tokenId} id={tokenId} /> : <Missing />;
}

const lifetimes = (t: Text) => [
  ...DAYS.map((days) => ({ value: String(days), label: t('tokens.life.days', { count: days }) })),
  { value: 'forever', label: t('tokens.life.forever') },
];

/** The days of a chosen lifetime; null: unlimited. */
const daysOf = (life: string): number | null => (life === 'forever' ? null : Number(life));

function NewToken(): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { rights } = useSession();
  const { data: subjects } = useQuery(subjectsQuery);
  const [created, setMade] = useState<AnswerOf<'POST tokens'>['data']>();
  useTitle(t('tokens.new'));
  const form = useForm({
    // `permissions` is JSON, so that its errors are shown like those of other fields.
    initial: { name: '', description: '', life: '90', type: 'read-only', permissions: '[]' },
    check: ({ name, type, permissions: actions }) => ({
      name: name.trim() === '' ? t('field.name') : undefined,
      permissions: type === 'custom' && actions === '[]' ? t('tokens.permissions.none') : undefined,
    }),
    send: async ({ name, description, life, type, permissions: actions }) => {
      const kind = type as TokenKind;
      const body = {
        ...{ name: name.trim(), description: description.trim(), type: kind, days: daysOf(life) },
        permissions: kind === 'custom' ? (JSON.parse(actions) as string[]) : [],
      };
      setMade((await request('POST tokens', { body })).data);
      void client.invalidateQueries({ queryKey: tokensQuery.queryKey, exact: true });
    },
  });
  const granted = new Set(JSON.parse(form.values.permissions) as string[]);
  const open = (): void => {
    if (!created) return;
    const params = { tokenId: String(created.id) };
    void navigate(
      maySeeTokens(rights) ? { to: '/tokens/$tokenId', params, replace: true } : { to: '/', replace: true },
    );
  };
  return (
    <>
      <PageHead title={t('tokens.new')} />
      <form className={permissions['page']} onSubmit={form.onSubmit} noValidate>
        <FormError error={form.error} />
        <div className={permissions['fields']}>
          <Field label={t('perms.role.name')} error={form.errorOf('name')} required>
            <Input {...form.control('name')} autoComplete="off" />
          </Field>
          <Field label={t('perms.role.description')} note={t('optional')} error={form.errorOf('description')}>
            <Input {...form.control('description')} autoComplete="off" />
          </Field>
          <Field label={t('tokens.life')} error={form.errorOf('life')}>
            <Select value={form.values.life} options={lifetimes(t)} onValue={(life) => form.set({ life })} />
          </Field>
          <KindField value={form.values.type as TokenKind} onValue={(type) => form.set({ type })} />
        </div>
        {form.values.type === 'custom' && (
          <section className={permissions['permissions']} aria-label={t('perms.matrix')}>
            <h2 className={shared['heading']}>{t('perms.matrix')}</h2>
            {subjects ? (
              <Matrix
                subjects={subjects}
                audience={{ kind: 'token' }}
                granted={granted}
                stored={granted}
                rules={[]}
                disabled={false}
                as={undefined}
                onChange={(next) => form.set({ permissions: JSON.stringify([...next]) })}
              />
            ) : (
              <Skeleton width="60%" />
            )}
            <FormError error={form.errorOf('permissions')} />
          </section>
        )}
        <div>
          <Button type="submit" look="primary" busy={form.busy}>
            {t('tokens.make')}
          </Button>
        </div>
      </form>
      {created && <Secret secret={created.secret} onClose={open} />}
    </>
  );
}

function Secret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }): ReactNode {
  const t = useText();
  return (
    <ShownOnce title={t('tokens.secret.title')} text={t('tokens.secret.text')} value={secret} onClose={onClose}>
      <code className={shared['secret']}>{secret}</code>
    </ShownOnce>
  );
}

const grantsOf = ({ name, description, type, permissions: actions, tag }: TokenDetails): StoredGrants => ({
  ...{ name, description, actions, tag },
  type: TOKEN_KINDS.find((kind) => kind === type) ?? 'read-only',
});

function Stored({ id }: { readonly id: string }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { rights } = useSession();
  const { data: token, isError } = useQuery(tokenQuery(id));
  useTitle(isError ? undefined : (token?.name ?? t('tokens.title')));
  if (isError && !token) return <Missing />;
  if (!token) return null;
  const mayUpdate = mayTokens(rights, 'update');
  const as = `token:${token.id}`;
  const refresh = (data: TokenDetails): void => {
    client.setQueryData(tokenQuery(id).queryKey, data);
    void client.invalidateQueries({ queryKey: tokensQuery.queryKey, exact: true });
  };
  return (
    <>
      <PageHead title={token.name}>
        {mayTokens(rights, 'delete') && <Revoke token={token} />}
        <ButtonLink icon={Send} to={'/explore' as never} search={{ as } as never}>
          {t('perms.try.token')}
        </ButtonLink>
      </PageHead>
      <div className={permissions['page']}>
        {!mayUpdate && <p className={permissions['lead']}>{t('perms.role.readOnly')}</p>}
        <Facts token={token} />
        {mayTokens(rights, 'regenerate') && (
          <Rotate token={token} mayRenew={mayTokens(rights, 'create')} onRotated={refresh} />
        )}
        <GrantEditor
          stored={grantsOf(token)}
          audience={{ kind: 'token' }}
          rules={token.rules}
          disabled={!mayUpdate}
          as={as}
          onSave={async ({ name, description, type, actions }, ifMatch) => {
            const kind = type ?? 'read-only';
            const body = {
              ...{ name: name.trim(), description: description.trim(), type: kind },
              permissions: kind === 'custom' ? actions : [],
            };
            const { data } = await request('PUT tokens/:id', { params: { id }, body, ifMatch });
            refresh(data);
            return grantsOf(data);
          }}
          storedIn={(current) => {
            refresh(current as TokenDetails);
            return grantsOf(current as TokenDetails);
          }}
        />
      </div>
    </>
  );
}

function Facts({
  token: { createdAt, createdBy, lastUsedAt, expiresAt },
}: {
  readonly token: TokenDetails;
}): ReactNode {
  const t = useText();
  return (
    <dl className={styles['facts']} aria-label={t('tokens.facts')}>
      <dt>{t('tokens.created')}</dt>
      <dd>
        {createdAt !== null && <Moment at={createdAt} />}{' '}
        {createdBy !== null && t('tokens.by', { name: createdBy.name })}
      </dd>
      <dt>{t('tokens.used')}</dt>
      <dd>{lastUsedAt === null ? t('tokens.never') : <Moment at={lastUsedAt} />}</dd>
      <dt>{t('tokens.expires')}</dt>
      <dd>
        {expiresAt === null ? (
          t('tokens.never')
        ) : (
          <span className={isOver(expiresAt) ? styles['over'] : undefined}>
            {isOver(expiresAt) && `${t('tokens.expired')} · `}
            <Moment at={expiresAt} isAhead />
          </span>
        )}
      </dd>
    </dl>
  );
}

interface RotateProps {
  readonly token: TokenDetails;
  /** Whether the lifetime may change too. */
  readonly mayRenew: boolean;
  readonly onRotated: (token: TokenDetails) => void;
}

function Rotate({ token: { id, name }, mayRenew, onRotated }: RotateProps): ReactNode {
  const t = useText();
  const { show } = useToasts();
  const [isAsking, setAsking] = useState(false);
  const [life, setLife] = useState('same');
  const rotate = useMutation({
    mutationFn: () => {
      const body = life === 'same' ? {} : { days: daysOf(life) };
      return request('POST tokens/:id/secret', { params: { id: String(id) }, body });
    },
    onSuccess: ({ data: { secret: _secret, ...token } }) => {
      setAsking(false);
      onRotated(token);
    },
    onError: (error) => show({ text: failureText(t, error), tone: 'danger', retry: () => rotate.mutate() }),
  });
  return (
    <div className={classes(shared['line'], styles['line'])}>
      <p>{t('tokens.rotate.lead')}</p>
      <Button icon={KeyRound} onClick={() => setAsking(true)}>
        {t('tokens.rotate')}
      </Button>
      {isAsking && (
        <Confirmation
          title={t('tokens.rotate.title', { name })}
          text={t('tokens.rotate.text')}
          button={t('tokens.rotate')}
          busy={rotate.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => rotate.mutate()}
        >
          {mayRenew && (
            <Field label={t('tokens.life')}>
              <Select
                value={life}
                options={[{ value: 'same', label: t('tokens.life.same') }, ...lifetimes(t)]}
                onValue={setLife}
              />
            </Field>
          )}
        </Confirmation>
      )}
      {rotate.data && <Secret secret={rotate.data.data.secret} onClose={() => rotate.reset()} />}
    </div>
  );
}

function Revoke({ token: { id, name } }: { readonly token: TokenDetails }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { show } = useToasts();
  const revoke = useMutation({
    mutationFn: () => request('DELETE tokens/:id', { params: { id: String(id) } }),
    onSuccess: async () => {
      await navigate({ to: '/tokens', replace: true, ignoreBlocker: true });
      client.removeQueries({ queryKey: tokenQuery(String(id)).queryKey });
      void client.invalidateQueries({ queryKey: tokensQuery.queryKey, exact: true });
      show({ text: t('tokens.revoked') });
    },
    onError: (error) => show({ text: failureText(t, error), tone: 'danger', retry: () => revoke.mutate() }),
  });
  return (
    <DeleteButton
      label={t('tokens.revoke')}
      title={t('tokens.revoke.title', { name })}
      text={t('tokens.revoke.text')}
      remove={revoke}
    />
  );
}
