/** The layout of the form and the lists of a type or component, which applies to all administrators. */

import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Arrangement } from '../../../contract/layout.ts';
import { Leaving } from '../../app/leaving.tsx';
import { Missing } from '../../app/not-found.tsx';
import shared from '../../app/settings.module.css';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { RefusedError, request } from '../../data/client.ts';
import { schemaQuery } from '../../data/schema.ts';
import { moved, Sortable, useSortableEntry } from '../../form/rows/sortable.tsx';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { typeLabel } from '../../language/type-name.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Pencil, X } from '../../ui/icons.ts';
import { Select } from '../../ui/input.tsx';
import { Popover } from '../../ui/popover.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { SIZES, UNARRANGED } from '../list/views.tsx';
import { type Cell, cellsOf, rowsOf } from './cells.ts';
import { chosenLabel, FieldPanel } from './field-panel.tsx';
import styles from './layout.module.css';

const layoutQuery = (uid: string) =>
  queryOptions({
    queryKey: ['layout', uid],
    queryFn: async ({ signal }) => (await request('GET layout/:uid', { params: { uid }, signal })).data,
    retry: false,
  });

export function LayoutPage(): ReactNode {
  const { uid } = useParams({ strict: false }) as { uid: string };
  const { data, isError } = useQuery(layoutQuery(uid));
  if (isError) return <Missing />;
  return data ? <Arranging key={uid} arrangement={data} /> : null;
}

/** The settings that the page changes. */
interface Draft {
  readonly settings: Arrangement['settings'];
  readonly metadatas: Arrangement['metadatas'];
  readonly list: readonly string[];
  readonly cells: readonly Cell[];
}

const draftOf = ({ settings, metadatas, layouts }: Arrangement): Draft => ({
  settings,
  metadatas,
  list: layouts.list,
  cells: cellsOf(layouts.edit),
});

