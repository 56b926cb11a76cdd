/** Saved requests of the administrator. */
import { type FormEvent, type ReactNode, useState } from 'react';
import type { ExploreSearch } from '../../data/explore-search.ts';
import { useSetting } from '../../data/lists.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Link as LinkIcon, Save, Trash } from '../../ui/icons.ts';
import { Input } from '../../ui/input.tsx';
import { Popover } from '../../ui/popover.tsx';
import { useToasts } from '../../ui/toast.tsx';
import styles from './explore.module.css';
import { useCopy } from './use-copy.ts';

interface SavedRequest {
  readonly name: string;
  readonly search: ExploreSearch;
}

/** The most saved requests, and characters of one and of all: the server limits settings. */
const MOST = 30;
const LONGEST = 4000;
const ALL = 15_000;

interface Props {
  readonly search: ExploreSearch;
  readonly hrefOf: (search: ExploreSearch) => string;
  readonly onOpen: (search: ExploreSearch) => void;
}

/** Every key, so that nothing of the current request remains. */
const WHOLE: ExploreSearch = {
  uid: undefined,
  action: undefined,
  as: undefined,
  path: undefined,
  query: undefined,
  body: undefined,
};

export function SavedRequests({ search, hrefOf, onOpen }: Props): ReactNode {
  const t = useText();
  const copy = useCopy();
  const { show } = useToasts();
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [stored, set] = useSetting<readonly SavedRequest[]>('explore');
  const saved = Array.isArray(stored) ? stored : [];
  const written = name.trim();
  const next = [...saved.filter((one) => one.name !== written), { name: written, search }];
  const isTooMuch = next.length > MOST || JSON.stringify(search).length > LONGEST || JSON.stringify(next).length > ALL;
  const notice = (text: string) => ({
    onSuccess: () => show({ text }),
    onError: (error: unknown) => show({ text: failureText(t, error), tone: 'danger' as const }),
  });
  const save = (event: FormEvent): void => {
    event.preventDefault();
    if (written === '' || isTooMuch) return;
    set((now) => [...(now ?? []).filter((one) => one.name !== written), { name: written, search }], notice(t('saved')));
    setName('');
  };
  return (
    <Popover
      label={t('explore.saved')}
      open={open}
      onOpenChange={setOpen}
      trigger={<Button icon={Save}>{t('explore.saved')}</Button>}
    >
      <div className={styles['saved']}>
        {saved.length === 0 ? (
          <p className={styles['quiet']}>{t('explore.saved.none')}</p>
        ) : (
          <ul>
            {saved.map((one) => (
              <li key={one.name}>
                <button
                  type="button"
                  className={styles['open']}
                  onClick={() => {
                    onOpen({ ...WHOLE, ...one.search });
                    setOpen(false);
                  }}
                >
                  {one.name}
                </button>
                <IconButton
                  icon={LinkIcon}
                  label={t('explore.saved.link', { name: one.name })}
                  onClick={() => copy(hrefOf({ ...WHOLE, ...one.search }), t('explore.linkCopied'))}
                />
                <IconButton
                  icon={Trash}
                  label={t('explore.saved.remove', { name: one.name })}
                  onClick={() =>
                    set(
                      (now) => (now ?? []).filter(({ name: other }) => other !== one.name),
                      notice(t('explore.saved.removed')),
                    )
                  }
                />
              </li>
            ))}
          </ul>
        )}
        <form onSubmit={save} className={styles['stack']}>
          <Field
            label={t('explore.saved.name')}
            error={written !== '' && isTooMuch ? t('explore.saved.tooMuch', { count: MOST }) : undefined}
          >
            <Input value={name} maxLength={80} autoComplete="off" onChange={({ target }) => setName(target.value)} />
          </Field>
          <div>
            <Button type="submit" look="primary" disabled={written === '' || isTooMuch}>
              {t('explore.saved.save')}
            </Button>
          </div>
        </form>
      </div>
    </Popover>
  );
}
