/** The command palette: one field for pages, actions and content. */
import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, use, useEffect, useId, useMemo, useRef, useState } from 'react';
import { chooseTheme } from '../data/theme.ts';
import { layerBelow, useLayer } from '../keys/layers.ts';
import { useText } from '../language/language.tsx';
import { BareDialog } from '../ui/dialog.tsx';
import { LogOut, Moon, Search, Sun } from '../ui/icons.ts';
import { KeyCaps } from '../ui/kbd.tsx';
import { usePress } from '../ui/press.ts';
import { useSignOut } from './me-menu.tsx';
import styles from './palette.module.css';
import { fit, PaletteContext, type PaletteItem } from './palette-sources.tsx';
import type { Place } from './places.ts';

interface Props {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly places: readonly Place[];
  /** Returns the text that was typed before the field appeared. */
  readonly typedAhead: () => string;
}

/** The pause in typing, in milliseconds, after which the server is searched. */
const RESTED = 120;

export function Palette({ open, ...rest }: Props): ReactNode {
  const t = useText();
  return (
    <BareDialog open={open} onOpenChange={rest.onOpenChange} title={t('palette.label')}>
      <Content {...rest} />
    </BareDialog>
  );
}

function Content({ onOpenChange, places, typedAhead }: Omit<Props, 'open'>): ReactNode {
  const t = useText();
  const id = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const own = useOwnItems(places);
  const results = useResults(text);
  const items = useMemo(() => {
    const fitting = own
      .map((item) => ({ item, score: fit(`${item.label} ${item.note ?? ''} ${item.words ?? ''}`, text) }))
      .filter((entry): entry is { item: PaletteItem; score: number } => entry.score !== undefined)
      .sort((a, b) => a.score - b.score)
      .map(({ item }) => item);
    const ofPage = results.filter(({ isOfPage }) => isOfPage);
    const others = results.filter(({ isOfPage }) => !isOfPage);
    // Groups appear in the order of their first items.
    return [...Map.groupBy([...ofPage, ...fitting, ...others], ({ group }) => group).values()].flat();
  }, [own, results, text]);
  const current = Math.min(at, items.length - 1);
  useEffect(() => {
    list.current?.querySelector('[data-current]')?.scrollIntoView({ block: 'nearest' });
  });

  const run = (item: PaletteItem | undefined): void => {
    if (!item) return;
    onOpenChange(false);
    item.run();
  };
  const press = usePress<PaletteItem>(run);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((current + step + items.length) % Math.max(1, items.length));
    else if (event.key === 'Enter') run(items[current]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className={styles['field']}>
        <Search size={18} />
        <input
          role="combobox"
          dir="auto"
          aria-label={t('palette.label')}
          aria-expanded="true"
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={items[current] && `${id}-${current}`}
          autoComplete="off"
          spellCheck={false}
          className={styles['input']}
          placeholder={t('palette.label')}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onFocus={() => {
            // The browser selects the text of the empty field, so the caret is placed after the text by hand.
            const ahead = typedAhead();
            if (ahead !== '') setText((now) => ahead + now);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div ref={list} id={id} role="listbox" aria-label={t('palette.label')} className={styles['list']}>
        {items.map((item, index) => {
          const opens = items[index - 1]?.group !== item.group;
          const { icon: Icon } = item;
          return [
            opens && (
              <div key={`group ${item.group}`} role="presentation" className={styles['heading']}>
                {item.group}
              </div>
            ),
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
            <div
              key={item.id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === current}
              data-current={index === current ? '' : undefined}
              className={styles['item']}
              onPointerMove={() => setAt(index)}
              {...press(item)}
            >
              {Icon && <Icon />}
              <span dir="auto" className={styles['label']}>
                {item.label}
              </span>
              {item.note !== undefined && <span className={styles['note']}>{item.note}</span>}
              {item.keys !== undefined && <KeyCaps keys={item.keys} />}
            </div>,
          ];
        })}
      </div>
      <p className={styles['foot']} role="status">
        {items.length === 0 ? (
          t('palette.none', { query: text })
        ) : (
          <span className={styles['keys']}>{t('palette.hint')}</span>
        )}
      </p>
    </>
  );
}

/** Items that need no request. */
function useOwnItems(places: readonly Place[]): readonly PaletteItem[] {
  const t = useText();
  const router = useRouter();
  const signOut = useSignOut();
  const go = t('palette.go');
  const act = t('palette.do');
  return [
    ...places.map(({ id, label, icon, words, letter, link, group }) => ({
      id,
      label,
      icon,
      group: go,
      ...(words === undefined ? {} : { words }),
      // Two types may have the same name.
      ...(group === undefined || group === 'start' ? {} : { note: t(`rail.${group}`) }),
      ...(letter === undefined ? {} : { keys: `g ${letter}` }),
      run: () => void router.navigate(link as never),
    })),
    {
      id: 'light',
      label: t('theme.light'),
      note: t('theme.label'),
      icon: Sun,
      group: act,
      run: () => chooseTheme('light'),
    },
    {
      id: 'dark',
      label: t('theme.dark'),
      note: t('theme.label'),
      icon: Moon,
      group: act,
      run: () => chooseTheme('dark'),
    },
    { id: 'out', label: t('me.signOut'), icon: LogOut, group: act, run: signOut },
  ];
}

/**
 * The items of all sources. The previous ones stay until all sources have returned. Actions of a page or a dialog are left
 * out while another dialog, over which the palette was opened, covers it.
 */
function useResults(text: string): readonly PaletteItem[] {
  const sources = use(PaletteContext);
  const own = useLayer();
  const [found, setFound] = useState<readonly PaletteItem[]>([]);
  useEffect(() => {
    const controller = new AbortController();
    const below = layerBelow(own);
    const ask = async (): Promise<void> => {
      const answers = await Promise.allSettled(
        (sources?.all() ?? []).map(async ({ source, layer }) => {
          const items = await source(text, controller.signal);
          return layer === below ? items : items.filter(({ isOfPage }) => !isOfPage);
        }),
      );
      if (controller.signal.aborted) return;
      setFound(answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])));
    };
    const timer = setTimeout(() => void ask(), text === '' ? 0 : RESTED);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, sources, own]);
  return found;
}
