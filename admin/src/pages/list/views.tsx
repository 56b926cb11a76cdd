/** Columns of one's choice, and views: what a list shows, kept under a name. */
import { type FormEvent, type ReactNode, useMemo, useState } from 'react';
import type { ContentType, Schema } from '../../../contract/schema.ts';
import type { ListSearch } from '../../data/list-search.ts';
import { useSetting } from '../../data/lists.ts';
import { useText } from '../../language/language.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { ArrowDown, ArrowUp, Columns3, Pin, Trash } from '../../ui/icons.ts';
import { Input } from '../../ui/input.tsx';
import { Popover } from '../../ui/popover.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import { MARKS } from './columns.tsx';
import { isColumn, type ListField, usualColumns } from './fields.ts';
import styles from './list.module.css';

/** Kept for each type. */
interface Chosen {
  readonly columns?: readonly string[];
  readonly views?: readonly View[];
}

interface View {
  readonly name: string;
  readonly search: ListSearch;
  readonly columns?: readonly string[];
}

/** Views of one list. */
const MOST = 20;

/** The columns and the views of a list, and what changes them. */
export function useChosen(schema: Schema, type: ContentType) {
  const [chosen, set] = useSetting<Chosen>(`list ${type.uid}`);
  const usual = useMemo(() => usualColumns(schema, type), [schema, type]);
  const columns = Array.isArray(chosen?.columns) && chosen.columns.length > 0 ? chosen.columns : usual;
  return {
    columns,
    isUsual: columns === usual,
    views: chosen?.views ?? [],
    setColumns: (next: readonly string[] | undefined) => set({ ...chosen, columns: next ?? [] }),
    setViews: (next: readonly View[]) => set({ ...chosen, views: next.slice(-MOST) }),
    show: (view: View) => set({ ...chosen, columns: view.columns ?? [] }),
  };
}

interface ColumnsProps {
  readonly type: ContentType;
  readonly schema: Schema;
  readonly fields: readonly ListField[];
  readonly columns: readonly string[];
  readonly isUsual: boolean;
  readonly onColumns: (columns: readonly string[] | undefined) => void;
}

export function ColumnsMenu({ type, schema, fields, columns, isUsual, onColumns }: ColumnsProps): ReactNode {
  const t = useText();
  const labels = new Map<string, string>(fields.filter(isColumn).map(({ name, label }) => [name, label]));
  if (type.draftAndPublish) labels.set('state', t('lists.state'));
  if (type.localized && schema.locales.length > 1) labels.set('locales', t('lists.locales'));
  // the name of a document always stands first
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
    </Popover>
  );
}

interface ViewsProps {
  readonly views: readonly View[];
  readonly search: ListSearch;
  readonly columns: readonly string[];
  readonly onShow: (view: View) => void;
  readonly onViews: (views: readonly View[]) => void;
}

export function ViewsMenu({ views, search, columns, onShow, onViews }: ViewsProps): ReactNode {
  const t = useText();
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const save = (event: FormEvent): void => {
    event.preventDefault();
    const called = name.trim();
    if (called === '') return;
    onViews([...views.filter((view) => view.name !== called), { name: called, search, columns }]);
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
                onClick={() => onViews(views.filter((one) => one !== view))}
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
    </Popover>
  );
}
