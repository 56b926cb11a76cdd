/** Repeatable components and dynamic zones: adding, moving, opening, copying and removing rows. */
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { Plus } from '../../ui/icons.ts';
import { Menu, MenuHeading, MenuItem } from '../../ui/menu.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { type ControlProps, useHost } from '../host.ts';
import { pairRows } from '../values/differences.ts';
import { type Attribute, COMPONENT, componentOf, KEY, type Model, rowsOf, type Values } from '../values/model.ts';
import { copyOfRow, newKey, newValues, rowKey } from '../values/new-values.ts';
import { isWithin } from '../values/path.ts';
import { Row } from './row.tsx';
import { rowName } from './row-name.ts';
import styles from './rows.module.css';
import { moved, Sortable } from './sortable.tsx';

/** The number of existing rows up to which all are open at first. */
const OPEN_AT_MOST = 1;

export function RowsControl({ attribute, path, value, published, readOnly }: ControlProps): ReactNode {
  const t = useText();
  const { show } = useToasts();
  const { schema, errors, advice, valueAt, change } = useHost();
  const rows = rowsOf(value);
  const keys = rows.map(rowKey);
  const isZone = attribute.type === 'dynamiczone';
  const [open, setOpen] = useState<ReadonlySet<string>>(() => {
    const isAdvised = (index: number) => advice.some((one) => isWithin(one.path, [...path, index]));
    return new Set(rows.length <= OPEN_AT_MOST ? keys : keys.filter((_key, index) => isAdvised(index)));
  });
  const adder = useRef<HTMLDivElement>(null);

  const pairs = useMemo(
    () => (published === undefined ? undefined : pairRows(schema, attribute, rowsOf(value), rowsOf(published))),
    [schema, attribute, value, published],
  );
  const former = (index: number): Values | 'new' | undefined => {
    if (!pairs) return undefined;
    const place = pairs[index];
    return place === undefined ? 'new' : rowsOf(published)[place];
  };

  // Rows with an error inside are open.
  const wrong = rows
    .map((_row, index) => [...path, index])
    .flatMap((place, index) =>
      errors.some((error) => error.path.length > place.length && isWithin(error.path, place)) ? [keys[index]!] : [],
    )
    .join('\n');
  useEffect(() => {
    if (wrong !== '' && errors.length > 0) setOpen((before) => new Set([...before, ...wrong.split('\n')]));
  }, [wrong, errors]);

  // Handlers read the current rows, so that they need not change with them.
  const now = useCallback(() => rowsOf(valueAt(path)), [valueAt, path]);
  const put = useCallback((next: readonly Values[]) => change(path, next), [change, path]);
  const names = rows.map((row, index) => {
    const component = componentOf(schema, attribute, row);
    const kind = component?.displayName ?? '';
    return (component && rowName(schema, component, row)) ?? t('rows.unnamed', { name: kind, place: index + 1 });
  });
  // Rows with the same name are numbered.
  const nameOf = (index: number): string => {
    const name = names[index] ?? '';
    return names.indexOf(name) === names.lastIndexOf(name) ? name : t('rows.same', { name, place: index + 1 });
  };
  const add = (component: Model): void => {
    const key = newKey();
    const row = { ...newValues(schema, component), ...(isZone && { [COMPONENT]: component.uid }), [KEY]: key };
    setOpen((before) => new Set([...before, key]));
    put([...now(), row]);
    focusInto.current = key;
  };
  // The new row whose first control gets the focus.
  const focusInto = useRef<string>(undefined);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const key = focusInto.current;
    if (key === undefined || !keys.includes(key)) return;
    focusInto.current = undefined;
    const added = list.current?.querySelector(`[data-row="${CSS.escape(key)}"]`);
    added
      ?.querySelector<HTMLElement>(
        ':scope > [data-inside] :is(input, textarea, select, [contenteditable="true"], button)',
      )
      ?.focus();
  });

  const toggle = useCallback((key: string) => {
    setOpen((before) =>
      before.has(key) ? new Set([...before].filter((other) => other !== key)) : new Set([...before, key]),
    );
  }, []);
  const move = useCallback((from: number, to: number) => put(moved(now(), from, to)), [put, now]);
  const duplicate = useCallback(
    (index: number) => {
      const row = now()[index]!;
      const component = componentOf(schema, attribute, row);
      if (component) put(now().toSpliced(index + 1, 0, copyOfRow(schema, component, row)));
    },
    [put, now, schema, attribute],
  );
  const remove = useCallback(
    (index: number, name: string) => {
      const row = now()[index]!;
      put(now().toSpliced(index, 1));
      adder.current?.querySelector('button')?.focus();
      show({ text: t('rows.removed', { name }), undo: () => put(now().toSpliced(index, 0, row)) });
    },
    [put, now, show, t],
  );

  const isFull = attribute.max !== undefined && rows.length >= Number(attribute.max);
  return (
    <>
      <Sortable keys={keys} nameOf={nameOf} onMove={move}>
        <ul className={styles['rows']} ref={list}>
          {rows.map((row, index) => (
            <Row
              key={keys[index]}
              rowKey={keys[index]!}
              index={index}
              count={rows.length}
              row={row}
              former={former(index)}
              name={nameOf(index)}
              kind={isZone ? componentOf(schema, attribute, row)?.displayName : undefined}
              component={componentOf(schema, attribute, row)}
              parentPath={path}
              isOpen={open.has(keys[index]!)}
              isFull={isFull}
              readOnly={readOnly}
              onToggle={toggle}
              onMove={move}
              onDuplicate={duplicate}
              onRemove={remove}
            />
          ))}
        </ul>
      </Sortable>
      <div ref={adder} className={styles['foot']}>
        {!readOnly && !isFull && isZone && <ZoneMenu attribute={attribute} onAdd={add} />}
        {!readOnly && !isFull && !isZone && <AddButton component={componentOf(schema, attribute)} onAdd={add} />}
        {rows.length > OPEN_AT_MOST && (
          <Button look="quiet" onClick={() => setOpen(new Set(open.size > 0 ? [] : keys))}>
            {t(open.size > 0 ? 'rows.collapse' : 'rows.expand')}
          </Button>
        )}
      </div>
      {!readOnly && isFull && <p className={styles['none']}>{t('rows.full', { count: Number(attribute.max) })}</p>}
      {readOnly && rows.length === 0 && <p className={styles['none']}>{t('mark.empty')}</p>}
    </>
  );
}

type OnAdd = (component: Model) => void;

function AddButton({ component, onAdd }: { readonly component: Model | undefined; readonly onAdd: OnAdd }): ReactNode {
  const t = useText();
  if (!component) return <p className={styles['none']}>{t('rows.unknown')}</p>;
  return (
    <Button icon={Plus} onClick={() => onAdd(component)}>
      {t('rows.add', { name: component.displayName })}
    </Button>
  );
}

/** The components of a dynamic zone, by category. */
function ZoneMenu({ attribute, onAdd }: { readonly attribute: Attribute; readonly onAdd: OnAdd }): ReactNode {
  const t = useText();
  const { schema } = useHost();
  const components = schema.components.filter(
    ({ uid, place }) => attribute.components?.includes(uid) && place === attribute.place,
  );
  const categories = Map.groupBy(components, ({ category }) => category);
  return (
    <Menu trigger={<Button icon={Plus}>{t('zone.add')}</Button>}>
      {[...categories].map(([category, inside]) => (
        <MenuHeading key={category} text={category}>
          {inside.map((component) => (
            <MenuItem key={component.uid} onSelect={() => onAdd(component)}>
              {component.displayName}
            </MenuItem>
          ))}
        </MenuHeading>
      ))}
    </Menu>
  );
}