function Arranging({ arrangement }: { readonly arrangement: Arrangement }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const { uid, kind, fields } = arrangement;
  const displayName = typeLabel(t, arrangement, kind === 'collectionType');
  // The version from which the changes started.
  const [found, setFound] = useState(arrangement);
  const [draft, setDraft] = useState(() => draftOf(arrangement));
  const [theirs, setTheirs] = useState<Arrangement>();
  const [refusal, setRefusal] = useState<string>();
  const [busy, setBusy] = useState(false);
  useTitle(t('layout.title', { name: displayName }));
  const change = (some: Partial<Draft>): void => setDraft((before) => ({ ...before, ...some }));
  const { settings, metadatas, list, cells } = draft;
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(found));
  const take = (now: Arrangement): void => {
    setFound(now);
    setDraft(draftOf(now));
    setTheirs(undefined);
  };
  const [known, setKnown] = useState(arrangement);
  if (known !== arrangement) {
    setKnown(arrangement);
    if (arrangement.tag !== found.tag && !isChanged) take(arrangement);
  }
  const fieldOf = (name: string) => fields.find((field) => field.name === name);
  /** The default label in forms and lists. */
  const usualLabel = (name: string): string => (isSystem(name) ? t(`lists.${name}`) : (fieldOf(name)?.label ?? name));
  const labelOf = (name: string): string => chosenLabel(metadatas[name]?.edit, name) ?? usualLabel(name);

  const { data: schema } = useQuery(schemaQuery);
  /** The label of a field of linked documents. */
  const labelOfLinked = (relation: string, name: string): string => {
    if (isSystem(name)) return t(`lists.${name}`);
    const models = [...(schema?.contentTypes ?? []), ...(schema?.components ?? [])];
    const attributeOf = (model: string | undefined, wanted: string) =>
      models.find((one) => one.uid === model)?.attributes.find((one) => one.name === wanted);
    return attributeOf(attributeOf(uid, relation)?.target, name)?.label ?? name;
  };
  /** @param ifMatch the tag of the version to overwrite. */
  const save = async (ifMatch: string): Promise<void> => {
    setBusy(true);
    setRefusal(undefined);
    setTheirs(undefined);
    try {
      const body = { settings, metadatas, layouts: { list, edit: rowsOf(cells) } };
      const { data } = await request('PUT layout/:uid', { params: { uid }, body, ifMatch });
      client.setQueryData(layoutQuery(uid).queryKey, data);
      take(data);
      await client.invalidateQueries({ queryKey: schemaQuery.queryKey });
      show({ text: t('saved') });
    } catch (error) {
      if (error instanceof RefusedError && error.status === 412) setTheirs(error.details['current'] as Arrangement);
      else setRefusal(failureText(t, error));
    } finally {
      setBusy(false);
    }
  };

  const choices = (is: (field: Arrangement['fields'][number]) => boolean) =>
    fields.filter(is).map(({ name }) => ({ value: name, label: labelOf(name) }));
  const sizes = [...new Set([...SIZES, settings.pageSize])];
  return (
    <>
      <PageHead title={t('layout.title', { name: displayName })}>
        <Button look="primary" busy={busy} disabled={!isChanged} onClick={() => void save(found.tag)}>
          {t('save')}
        </Button>
      </PageHead>
      <div className={styles['page']}>
        <p className={styles['lead']}>{t('layout.everybody')}</p>
        <FormError error={refusal} />
        <section className={styles['section']} aria-label={t('layout.names')}>
          <h2 className={styles['heading']}>{t('layout.names')}</h2>
          <div className={shared['pair']}>
            <Field label={t('layout.mainField')}>
              <Select
                value={settings.mainField}
                options={choices(({ naming }) => naming)}
                onValue={(mainField) => change({ settings: { ...settings, mainField } })}
              />
            </Field>
            {kind === 'collectionType' && (
              <>
                <Field label={t('layout.sort')}>
                  <Select
                    value={settings.defaultSortBy}
                    options={choices(({ sorted }) => sorted)}
                    onValue={(defaultSortBy) => change({ settings: { ...settings, defaultSortBy } })}
                  />
                </Field>
                <Field label={t('layout.order')}>
                  <Select
                    value={settings.defaultSortOrder}
                    options={[
                      { value: 'ASC', label: t('layout.ascending') },
                      { value: 'DESC', label: t('layout.descending') },
                    ]}
                    onValue={(order) =>
                      change({ settings: { ...settings, defaultSortOrder: order === 'DESC' ? 'DESC' : 'ASC' } })
                    }
                  />
                </Field>
                <Field label={t('layout.pageSize')}>
                  <Select
                    value={String(settings.pageSize)}
                    options={sizes.map((size) => ({
                      value: String(size),
                      label: size === UNARRANGED ? t('lists.size.all') : String(size),
                    }))}
                    onValue={(size) => change({ settings: { ...settings, pageSize: Number(size) } })}
                  />
                </Field>
              </>
            )}
          </div>
        </section>
        {kind === 'collectionType' && (
          <section className={styles['section']} aria-label={t('layout.columns')}>
            <h2 className={styles['heading']}>{t('layout.columns')}</h2>
            <Sortable
              keys={list}
              nameOf={(index) => labelOf(list[index]!)}
              onMove={(from, to) => change({ list: moved(list, from, to) })}
            >
              <ul className={styles['columns']}>
                {list.map((name) => (
                  <Column
                    key={name}
                    name={name}
                    label={labelOf(name)}
                    onRemove={
                      list.length > 1 ? () => change({ list: list.filter((other) => other !== name) }) : undefined
                    }
                  />
                ))}
              </ul>
            </Sortable>
            <Adder
              label={t('layout.column.add')}
              options={choices(({ name, listed }) => listed && !list.includes(name))}
              onAdd={(name) => change({ list: [...list, name] })}
            />
          </section>
        )}
        <section className={styles['section']} aria-label={t('layout.form')}>
          <h2 className={styles['heading']}>{t('layout.form')}</h2>
          <Sortable
            as="grid"
            keys={cells.map(({ name }) => name)}
            nameOf={(index) => labelOf(cells[index]!.name)}
            onMove={(from, to) => change({ cells: moved(cells, from, to) })}
          >
            <ul className={styles['grid']}>
              {cells.map((cell) => (
                <FormCell key={cell.name} cell={cell} label={labelOf(cell.name)}>
                  <FieldPanel
                    cell={cell}
                    field={fieldOf(cell.name)!}
                    said={metadatas[cell.name]!.edit}
                    usualLabel={usualLabel(cell.name)}
                    labelOfLinked={(name) => labelOfLinked(cell.name, name)}
                    onCell={(next) =>
                      change({ cells: cells.map((other) => (other.name === cell.name ? next : other)) })
                    }
                    onSaid={(edit) =>
                      change({ metadatas: { ...metadatas, [cell.name]: { ...metadatas[cell.name]!, edit } } })
                    }
                    onRemove={() => change({ cells: cells.filter(({ name }) => name !== cell.name) })}
                  />
                </FormCell>
              ))}
            </ul>
          </Sortable>
          <Adder
            label={t('layout.field.add')}
            options={choices(({ name, sizes: own }) => own.length > 0 && !cells.some((cell) => cell.name === name))}
            onAdd={(name) => {
              const own = fieldOf(name)!.sizes;
              change({ cells: [...cells, { name, size: own.includes(6) ? 6 : own[0]!, begins: false }] });
            }}
          />
        </section>
        <Others uid={uid} />
      </div>
      <Leaving isChanged={isChanged} text={t('layout.leave.text')} />
      {theirs && (
        <Dialog
          open
          onOpenChange={() => setTheirs(undefined)}
          title={t('layout.conflict.title')}
          text={t('layout.conflict.text')}
          actions={
            <>
              <Button
                onClick={() => {
                  client.setQueryData(layoutQuery(uid).queryKey, theirs);
                  take(theirs);
                }}
              >
                {t('layout.conflict.take')}
              </Button>
              <Button look="primary" onClick={() => void save(theirs.tag)}>
                {t('layout.conflict.keep')}
              </Button>
            </>
          }
        />
      )}
    </>
  );
}

