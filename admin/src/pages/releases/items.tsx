/** The documents of a release in their order, with what prevents each of them. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Release, ReleaseItem, ReleaseProblem } from '../../../contract/releases.ts';
import shared from '../../app/settings.module.css';
import { request } from '../../data/client.ts';
import { localeName } from '../../data/locales.ts';
import { schemaQuery } from '../../data/schema.ts';
import { permits, useSession } from '../../data/session.ts';
import { documentName } from '../../language/document-name.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { DocumentName, StateMark } from '../../ui/bits.tsx';
import { IconButton } from '../../ui/button.tsx';
import { ArrowDown, ArrowUp, Ellipsis, RefreshCw, Trash } from '../../ui/icons.ts';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { refreshReleases } from './data.ts';
import { problemText } from './problem-text.ts';
import styles from './releases.module.css';

interface Props {
  readonly release: Release;
  readonly items: readonly ReleaseItem[];
  readonly problems: readonly ReleaseProblem[];
  readonly isPending: boolean;
}

export function ReleaseItems({ release, items, problems, isPending }: Props): ReactNode {
  const t = useText();
  const byAction = new Map(problems.map((problem) => [problem.action.id, problem]));
  return (
    <ol className={styles['items']} aria-label={t('releases.items')}>
      {items.map((item, place) => (
        <Item
          key={item.id}
          release={release}
          item={item}
          problem={byAction.get(item.id)}
          before={items[place - 1]}
          after={items[place + 1]}
          behind={items[place + 2]}
          isPending={isPending}
        />
      ))}
    </ol>
  );
}

interface ItemProps {
  readonly release: Release;
  readonly item: ReleaseItem;
  readonly problem: ReleaseProblem | undefined;
  readonly before: ReleaseItem | undefined;
  readonly after: ReleaseItem | undefined;
  /** The item after the next one. */
  readonly behind: ReleaseItem | undefined;
  readonly isPending: boolean;
}

function Item({ release, item, problem, before, after, behind, isPending }: ItemProps): ReactNode {
  const t = useText();
  const { data: schema } = useQuery(schemaQuery);
  const { type, contentType: uid, documentId, locale, document } = item;
  const model = schema?.contentTypes.find((one) => one.uid === uid);
  const named = { documentId: documentId ?? '', label: document?.label ?? null };
  const place = [model?.displayName ?? uid, schema && locale !== null ? localeName(schema, locale) : undefined];
  return (
    <li className={styles['item']}>
      <div className={shared['main']}>
        <span className={styles['document']}>
          {document?.state && <StateMark state={document.state} small />}
          {document && documentId !== null ? (
            <Link
              to="/content/$uid/$documentId"
              params={{ uid, documentId: model?.kind === 'singleType' ? 'single' : documentId }}
              search={{ locale: locale ?? undefined, beside: undefined }}
              className={shared['name']}
              dir="auto"
            >
              <DocumentName {...named} />
            </Link>
          ) : (
            <span className={shared['quiet']}>{t('releases.item.gone')}</span>
          )}
        </span>
        <span className={shared['quiet']}>
          {t(`releases.item.${type}`)} · {place.filter(Boolean).join(' · ')}
        </span>
        {problem && <span className={styles['problem']}>{problemText(t, schema, problem)}</span>}
      </div>
      {isPending && (
        <ItemMenu
          release={release}
          item={item}
          name={documentName(t, named)}
          before={before}
          after={after}
          behind={behind}
        />
      )}
    </li>
  );
}

interface MenuProps extends Pick<ItemProps, 'release' | 'item' | 'before' | 'after' | 'behind'> {
  readonly name: string;
}

function ItemMenu({ release, item, name, before, after, behind }: MenuProps): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const { rights } = useSession();
  const params = { id: String(release.id) };
  const change = useMutation({
    mutationFn: (send: () => Promise<unknown>) => send(),
    onSuccess: () => refreshReleases(client),
    onError: (error, send) => show({ text: failureText(t, error), tone: 'danger', retry: () => change.mutate(send) }),
  });
  const mayUpdate = permits(rights, 'plugin::content-releases.update');
  const mayRemove = permits(rights, 'plugin::content-releases.delete-action');
  if (!mayUpdate && !mayRemove) return null;
  const move = (to: number | null) =>
    change.mutate(() => request('POST releases/:id/order', { params, body: { ids: [item.id], before: to } }));
  const other = item.type === 'publish' ? 'unpublish' : 'publish';
  return (
    <Menu align="end" trigger={<IconButton icon={Ellipsis} label={t('releases.item.actions', { name })} />}>
      {mayUpdate && before && (
        <MenuItem icon={ArrowUp} onSelect={() => move(before.id)}>
          {t('releases.item.up')}
        </MenuItem>
      )}
      {mayUpdate && after && (
        <MenuItem icon={ArrowDown} onSelect={() => move(behind?.id ?? null)}>
          {t('releases.item.down')}
        </MenuItem>
      )}
      {mayUpdate && (
        <MenuItem
          icon={RefreshCw}
          onSelect={() =>
            change.mutate(() =>
              request('PUT releases/:id/actions/:action', {
                params: { ...params, action: String(item.id) },
                body: { type: other },
              }),
            )
          }
        >
          {t(`releases.item.to.${other}`)}
        </MenuItem>
      )}
      {mayRemove && (
        <MenuItem
          icon={Trash}
          onSelect={() =>
            change.mutate(() => request('POST releases/:id/remove', { params, body: { ids: [item.id] } }))
          }
        >
          {t('releases.item.remove')}
        </MenuItem>
      )}
    </Menu>
  );
}
