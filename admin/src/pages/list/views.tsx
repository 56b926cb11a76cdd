/** The columns and saved views of a list. */
import { type FormEvent, type ReactNode, useMemo, useState } from 'react';
import type { ContentType, Schema } from '../../../contract/schema.ts';
import type { ListSearch } from '../../data/list-search.ts';
import { type SettingCallback, useSetting } from '../../data/lists.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { ArrowDown, ArrowUp, Columns3, LayoutGrid, Pin, Trash } from '../../ui/icons.ts';
import { Input, Select } from '../../ui/input.tsx';
import { Popover } from '../../ui/popover.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import { MARKS } from './columns.tsx';
import { isColumn, type ListField, usualColumns } from './fields.ts';
import styles from './list.module.css';

/** Stored for each type. */
interface Chosen {
  readonly columns?: readonly string[];
  readonly views?: readonly View[];
  /** The page size; 0 if the list scrolls. */
  readonly size?: number;
}

interface View {
  readonly name: string;
  readonly search: ListSearch;
  readonly columns?: readonly string[];
}

/** The maximum number of views of a list. */
const MOST = 20;

/** The page sizes, as in Strapi's panel. */
export const SIZES = [10, 20, 50, 100] as const;
/** Strapi's panel stores this size for every type by default, so it does not count as a choice. */
export const UNARRANGED = 10;

/** The columns, views and page size of a list, and functions that change them. */
export function useChosen(schema: Schema, type: ContentType) {
  const [chosen, set] = useSetting<Chosen>(`list ${type.uid}`);
  const { pageSize } = type.layout;
  const size = chosen?.size ?? (pageSize === UNARRANGED ? 0 : pageSize);
  const usual = useMemo(() => usualColumns(schema, type), [schema, type]);
  const columns = Array.isArray(chosen?.columns) && chosen.columns.length > 0 ? chosen.columns : usual;
  return {
    columns,
    isUsual: columns === usual,
    size: size > 0 ? size : undefined,
    setSize: (next: number) => set((now) => ({ ...now, size: next })),
    views: chosen?.views ?? [],
    setColumns: (next: readonly string[] | undefined) => set((now) => ({ ...now, columns: next ?? [] })),
    setViews: (next: (views: readonly View[]) => readonly View[], callbacks?: SettingCallback) =>
      set((now) => ({ ...now, views: next(now?.views ?? []).slice(-MOST) }), callbacks),
    show: (view: View) => set((now) => ({ ...now, columns: view.columns ?? [] })),
  };
}

interface ColumnsProps {
  readonly type: ContentType;
  readonly schema: Schema;
  readonly fields: readonly ListField[];
  readonly columns: readonly string[];
  readonly isUsual: boolean;
  readonly onColumns: (columns: readonly string[] | undefined) => void;
  /** The page size; undefined if the list scrolls. */
  readonly size: number | undefined;
  readonly onSize: (size: number) => void;
}

