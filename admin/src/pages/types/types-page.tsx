/** All content types and components, as lists or as a diagram. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useState } from 'react';
import type { ContentTypeFile } from '../../../contract/content-types.ts';
import { Missing } from '../../app/not-found.tsx';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { useText } from '../../language/language.tsx';
import { EmptyState, Skeleton } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Box, FileText, Plus } from '../../ui/icons.ts';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ChangeBar } from './change-bar.tsx';
import { type ContentTypes, useContentTypes } from './data.ts';
import { Diagram } from './diagram.tsx';
import { FileProblems, Outdated, ReadOnlyNotice, UndoLast } from './notices.tsx';
import { type Types, usesOf } from './relations.ts';
import { TypeSettings } from './type-settings.tsx';
import styles from './types.module.css';
import { isChanged, nameOfType, type WorkingType } from './working-type.ts';

type Kind = ContentTypeFile['kind'];
const KINDS = ['collectionType', 'singleType', 'component'] as const satisfies readonly Kind[];

export function TypesPage(): ReactNode {
  const t = useText();
  const { all, isError } = useContentTypes();
  const isMissing = isError && !all;
  useTitle(isMissing ? undefined : t('types.title'));
  const { view } = useSearch({ strict: false }) as { view?: 'diagram' };
  const navigate = useNavigate();
  const [newKind, setMade] = useState<Kind>();
  if (isMissing) return <Missing />;
  const isEditable = all?.state.isEditable === true;
  return (
    <div className={styles['whole']}>
      <PageHead title={t('types.title')}>
        {isEditable && (
          <Menu
            align="end"
            trigger={
              <Button look="primary" icon={Plus}>
                {t('types.new')}
              </Button>
            }
          >
            {KINDS.map((kind) => (
              <MenuItem key={kind} icon={kind === 'component' ? Box : FileText} onSelect={() => setMade(kind)}>
                {t(`types.kind.${kind}`)}
              </MenuItem>
            ))}
          </Menu>
        )}
      </PageHead>
      <div className={styles['page']}>
        {all && (
          <>
            <UndoLast state={all.state} />
            <ReadOnlyNotice state={all.state} />
            <FileProblems state={all.state} />
            <Outdated all={all} />
          </>
        )}
        <Tabs
          label={t('types.views')}
          tabs={[
            { value: 'list', label: t('types.view.list') },
            { value: 'diagram', label: t('types.view.diagram') },
          ]}
          value={view === 'diagram' ? 'diagram' : 'list'}
          onValue={(value) =>
            void navigate({
              to: '/types',
              search: { view: value === 'diagram' ? 'diagram' : undefined },
              replace: true,
            })
          }
        >
          {all === undefined ? (
            <Skeleton width="40%" />
          ) : view === 'diagram' ? (
            <Diagram types={all.types} />
          ) : (
            <Lists all={all} />
          )}
        </Tabs>
      </div>
      {all && <ChangeBar all={all} />}
      {all && newKind && (
        <TypeSettings
          all={all}
          kind={newKind}
          onClose={(uid) => {
            setMade(undefined);
            if (uid !== undefined)
              void navigate({ to: '/types/$uid', params: { uid }, search: { attribute: undefined } });
          }}
        />
      )}
    </div>
  );
}

function Lists({ all }: { readonly all: ContentTypes }): ReactNode {
  const t = useText();
  const [search, setSearch] = useState('');
  const needle = useDeferredValue(search).trim().toLocaleLowerCase();
  const isFound = (type: WorkingType): boolean =>
    needle === '' ||
    [nameOfType(type), type.uid, ...type.attributes.map(({ name }) => name)].some((text) =>
      text.toLocaleLowerCase().includes(needle),
    );
  const found = Object.values(all.types)
    .filter(isFound)
    .toSorted((one, other) => nameOfType(one).localeCompare(nameOfType(other)));
  return (
    <div className={styles['lists']}>
      <SearchField label={t('types.search')} value={search} onValue={setSearch} clearLabel={t('types.search.clear')} />
      {found.length === 0 && (
        <EmptyState
          title={t(needle === '' ? 'types.empty' : 'types.search.none')}
          text={needle === '' ? t('types.empty.text') : undefined}
        />
      )}
      {KINDS.map((kind) => {
        const own = found.filter((type) => type.kind === kind);
        if (own.length === 0) return null;
        return (
          <section key={kind} aria-label={t(`types.kinds.${kind}`)}>
            <h2 className={styles['heading']}>
              {t(`types.kinds.${kind}`)} <small>{own.length}</small>
            </h2>
            <ul>
              {own.map((type) => (
                <Row key={type.uid} types={all.types} type={type} file={all.stored.get(type.from ?? type.uid)} />
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

interface RowProps {
  readonly types: Types;
  readonly type: WorkingType;
  readonly file: ContentTypeFile | undefined;
}

function Row({ types, type, file }: RowProps): ReactNode {
  const t = useText();
  const isNew = type.from === null;
  const state = type.isRemoved ? 'removed' : isNew ? 'new' : isChanged(type, file) ? 'changed' : undefined;
  return (
    <li className={styles['row']}>
      <div className={styles['main']}>
        <Link
          to="/types/$uid"
          params={{ uid: type.uid }}
          search={{ attribute: undefined }}
          className={classes(styles['name'], type.isRemoved && styles['gone'])}
        >
          {nameOfType(type)}
        </Link>
        <span className={styles['quiet']}>{type.uid}</span>
      </div>
      <span className={styles['marks']}>
        {file !== undefined && file.origin !== 'project' && (
          <span className={styles['quiet']}>{t(`types.origin.${file.origin}`)}</span>
        )}
        {state && <span className={styles[state]}>{t(`types.state.${state}`)}</span>}
      </span>
      <span className={styles['figures']}>
        <span>{t('types.attributes', { count: type.attributes.length })}</span>
        {type.kind === 'component' && <span>{t('types.uses', { count: usesOf(types, type.uid).length })}</span>}
        {file !== undefined && file.count !== null && <span>{t('types.documents', { count: file.count })}</span>}
      </span>
    </li>
  );
}