/** Fields that no schema has, with their labels in lists. */
const SYSTEM = ['id', 'documentId', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy'] as const;
const isSystem = (name: string): name is (typeof SYSTEM)[number] => (SYSTEM as readonly string[]).includes(name);

function Column({
  name,
  label,
  onRemove,
}: {
  readonly name: string;
  readonly label: string;
  readonly onRemove: (() => void) | undefined;
}): ReactNode {
  const t = useText();
  const { setNode, style, isDragging, grip } = useSortableEntry(name, label);
  return (
    <li ref={setNode} style={style} className={classes(styles['entry'], isDragging && styles['dragging'])}>
      {grip}
      <span className={styles['name']}>{label}</span>
      {onRemove && <IconButton icon={X} label={t('layout.column.remove', { name: label })} onClick={onRemove} />}
    </li>
  );
}

function FormCell({
  cell,
  label,
  children,
}: {
  readonly cell: Cell;
  readonly label: string;
  readonly children: ReactNode;
}): ReactNode {
  const t = useText();
  const { setNode, style, isDragging, grip } = useSortableEntry(cell.name, label);
  return (
    <li
      ref={setNode}
      style={style}
      className={classes(styles['entry'], isDragging && styles['dragging'])}
      data-size={cell.size}
      data-begins={cell.begins || undefined}
    >
      {grip}
      <span className={styles['name']}>{label}</span>
      <Popover
        label={t('layout.field.change', { name: label })}
        trigger={<IconButton icon={Pencil} label={t('layout.field.change', { name: label })} />}
      >
        {children}
      </Popover>
    </li>
  );
}

/** A select that adds fields which are not in the layout yet. */
function Adder({
  label,
  options,
  onAdd,
}: {
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onAdd: (name: string) => void;
}): ReactNode {
  if (options.length === 0) return null;
  return <Select aria-label={label} value="" options={[{ value: '', label }, ...options]} onValue={onAdd} />;
}

/** Links to the layouts of other types and components. */
function Others({ uid }: { readonly uid: string }): ReactNode {
  const t = useText();
  const { data: schema } = useQuery(schemaQuery);
  const models = new Map([...(schema?.contentTypes ?? []), ...(schema?.components ?? [])].map((one) => [one.uid, one]));
  models.delete(uid);
  return (
    <nav className={styles['section']} aria-label={t('layout.others')}>
      <h2 className={styles['heading']}>{t('layout.others')}</h2>
      <div className={styles['others']}>
        {[...models.values()].map((model) => (
          <Link key={model.uid} to="/layout/$uid" params={{ uid: model.uid }}>
            {typeLabel(t, model, true)}
          </Link>
        ))}
      </div>
    </nav>
  );
}
