/** The locales of the project, and untranslated documents. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Locale } from '../../../contract/site.ts';
import { Missing } from '../../app/not-found.tsx';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { request } from '../../data/client.ts';
import { localeLabel } from '../../data/locales.ts';
import { permits, useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Chip, Skeleton } from '../../ui/bits.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Ellipsis, Pencil, Pin, Plus, Trash } from '../../ui/icons.ts';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { AddDialog } from './add-dialog.tsx';
import { localesQuery, refreshLocales } from './data.ts';
import styles from './locales.module.css';
import { RemoveDialog } from './remove-dialog.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { Untranslated } from './untranslated.tsx';

export function LocalesPage(): ReactNode {
  const t = useText();
  const { rights } = useSession();
  const may = permits(rights, 'plugin::i18n.locale.read');
  const { data, isError } = useQuery({ ...localesQuery, enabled: may });
  const [isAdding, setAdding] = useState(false);
  const isMissing = !may || (isError && !data);
  useTitle(isMissing ? undefined : t('locales.title'));
  if (isMissing) return <Missing />;
  return (
    <>
      <PageHead title={t('locales.title')} {...(data ? { count: data.length } : {})}>
        {permits(rights, 'plugin::i18n.locale.create') && (
          <Button look="primary" icon={Plus} onClick={() => setAdding(true)}>
            {t('locales.add')}
          </Button>
        )}
      </PageHead>
      <div className={styles['page']}>
        <ul aria-label={t('locales.title')}>
          {data === undefined ? (
            <li className={styles['row']}>
              <Skeleton width="40%" />
            </li>
          ) : (
            data.map((locale) => <Row key={locale.id} locale={locale} />)
          )}
        </ul>
        {data && <Untranslated locales={data} />}
      </div>
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
    </>
  );
}

function Row({ locale }: { readonly locale: Locale }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const { rights } = useSession();
  const [above, setAbove] = useState<'rename' | 'remove'>();
  const { id, name, isDefault } = locale;
  const mayUpdate = permits(rights, 'plugin::i18n.locale.update');
  const mayRemove = permits(rights, 'plugin::i18n.locale.delete') && !isDefault;
  const makeDefault = useMutation({
    mutationFn: (chosen: number) =>
      request('PUT locales/:id', { params: { id: String(chosen) }, body: { isDefault: true } }),
    onSuccess: async ({ data }) => {
      const before = client.getQueryData(localesQuery.queryKey)?.find((one) => one.isDefault);
      await refreshLocales(client);
      const isOther = before !== undefined && before.id !== data.id;
      show({
        text: t('locales.defaultSet', { name: data.name }),
        ...(isOther && { undo: () => makeDefault.mutate(before.id) }),
      });
    },
    onError: (error, chosen) =>
      show({ text: failureText(t, error), tone: 'danger', retry: () => makeDefault.mutate(chosen) }),
  });
  const close = (): void => setAbove(undefined);
  return (
    <li className={styles['row']}>
      <p className={styles['name']} dir="auto">
        {localeLabel(locale)}
      </p>
      {isDefault && <Chip>{t('locales.default')}</Chip>}
      {(mayUpdate || mayRemove) && (
        <Menu align="end" trigger={<IconButton icon={Ellipsis} label={t('locales.actions', { name })} />}>
          {mayUpdate && (
            <MenuItem icon={Pencil} onSelect={() => setAbove('rename')}>
              {t('locales.rename')}
            </MenuItem>
          )}
          {mayUpdate && !isDefault && (
            <MenuItem icon={Pin} onSelect={() => makeDefault.mutate(id)}>
              {t('locales.makeDefault')}
            </MenuItem>
          )}
          {mayRemove && (
            <MenuItem icon={Trash} dangerous onSelect={() => setAbove('remove')}>
              {t('locales.remove')}
            </MenuItem>
          )}
        </Menu>
      )}
      {above === 'rename' && <RenameDialog locale={locale} onClose={close} />}
      {above === 'remove' && <RemoveDialog locale={locale} onClose={close} />}
    </li>
  );
}
