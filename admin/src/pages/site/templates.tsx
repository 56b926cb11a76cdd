/** The mails to accounts of the site: their senders and texts, with a preview. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { SiteSettings } from '../../../contract/site.ts';
import { useFollowed, useForm } from '../../app/form.ts';
import { SaveButton } from '../../app/save-button.tsx';
import shared from '../../app/settings.module.css';
import { request } from '../../data/client.ts';
import { permits, useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Input, Textarea } from '../../ui/input.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { Section } from '../account/section.tsx';
import { siteQuery } from './data.ts';
import styles from './site.module.css';

type Templates = NonNullable<SiteSettings['templates']>;
type Name = keyof Templates;
type Texts = Templates[Name];

const NAMES = ['reset_password', 'email_confirmation'] as const;

/** The code without which the link of a mail leads to nothing. */
const CODES = { reset_password: 'TOKEN', email_confirmation: 'CODE' } as const;

const COMMON = ['USER.username', 'USER.email', 'SERVER_URL'] as const;

const written = (variable: string): string => `<%= ${variable} %>`;

export function MailTemplates({ templates }: { readonly templates: Templates }): ReactNode {
  const t = useText();
  const [shown, setShown] = useState<Name>('reset_password');
  const tabs = NAMES.map((value) => ({ value, label: t(`site.templates.${value}`) }));
  return (
    <Section title={t('site.templates')}>
      <Tabs label={t('site.templates')} tabs={tabs} value={shown} onValue={setShown}>
        {NAMES.map((name) => (
          <div key={name} hidden={name !== shown} className={styles['template']}>
            <Template name={name} stored={templates[name]} />
          </div>
        ))}
      </Tabs>
    </Section>
  );
}

function Template({ name, stored }: { readonly name: Name; readonly stored: Texts }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const { rights } = useSession();
  const isOpen = permits(rights, 'plugin::users-permissions.email-templates.update');
  const form = useForm<Texts>({
    initial: stored,
    send: async (body) => {
      const { data } = await request('PUT site/templates/:name', { params: { name }, body });
      accept(body, data[name]);
      client.setQueryData(siteQuery.queryKey, (seen) => seen && { ...seen, templates: data });
      show({ text: t('saved') });
    },
  });
  const { differs, accept } = useFollowed(form, stored);
  const { values } = form;
  const code = CODES[name];
  const isUsable = new RegExp(`<%=\\s*${code}\\s*%>`).test(values.message);
  return (
    <form className={shared['form']} onSubmit={form.onSubmit} noValidate>
      <FormError error={form.error} />
      <fieldset disabled={!isOpen} className={shared['form']}>
        <Field label={t('site.templates.from_name')} note={t('optional')} error={form.errorOf('from_name')}>
          <Input {...form.control('from_name')} autoComplete="off" />
        </Field>
        {(['from_email', 'response_email'] as const).map((key) => (
          <Field
            key={key}
            label={t(`site.templates.${key}`)}
            note={t('optional')}
            hint={key === 'from_email' ? t('site.templates.from_email.hint') : undefined}
            error={form.errorOf(key)}
          >
            <Input {...form.control(key)} type="email" inputMode="email" autoComplete="off" spellCheck={false} />
          </Field>
        ))}
        <Field label={t('site.templates.object')} error={form.errorOf('object')}>
          <Input {...form.control('object')} autoComplete="off" />
        </Field>
        <Field
          label={t('site.templates.message')}
          hint={t('site.templates.message.hint')}
          error={form.errorOf('message')}
        >
          <Textarea {...form.control('message')} rows={8} spellCheck={false} />
        </Field>
        {isOpen && <SaveButton differs={differs} busy={form.busy} />}
      </fieldset>
      <p role="status" className={styles['warning']}>
        {!isUsable && t('site.templates.missing', { variable: written(code) })}
      </p>
      <h3 className={styles['part']}>{t('site.templates.variables')}</h3>
      <dl className={styles['facts']}>
        <Variable name="URL" text={t(`site.templates.${name}.URL`)} />
        {[code, ...COMMON].map((variable) => (
          <Variable key={variable} name={variable} text={t(`site.templates.${variable}`)} />
        ))}
      </dl>
      <Preview name={name} texts={values} />
    </form>
  );
}

function Variable({ name, text }: { readonly name: string; readonly text: string }): ReactNode {
  return (
    <div>
      <dt>
        <code>{written(name)}</code>
      </dt>
      <dd>{text}</dd>
    </div>
  );
}

/** The mail as it arrives. Nothing in it can run or load anything. */
function Preview({ name, texts }: { readonly name: Name; readonly texts: Texts }): ReactNode {
  const t = useText();
  const values = new Map([
    ['URL', `https://example.com/${name === 'reset_password' ? 'password' : 'confirmation'}`],
    [CODES[name], '3f1c9a'],
    ['USER.username', 'anna'],
    ['USER.email', 'anna@example.com'],
    ['SERVER_URL', location.origin],
  ]);
  const filled = (text: string): string =>
    text.replaceAll(/<%=\s*([\w.]+)\s*%>/g, (_, variable: string) => values.get(variable) ?? '');
  return (
    <section aria-label={t('site.templates.preview')} className={styles['mail']}>
      <h3 className={styles['part']}>{t('site.templates.preview')}</h3>
      <p dir="auto">{filled(texts.object)}</p>
      <iframe
        sandbox=""
        title={t('site.templates.preview')}
        srcDoc={`<!doctype html><meta name="color-scheme" content="light">${filled(texts.message)}`}
      />
    </section>
  );
}
