/** A person who administers the site: names, roles, signing in, and sessions. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Invitation, PersonWithSessions } from '../../../contract/people.ts';
import { Confirmation, DeleteButton } from '../../app/confirmation.tsx';
import { emailProblem, useFollowed, useForm } from '../../app/form.ts';
import { Missing } from '../../app/not-found.tsx';
import { SaveButton } from '../../app/save-button.tsx';
import { SessionList } from '../../app/session-list.tsx';
import shared from '../../app/settings.module.css';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { request } from '../../data/client.ts';
import { permits, presenceQuery, useSession } from '../../data/session.ts';
import { Around, useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Button } from '../../ui/button.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Lock, Send, ShieldCheck } from '../../ui/icons.ts';
import { Input } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { Section } from '../account/section.tsx';
import { peopleOptionsQuery, peopleQuery, personName, personQuery, showPerson } from './data.ts';
import { InvitationLink } from './invitation-link.tsx';
import { idsIn } from './invite-dialog.tsx';
import styles from './people.module.css';
import { isInvitationOver, PersonState } from './people.tsx';
import { RoleChoice } from './role-choice.tsx';

export function PersonPage(): ReactNode {
  const { administratorId } = useParams({ strict: false }) as { administratorId: string };
  const { rights } = useSession();
  return permits(rights, 'admin::users.read') ? <Stored key={administratorId} id={administratorId} /> : <Missing />;
}

function Stored({ id }: { readonly id: string }): ReactNode {
  const t = useText();
  const { rights } = useSession();
  const { data: person, isError } = useQuery(personQuery(id));
  useTitle(isError ? undefined : person ? personName(person) : t('people.title'));
  if (isError && !person) return <Missing />;
  if (!person) return null;
  const mayUpdate = person.isChangeable && permits(rights, 'admin::users.update');
  const mayDelete = person.isChangeable && permits(rights, 'admin::users.delete') && !person.isYou;
  return (
    <>
      <PageHead title={personName(person)}>
        {mayUpdate && !person.isYou && <Block person={person} />}
        {mayDelete && <Delete person={person} />}
      </PageHead>
      <div className={styles['sections']}>
        <Section title={t('person.about')}>
          <Details key={id} person={person} disabled={!mayUpdate} />
        </Section>
        <SigningIn person={person} mayUpdate={mayUpdate} />
        <Sessions person={person} mayUpdate={mayUpdate} />
      </div>
    </>
  );
}

const textsOf = ({ firstname, lastname, username, email, roles }: PersonWithSessions) => ({
  firstname: firstname ?? '',
  lastname: lastname ?? '',
  username: username ?? '',
  email,
  roles: roles
    .map(({ id }) => id)
    .sort((one, other) => one - other)
    .join(' '),
});

type Texts = ReturnType<typeof textsOf>;

function Details({ person, disabled }: { readonly person: PersonWithSessions; readonly disabled: boolean }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const { data: options } = useQuery(peopleOptionsQuery);
  const initial = textsOf(person);
  const [lost, setLost] = useState<readonly string[]>();
  const held = person.roles.map(({ id }) => id);
  const send = async (sent: Texts): Promise<void> => {
    const body = {
      firstname: sent.firstname.trim() || null,
      lastname: sent.lastname.trim() || null,
      username: sent.username.trim() || null,
      ...(sent.email.trim() !== person.email && { email: sent.email.trim() }),
      ...(sent.roles !== initial.roles && { roles: idsIn(sent.roles) }),
    };
    const { data } = await request('PUT people/:id', { params: { id: String(person.id) }, body });
    showPerson(client, data);
    if (person.isYou) void client.invalidateQueries(presenceQuery);
    accept(sent, textsOf(data));
    show({ text: t('saved') });
  };
  const form = useForm({
    initial,
    check: ({ email, roles }) => ({
      email: emailProblem(t, email),
      roles: roles === '' ? t('people.roles.none') : undefined,
    }),
    send: async (sent) => {
      const revoked = person.roles.filter(({ id }) => !idsIn(sent.roles).includes(id));
      // Roles are not lost by accident.
      if (person.isYou && revoked.length > 0 && lost === undefined) setLost(revoked.map(({ name }) => name));
      else await send(sent);
    },
  });
  const { differs, accept } = useFollowed(form, initial);
  const own = useMutation({
    mutationFn: () => send(form.values),
    onSettled: () => setLost(undefined),
    onError: (error) => show({ text: failureText(t, error), tone: 'danger' }),
  });
  return (
    <form className={shared['form']} onSubmit={form.onSubmit} noValidate>
      <FormError error={form.error} />
      <fieldset disabled={disabled} className={shared['form']}>
        <div className={styles['pair']}>
          <Field label={t('account.firstname')} error={form.errorOf('firstname')}>
            <Input {...form.control('firstname')} autoComplete="off" />
          </Field>
          <Field label={t('account.lastname')} note={t('optional')} error={form.errorOf('lastname')}>
            <Input {...form.control('lastname')} autoComplete="off" />
          </Field>
          <Field label={t('account.username')} note={t('optional')} error={form.errorOf('username')}>
            <Input {...form.control('username')} autoComplete="off" />
          </Field>
          <Field
            label={t('account.email')}
            hint={person.isYou && !disabled ? t('person.email.own') : undefined}
            error={form.errorOf('email')}
            required
          >
            <Input
              {...form.control('email')}
              type="email"
              autoComplete="off"
              spellCheck={false}
              readOnly={!person.isRecoverable || person.isYou}
            />
          </Field>
        </div>
        <RoleChoice
          roles={options?.roles ?? []}
          held={held}
          chosen={idsIn(form.values.roles)}
          error={form.errorOf('roles')}
          disabled={disabled}
          onChosen={(ids) => form.set({ roles: [...ids].sort((one, other) => one - other).join(' ') })}
        />
        {!disabled && <SaveButton differs={differs} busy={form.busy} />}
      </fieldset>
      {lost && (
        <Confirmation
          title={t('person.lose', { roles: lost.join(', ') })}
          text={t('person.lose.text')}
          button={t('person.lose.confirm')}
          busy={own.isPending}
          onClose={() => setLost(undefined)}
          onConfirm={() => own.mutate()}
        />
      )}
    </form>
  );
}

interface PartProps {
  readonly person: PersonWithSessions;
  readonly mayUpdate: boolean;
}

function SigningIn({ person, mayUpdate }: PartProps): ReactNode {
  const t = useText();
  const { rights } = useSession();
  const { data: options } = useQuery(peopleOptionsQuery);
  const [invitation, setInvitation] = useState<Invitation>();
  const { show } = useToasts();
  const client = useQueryClient();
  const { id, email, state, invitedUntil, lastUsedAt, secondFactor, secondFactorRequired } = person;
  const invite = useMutation({
    mutationFn: (mail: boolean) =>
      request('POST people/:id/invitation', { params: { id: String(id) }, body: { mail } }),
    onSuccess: ({ data }) => {
      setInvitation(data);
      void client.invalidateQueries({ queryKey: personQuery(String(id)).queryKey });
      void client.invalidateQueries({ queryKey: peopleQuery.queryKey });
    },
    onError: (error) => show({ text: failureText(t, error), tone: 'danger' }),
  });
  const mayInvite = state === 'invited' && person.isRecoverable && permits(rights, 'admin::users.create');
  const mayReset = secondFactor && mayUpdate && person.isRecoverable && !person.isYou;
  return (
    <Section title={t('person.signIn')}>
      <div className={shared['line']}>
        <p>
          <PersonState person={person} />
          {!isInvitationOver(person) && ' · '}
          {isInvitationOver(person) ? null : state === 'invited' && invitedUntil !== null ? (
            <Around text={t('person.invitedUntil', { when: '\0' })} at={invitedUntil} isAhead />
          ) : lastUsedAt === null ? (
            t('people.neverUsed')
          ) : (
            <Around text={t('account.sessions.used', { when: '\0' })} at={lastUsedAt} />
          )}
        </p>
        {mayInvite && (
          <Button icon={Send} busy={invite.isPending} onClick={() => invite.mutate(options?.isMailed === true)}>
            {t('person.invite')}
          </Button>
        )}
      </div>
      <div className={shared['line']}>
        <p>{t(secondFactor ? 'person.factor.on' : secondFactorRequired ? 'person.factor.due' : 'person.factor.off')}</p>
        {mayReset && <ResetFactor person={person} />}
      </div>
      {invitation && <InvitationLink email={email} invitation={invitation} onClose={() => setInvitation(undefined)} />}
    </Section>
  );
}

function Sessions({ person, mayUpdate }: PartProps): ReactNode {
  const t = useText();
  const end = usePersonRequest(t('person.sessions.ended'), (session: string | undefined) => {
    const id = String(person.id);
    return session === undefined
      ? request('DELETE people/:id/sessions', { params: { id } })
      : request('DELETE people/:id/sessions/:sessionId', { params: { id, sessionId: session } });
  });
  const { sessions } = person;
  const others = sessions.filter(({ current }) => !current);
  return (
    <Section title={t('person.sessions')}>
      {sessions.length === 0 && <p className={shared['quiet']}>{t('person.sessions.none')}</p>}
      <SessionList
        sessions={sessions}
        disabled={end.isPending}
        onEnd={mayUpdate ? ({ id }) => end.mutate(id) : undefined}
      />
      {mayUpdate && others.length > 1 && (
        <div className={shared['others']}>
          <Button busy={end.isPending} onClick={() => end.mutate(undefined)}>
            {t(person.isYou ? 'account.sessions.endOthers' : 'person.sessions.endAll')}
          </Button>
        </div>
      )}
    </Section>
  );
}

/** A request that answers with the changed person. */
function usePersonRequest<Input>(
  done: string,
  send: (input: Input) => Promise<{ readonly data: PersonWithSessions }>,
  onDone?: () => void,
) {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  return useMutation({
    mutationFn: send,
    onSuccess: ({ data }) => {
      showPerson(client, data);
      show({ text: done });
      onDone?.();
    },
    onError: (error) => show({ text: failureText(t, error), tone: 'danger' }),
  });
}

