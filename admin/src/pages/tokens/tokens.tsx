/** The list of API tokens, with their rights, expiry and last use. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { TokenInList } from '../../../contract/permissions.ts';
import { Missing } from '../../app/not-found.tsx';
import shared from '../../app/settings.module.css';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { useSession } from '../../data/session.ts';
import { Around, useText } from '../../language/language.tsx';
import { EmptyState, Skeleton } from '../../ui/bits.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { KeyRound, Plus } from '../../ui/icons.ts';
import { TOKEN_KINDS } from '../permissions/grant-editor.tsx';
import { maySeeTokens, mayTokens, tokensQuery } from './data.ts';
import styles from './tokens.module.css';

export function Tokens(): ReactNode {
  const t = useText();
  const { rights } = useSession();
  const may = maySeeTokens(rights);
  const { data, isError } = useQuery({ ...tokensQuery, enabled: may });
  const isMissing = !may || (isError && !data);
  useTitle(isMissing ? undefined : t('tokens.title'));
  if (isMissing) return <Missing />;
  const make = mayTokens(rights, 'create') && (
    <ButtonLink look="primary" icon={Plus} to="/tokens/$tokenId" params={{ tokenId: 'new' }}>
      {t('tokens.new')}
    </ButtonLink>
  );
  const isEmpty = data?.length === 0;
  return (
    <>
      <PageHead title={t('tokens.title')} {...(data?.length ? { count: data.length } : {})}>
        {!isEmpty && make}
      </PageHead>
      {isEmpty ? (
        <EmptyState icon={KeyRound} title={t('tokens.empty')} text={t('tokens.lead')} action={make} />
      ) : (
        <ul className={classes(shared['rows'], styles['tokens'])} aria-label={t('tokens.list')}>
          {data?.map((token) => <Row key={token.id} token={token} />) ?? (
            <li className={shared['row']}>
              <Skeleton width="40%" />
            </li>
          )}
        </ul>
      )}
    </>
  );
}

function Row({
  token: { id, name, description, type, createdBy, ...token },
}: {
  readonly token: TokenInList;
}): ReactNode {
  const t = useText();
  const kind = TOKEN_KINDS.find((known) => known === type);
  const by = createdBy === null ? '' : t('tokens.by', { name: createdBy.name });
  return (
    <li className={shared['row']}>
      <div className={shared['main']}>
        <Link to="/tokens/$tokenId" params={{ tokenId: String(id) }} dir="auto" className={shared['name']}>
          {name}
        </Link>
        <span dir="auto" className={shared['quiet']}>
          {[description, by].filter((text) => text !== '').join(' · ')}
        </span>
      </div>
      <span className={styles['kind']}>{kind ? t(`tokens.kind.${kind}`) : type}</span>
      <div className={classes(shared['main'], shared['below'])}>
        <Use of={token} />
      </div>
    </li>
  );
}

/** When a token was last used, and when it expires. */
function Use({
  of: { lastUsedAt, expiresAt },
}: {
  readonly of: Pick<TokenInList, 'lastUsedAt' | 'expiresAt'>;
}): ReactNode {
  const t = useText();
  return (
    <>
      <span>
        {lastUsedAt === null ? (
          t('tokens.neverUsed')
        ) : (
          <Around text={t('tokens.usedAt', { when: '\0' })} at={lastUsedAt} />
        )}
      </span>
      <span className={shared['quiet']}>
        {expiresAt === null ? (
          t('tokens.neverExpires')
        ) : isOver(expiresAt) ? (
          <span className={styles['over']}>{t('tokens.expired')}</span>
        ) : (
          <Around text={t('tokens.expiresAt', { when: '\0' })} at={expiresAt} isAhead />
        )}
      </span>
    </>
  );
}

export const isOver = (expiresAt: string): boolean => Date.parse(expiresAt) <= Date.now();
