/** A content type or component: its attributes in order, its settings, and its form. */
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import type { ContentTypeFile, SchemaProblem } from '../../../contract/content-types.ts';
import { Missing } from '../../app/not-found.tsx';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { moved, Sortable, useSortableEntry } from '../../form/rows/sortable.tsx';
import { useText } from '../../language/language.tsx';
import { EmptyState } from '../../ui/bits.tsx';
import { Button, ButtonLink, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { SidePanel } from '../../ui/dialog.tsx';
import { CircleAlert, Eye, LayoutGrid, Plus, Settings, Trash } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import { AttributePanel } from './attribute-panel.tsx';
import { ChangeBar } from './change-bar.tsx';
import { attributeState, type ContentTypes, planQuery, useContentTypes } from './data.ts';
import { isKind } from './kinds.ts';
import { LiveForm } from './live-form.tsx';
import { FileProblems, Outdated, ReadOnlyNotice } from './notices.tsx';
import { usesOf, withoutAttribute, withoutType } from './relations.ts';
import { attributeOf } from './review.tsx';
import { TypeSettings } from './type-settings.tsx';
import styles from './types.module.css';
import { componentsOf, isLocalized, nameOfType, type WorkingAttribute, type WorkingType } from './working-type.ts';

export function TypePage(): ReactNode {
  const { uid } = useParams({ strict: false }) as { uid: string };
  const { all, isError } = useContentTypes();
  const type = all?.types[uid];
  // The page follows a type that gets another uid, and leads back to all types when a new one is discarded.
  const [wasThere, setWasThere] = useState(false);
  if (type && !wasThere) setWasThere(true);
  if (all && !type && wasThere) {
    const renamed = Object.values(all.types).find(({ from }) => from === uid);
    if (!renamed) return <Navigate to="/types" search={{ view: undefined }} replace />;
    return <Navigate to="/types/$uid" params={{ uid: renamed.uid }} search={{ attribute: undefined }} replace />;
  }
  if ((isError && !all) || (all && !type)) return <Missing />;
  return all && type ? <Editing key={uid} all={all} type={type} /> : null;
}

function Editing({ all, type }: { readonly all: ContentTypes; readonly type: WorkingType }): ReactNode {
  const t = useText();
  const navigate = useNavigate();
  const { show } = useToasts();
  const { attribute: opened } = useSearch({ strict: false }) as { attribute?: string };
  const [isAdding, setAdding] = useState(false);
  const [isSetting, setSetting] = useState(false);
  const [isShowingForm, setShowingForm] = useState(false);
  const { uid, attributes } = type;
  const name = nameOfType(type);
  const file = all.stored.get(type.from ?? uid);
  const isOwn = file === undefined || file.origin === 'project';
  const isEditable = all.state.isEditable && isOwn && !type.isRemoved;
  const { data: plan } = useQuery(planQuery(all, {}));
  const problems = (all.changes.length > 0 ? plan?.problems : undefined)?.filter((one) => one.uid === uid) ?? [];
  useTitle(name);
  const open = (attribute: string | undefined): void =>
    void navigate({ to: '/types/$uid', params: { uid }, search: { attribute }, replace: true });
  const putInOrder = (from: number, to: number): void =>
    all.change({ ...all.types, [uid]: { ...type, attributes: moved(attributes, from, to) } });
  const list = useRef<HTMLUListElement>(null);
  const removeAttribute = ({ key }: WorkingAttribute): void => {
    const at = attributes.findIndex((one) => one.key === key);
    all.change(withoutAttribute(all.types, uid, key));
    // The focus moves to the attribute that takes the place.
    requestAnimationFrame(() => {
      const rows = list.current?.querySelectorAll('li');
      rows?.[Math.min(at, rows.length - 1)]?.querySelector('button')?.focus();
    });
  };
  const removeType = (): void => {
    const { length: count } = usesOf(all.types, uid);
    all.change(withoutType(all.types, uid));
    show({ text: count > 0 ? t('types.removed.uses', { name, count }) : t('types.removed', { name }) });
    void navigate({ to: '/types', search: { view: undefined } });
  };
  const shown = attributes.find((one) => one.name === opened);
  const form = type.isRemoved ? undefined : <LiveForm all={all} type={type} />;
  return (
    <div className={styles['whole']}>
      <PageHead title={name}>
        {isEditable && (
          <Button look="primary" icon={Plus} onClick={() => setAdding(true)}>
            {t('types.attribute.add')}
          </Button>
        )}
      </PageHead>
      <div className={styles['columns']}>
        <div className={styles['page']}>
          <p className={styles['about']}>
            <Link to="/types" search={{ view: undefined }} className={styles['link']}>
              {t('types.title')}
            </Link>{' '}
            · {t(`types.kind.${type.kind}`)} · <code>{uid}</code>
            {file?.file != null && (
              <>
                {' '}
                · <code>{file.file}</code>
              </>
            )}
          </p>
          <div className={styles['buttons']}>
            <Button icon={Settings} onClick={() => setSetting(true)}>
              {t('types.settings')}
            </Button>
            {form && (
              <span className={styles['narrowOnly']}>
                <Button icon={Eye} onClick={() => setShowingForm(true)}>
                  {t('types.form.show')}
                </Button>
              </span>
            )}
            {!type.isRemoved && type.from !== null && (
              <ButtonLink icon={LayoutGrid} to="/layout/$uid" params={{ uid: type.from }}>
                {t('types.layout')}
              </ButtonLink>
            )}
            {isEditable && (
              <Button look="quiet" icon={Trash} onClick={removeType}>
                {t('types.remove')}
              </Button>
            )}
          </div>
          <ReadOnlyNotice state={all.state} />
          {all.state.isEditable && !isOwn && file && (
            <p className={styles['quiet']}>
              {t(`types.readOnly.origin.${file.origin === 'code' ? 'code' : 'plugin'}`)}
            </p>
          )}
          {type.isRemoved && <p className={styles['removed']}>{t('types.removed.pending')}</p>}
          <FileProblems state={all.state} />
          <Outdated all={all} uid={uid} />
          {problems
            .filter(({ path }) => attributeOf(path) === undefined)
            .map(({ message, path }) => (
              <p key={`${path.join('.')} ${message}`} className={styles['refused']}>
                <CircleAlert size={15} />
                {path.join('.')}: {message}
              </p>
            ))}
          {attributes.length === 0 ? (
            <EmptyState
              title={t('types.attributes.none')}
              text={isEditable ? t('types.attributes.none.text') : undefined}
              action={
                isEditable && (
                  <Button icon={Plus} onClick={() => setAdding(true)}>
                    {t('types.attribute.add')}
                  </Button>
                )
              }
            />
          ) : (
            <Sortable keys={attributes.map(({ key }) => key)} nameOf={(at) => attributes[at]!.name} onMove={putInOrder}>
              <ul ref={list} className={styles['attributes']} aria-label={t('types.attributes.list')}>
                {attributes.map((one) => (
                  <Attribute
                    key={one.key}
                    all={all}
                    attribute={one}
                    file={file}
                    isEditable={isEditable}
                    problems={problems.filter(({ path }) => attributeOf(path) === one.name)}
                    onOpen={() => open(one.name)}
                    onRemove={() => removeAttribute(one)}
                  />
                ))}
              </ul>
            </Sortable>
          )}
        </div>
        {form && (
          <aside className={styles['wideOnly']} aria-label={t('types.form')}>
            {form}
          </aside>
        )}
      </div>
      <ChangeBar all={all} />
      {(isAdding || shown) && (
        <AttributePanel
          key={shown?.key ?? ''}
          all={all}
          type={type}
          attribute={isAdding ? undefined : shown}
          readOnly={!isEditable}
          onClose={() => {
            setAdding(false);
            if (opened !== undefined) open(undefined);
          }}
        />
      )}
      {isSetting && (
        <TypeSettings
          all={all}
          type={type}
          kind={type.kind}
          readOnly={!isEditable}
          onClose={(next) => {
            setSetting(false);
            if (next !== undefined && next !== uid)
              void navigate({
                to: '/types/$uid',
                params: { uid: next },
                search: { attribute: undefined },
                replace: true,
              });
          }}
        />
      )}
      <SidePanel
        open={isShowingForm}
        onOpenChange={setShowingForm}
        title={t('types.form')}
        actions={<Button onClick={() => setShowingForm(false)}>{t('close')}</Button>}
      >
        {form}
      </SidePanel>
    </div>
  );
}

interface AttributeProps {
  readonly all: ContentTypes;
  readonly attribute: WorkingAttribute;
  readonly file: ContentTypeFile | undefined;
  readonly isEditable: boolean;
  readonly problems: readonly SchemaProblem[];
  readonly onOpen: () => void;
  readonly onRemove: () => void;
}

function Attribute(props: AttributeProps): ReactNode {
  const { all, attribute, file, isEditable, problems, onOpen, onRemove } = props;
  const t = useText();
  const { key, name, options } = attribute;
  const { setNode, style, isDragging, grip } = useSortableEntry(key, name);
  const state = attributeState(attribute, file);
  const kind = isKind(options.type) ? t(`types.attribute.${options.type}`) : options.type;
  const aims = [options['target'], ...componentsOf(options)].filter((uid): uid is string => typeof uid === 'string');
  const flags = (['required', 'unique', 'private'] as const).filter((flag) => options[flag] === true);
  return (
    <li ref={setNode} style={style} className={classes(styles['attribute'], isDragging && styles['dragging'])}>
      {isEditable && grip}
      <div className={styles['main']}>
        <button type="button" className={styles['open']} onClick={onOpen}>
          {name}
        </button>
        <span className={styles['quiet']}>
          {kind}
          {aims.length > 0 && ` → ${aims.map((uid) => (all.types[uid] ? nameOfType(all.types[uid]) : uid)).join(', ')}`}
          {flags.map((flag) => ` · ${t(`types.flag.${flag}`)}`)}
          {isLocalized(options) && ` · ${t('types.flag.localized')}`}
        </span>
        {problems.map(({ message, severity }) => (
          <span key={message} className={severity === 'mistake' ? styles['refused'] : styles['warned']}>
            <CircleAlert size={14} />
            {message}
          </span>
        ))}
      </div>
      {state && <span className={styles[state]}>{t(`types.state.${state}`)}</span>}
      {isEditable && <IconButton icon={Trash} label={t('types.attribute.remove', { name })} onClick={onRemove} />}
    </li>
  );
}
