/** The name of the site in the app, and the time zone of its dates and times. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import type { SiteSettings } from '../../../contract/site.ts';
import { useForm } from '../../app/form.ts';
import { SaveButton } from '../../app/save-button.tsx';
import shared from '../../app/settings.module.css';
import { request } from '../../data/client.ts';
import { schemaQuery } from '../../data/schema.ts';
import { isSuper, useSession } from '../../data/session.ts';
import { DEVICE_ZONE } from '../../data/zone.ts';
import { useText } from '../../language/language.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { Section } from '../account/section.tsx';
import { siteQuery } from './data.ts';
import { Fact, Facts } from './facts.tsx';

type Site = SiteSettings['site'];

/** Characters of a name, as the server accepts them. */
const NAME_LENGTH = 60;
/** The option for the zone of each reader. */
const OWN = 'own';

export function General({ site }: { readonly site: Site }): ReactNode {
  const t = useText();
  const session = useSession();
  const { name, timeZone, projectName, url, serverTimeZone } = site;
  return (
    <Section title={t('site.general')}>
      <div className={shared['form']}>
        {isSuper(session) && <Names key={`${name} ${timeZone}`} site={site} />}
        <Facts>
          {!isSuper(session) && (
            <Fact label={t('site.name')} of={null}>
              {name ?? projectName}
            </Fact>
          )}
          <Fact label={t('site.url')} of={url}>
            {url.value ?? t('site.none')}
          </Fact>
          <Fact label={t('site.serverZone')} of={serverTimeZone}>
            {serverTimeZone.value}
          </Fact>
        </Facts>
      </div>
    </Section>
  );
}

function Names({ site }: { readonly site: Site }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const initial = { name: site.name ?? '', timeZone: site.timeZone ?? OWN };
  const form = useForm({
    initial,
    send: async ({ name, timeZone }) => {
      const body = { name: name.trim() || null, timeZone: timeZone === OWN ? null : timeZone };
      const { data } = await request('PUT site', { body });
      client.setQueryData(siteQuery.queryKey, (seen) => seen && { ...seen, site: data });
      await client.invalidateQueries({ queryKey: schemaQuery.queryKey });
      show({ text: t('saved') });
    },
  });
  const zones = useMemo(
    () => [
      { value: OWN, label: t('site.zone.own', { zone: DEVICE_ZONE }) },
      ...Intl.supportedValuesOf('timeZone').map((value) => ({ value, label: value })),
    ],
    [t],
  );
  const { name, timeZone } = form.values;
  const differs = name.trim() !== initial.name || timeZone !== initial.timeZone;
  return (
    <form className={shared['form']} onSubmit={form.onSubmit} noValidate>
      <FormError error={form.error} />
      <Field label={t('site.name')} note={t('optional')} hint={t('site.name.hint')} error={form.errorOf('name')}>
        <Input {...form.control('name')} maxLength={NAME_LENGTH} placeholder={site.projectName} autoComplete="off" />
      </Field>
      <Field label={t('site.zone')} hint={t('site.zone.hint')} error={form.errorOf('timeZone')}>
        <Combobox value={timeZone} options={zones} onChoose={({ value }) => form.set({ timeZone: value })} />
      </Field>
      <SaveButton differs={differs} busy={form.busy} />
    </form>
  );
}