function ResetFactor({ person }: { readonly person: PersonWithSessions }): ReactNode {
  const t = useText();
  const [isAsking, setAsking] = useState(false);
  const reset = usePersonRequest(
    t('person.factor.reset.done'),
    () => request('DELETE people/:id/second-factor', { params: { id: String(person.id) } }),
    () => setAsking(false),
  );
  return (
    <>
      <Button icon={ShieldCheck} onClick={() => setAsking(true)}>
        {t('person.factor.reset')}
      </Button>
      {isAsking && (
        <Confirmation
          title={t('person.factor.reset.title', { name: personName(person) })}
          text={t('person.factor.reset.text')}
          button={t('person.factor.reset')}
          busy={reset.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => reset.mutate(undefined)}
        />
      )}
    </>
  );
}

function Block({ person }: { readonly person: PersonWithSessions }): ReactNode {
  const t = useText();
  const [isAsking, setAsking] = useState(false);
  const params = { id: String(person.id) };
  const block = usePersonRequest(
    t('person.blocked'),
    () => request('POST people/:id/block', { params }),
    () => setAsking(false),
  );
  const unblock = usePersonRequest(t('person.unblocked'), () => request('POST people/:id/unblock', { params }));
  if (person.state === 'blocked' || person.state === 'deactivated') {
    return (
      <Button icon={Lock} busy={unblock.isPending} onClick={() => unblock.mutate(undefined)}>
        {t('person.unblock')}
      </Button>
    );
  }
  return (
    <>
      <Button icon={Lock} onClick={() => setAsking(true)}>
        {t('person.block')}
      </Button>
      {isAsking && (
        <Confirmation
          title={t('person.block.title', { name: personName(person) })}
          text={t(person.state === 'invited' ? 'person.block.invited' : 'person.block.text')}
          button={t('person.block')}
          busy={block.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => block.mutate(undefined)}
        />
      )}
    </>
  );
}

function Delete({ person }: { readonly person: PersonWithSessions }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { show } = useToasts();
  const remove = useMutation({
    mutationFn: () => request('DELETE people/:id', { params: { id: String(person.id) } }),
    onSuccess: async () => {
      await navigate({ to: '/people', replace: true });
      client.removeQueries({ queryKey: personQuery(String(person.id)).queryKey });
      void client.invalidateQueries({ queryKey: peopleQuery.queryKey });
      void client.invalidateQueries({ queryKey: ['roles'] });
      show({ text: t('person.deleted') });
    },
    onError: (error) => show({ text: failureText(t, error), tone: 'danger' }),
  });
  return (
    <DeleteButton
      label={t('person.delete')}
      title={t('person.delete.title', { name: personName(person) })}
      text={t('person.delete.text')}
      remove={remove}
    />
  );
}