export function ColumnsMenu(props: ColumnsProps): ReactNode {
  const { type, schema, fields, columns, isUsual, onColumns, size = 0, onSize } = props;
  const t = useText();
  const labels = new Map<string, string>(fields.filter(isColumn).map(({ name, label }) => [name, label]));
  if (type.draftAndPublish) labels.set('state', t('lists.state'));
  if (type.localized && schema.locales.length > 1) labels.set('locales', t('lists.locales'));
  // The name of a document is always the first column.
  labels.delete(type.layout.mainField);
  const shown = columns.filter((name) => labels.has(name));
  const rest = [...MARKS, ...fields.map(({ name }) => name)].filter(
    (name) => labels.has(name) && !shown.includes(name),
  );
  const put = (next: readonly string[]): void => onColumns([type.layout.mainField, ...next]);
  const move = (name: string, by: number): void => {
    const next = shown.filter((one) => one !== name);
    next.splice(Math.max(0, shown.indexOf(name) + by), 0, name);
    put(next);
  };
  return (
    <Popover
      label={t('lists.columns')}
      trigger={
        <Button look="quiet" icon={Columns3}>
          {t('lists.columns')}
        </Button>
      }
    >
      <ul className={styles['columns']}>
        {[...shown, ...rest].map((name, index) => (
          <li key={name}>
            <Checkbox
              label={labels.get(name)}
              checked={index < shown.length}
              onValue={(on) => put(on ? [...shown, name] : shown.filter((one) => one !== name))}
            />
            {index < shown.length && (
              <span>
                <IconButton
                  icon={ArrowUp}
                  label={t('lists.columns.up', { name: labels.get(name) ?? name })}
                  disabled={index === 0}
                  onClick={() => move(name, -1)}
                />
                <IconButton
                  icon={ArrowDown}
                  label={t('lists.columns.down', { name: labels.get(name) ?? name })}
                  disabled={index === shown.length - 1}
                  onClick={() => move(name, 1)}
                />
              </span>
            )}
          </li>
        ))}
      </ul>
      {!isUsual && (
        <Button look="quiet" onClick={() => onColumns(undefined)}>
          {t('lists.columns.usual')}
        </Button>
      )}
      <div className={styles['sizes']}>
        <Field label={t('lists.size')}>
          <Select
            value={String(size)}
            options={[
              { value: '0', label: t('lists.size.all') },
              ...[...new Set([...SIZES, ...(size > 0 ? [size] : [])])].map((one) => ({
                value: String(one),
                label: t('lists.size.pages', { count: one }),
              })),
            ]}
            onValue={(next) => onSize(Number(next))}
          />
        </Field>
      </div>
    </Popover>
  );
}

interface ViewsProps {
  readonly views: readonly View[];
  readonly search: ListSearch;
  readonly columns: readonly string[];
  readonly onShow: (view: View) => void;
  /** Called with a function that changes the views. */
  readonly onViews: (next: (views: readonly View[]) => readonly View[], callbacks?: SettingCallback) => void;
  /** Opens the layout of the list, for narrow pages; undefined if it is not permitted. */
  readonly onArrange: (() => void) | undefined;
}

export function ViewsMenu({ views, search, columns, onShow, onViews, onArrange }: ViewsProps): ReactNode {
  const t = useText();
  const { show } = useToasts();
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const save = (event: FormEvent): void => {
    event.preventDefault();
    const called = name.trim();
    if (called === '') return;
    const view = { name: called, search: { ...search, page: undefined }, columns };
    onViews((kept) => [...kept.filter((other) => other.name !== called), view], {
      onSuccess: () => show({ text: t('lists.views.kept', { name: called }) }),
      onError: (error) => show({ text: failureText(t, error), tone: 'danger' }),
    });
    setName('');
    setOpen(false);
  };
  return (
    <Popover
      label={t('lists.views')}
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button look="quiet" icon={Pin}>
          {t('lists.views')}
        </Button>
      }
    >
      {views.length > 0 && (
        <ul className={styles['views']}>
          {views.map((view) => (
            <li key={view.name}>
              <button
                type="button"
                className={styles['view']}
                onClick={() => {
                  setOpen(false);
                  onShow(view);
                }}
              >
                {view.name}
              </button>
              <IconButton
                icon={Trash}
                label={t('lists.views.forget', { name: view.name })}
                onClick={() => onViews((kept) => kept.filter(({ name: one }) => one !== view.name))}
              />
            </li>
          ))}
        </ul>
      )}
      <form className={styles['saveView']} onSubmit={save}>
        <Field label={t('lists.views.name')} hint={t('lists.views.hint')}>
          <Input value={name} maxLength={60} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Button type="submit">{t('save')}</Button>
      </form>
      {onArrange && (
        <div className={styles['arrangesHere']}>
          <Button look="quiet" icon={LayoutGrid} onClick={onArrange}>
            {t('layout.open')}
          </Button>
        </div>
      )}
    </Popover>
  );
}
