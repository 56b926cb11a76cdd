/** The frame around every page: the main navigation, the page itself, and dialogs of the app. */
import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { schemaQuery } from '../data/schema.ts';
import { isFactorDue, presenceQuery, useSession } from '../data/session.ts';
import { readSetting } from '../data/settings.ts';
import { setZone } from '../data/zone.ts';
import { useKeys } from '../keys/keys.ts';
import { chooseLanguage, isLanguage, useText } from '../language/language.tsx';
import { Sheet } from '../ui/dialog.tsx';
import { useChangesElsewhere } from './changes-elsewhere.ts';
import { useDocumentSource } from './document-source.ts';
import { OfflineNotice } from './offline.tsx';
import { PaletteContext, usePaletteSources } from './palette-sources.tsx';
import { usePlaces } from './places.ts';
import { Rail } from './rail.tsx';
import styles from './shell.module.css';
import { returnTo } from './sign-in-return.ts';
import { useSignedOut } from './signed-out.ts';
import { TopBar } from './top-bar.tsx';
import { useTypedAhead } from './typed-ahead.ts';

const Palette = lazy(() => import('./palette.tsx').then(({ Palette }) => ({ default: Palette })));
const KeyList = lazy(() => import('./key-list.tsx').then(({ KeyList }) => ({ default: KeyList })));

export function Shell(): ReactNode {
  const sources = usePaletteSources();
  const user = useSignedIn();
  if (user === undefined) return null;
  return (
    <PaletteContext value={sources}>
      {/* Remounted for another user, so that nothing of the previous user stays open. */}
      <Frame key={user} />
    </PaletteContext>
  );
}

type Above = 'palette' | 'keys' | 'rail';

function Frame(): ReactNode {
  const t = useText();
  const router = useRouter();
  const places = usePlaces();
  const [above, setAbove] = useState<Above>();
  const typedAhead = useTypedAhead(above === 'palette');
  useOwnLanguage();
  useSiteZone();
  useDocumentSource();
  useChangesElsewhere();
  useLeaving(() => setAbove(undefined));
  useKeys([
    {
      keys: 'mod+k',
      label: t('keys.palette'),
      group: t('keys.everywhere'),
      overLayers: true,
      run: () => setAbove('palette'),
    },
    { keys: '?', label: t('keys.show'), group: t('keys.everywhere'), run: () => setAbove('keys') },
    ...places.flatMap(({ letter, label, link }) =>
      letter === undefined
        ? []
        : [{ keys: `g ${letter}`, label, group: t('keys.go'), run: () => void router.navigate(link as never) }],
    ),
  ]);
  const toggle = (panel: Above) => (open: boolean) => setAbove(open ? panel : undefined);
  return (
    <div className={styles['app']}>
      <a className={styles['skip']} href="#page">
        {t('app.skip')}
      </a>
      <div className={styles['rail']}>
        <Rail places={places} onFind={() => setAbove('palette')} onKeys={() => setAbove('keys')} />
      </div>
      <div className={styles['sheet']}>
        <TopBar onMenu={() => setAbove('rail')} onFind={() => setAbove('palette')} />
        <OfflineNotice />
        {/* The router does not move the focus, so a new page is read from its beginning. */}
        <main id="page" tabIndex={-1} className={styles['page']}>
          <Outlet />
        </main>
      </div>
      <Sheet open={above === 'rail'} onOpenChange={toggle('rail')} title={t('rail.label')}>
        <Rail places={places} onFind={() => setAbove('palette')} onKeys={() => setAbove('keys')} />
      </Sheet>
      <Suspense>
        {above === 'palette' && (
          <Palette open onOpenChange={toggle('palette')} places={places} typedAhead={typedAhead} />
        )}
        {above === 'keys' && <KeyList open onOpenChange={toggle('keys')} />}
      </Suspense>
    </div>
  );
}

/**
 * Calls back when another page is opened, so that open layers close. A page that only replaces its own address, such as
 * a document that was just created, does not count.
 */
function useLeaving(onLeave: () => void): void {
  const { history } = useRouter();
  const leave = useRef(onLeave);
  leave.current = onLeave;
  useEffect(() => {
    let last = history.location.pathname;
    return history.subscribe(({ location: { pathname }, action }) => {
      if (pathname !== last && action.type !== 'REPLACE') leave.current();
      last = pathname;
    });
  }, [history]);
}

/** The id of the signed-in user. Redirects to the sign-in page as soon as the session has ended. */
function useSignedIn(): number | undefined {
  const router = useRouter();
  const { data } = useQuery(presenceQuery);
  useSignedOut(data, () => returnTo(router.state.location.href));
  const isDue = data?.signedIn === true && isFactorDue(data.session);
  useEffect(() => {
    if (!isDue) return;
    const search = returnTo(router.state.location.href);
    void router.navigate({ to: '/second-factor', search, replace: true });
  }, [isDue, router]);
  return data?.signedIn ? data.session.user.id : undefined;
}

/** Applies the time zone of the site. The pages inside are rendered afterwards. */
function useSiteZone(): void {
  const { data: schema } = useQuery(schemaQuery);
  if (schema) setZone(schema.site.timeZone);
}

/** Applies the language of the account, unless another one was chosen on this device. */
function useOwnLanguage(): void {
  const { preferedLanguage } = useSession().user;
  useEffect(() => {
    if (readSetting('language') === null && isLanguage(preferedLanguage)) chooseLanguage(preferedLanguage);
  }, [preferedLanguage]);
}
