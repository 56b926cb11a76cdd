/** The places of the app, to which the rail, the palette and the keys that begin with `g` lead. */

import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import type { Session } from '../../contract/contract.ts';
import { schemaQuery } from '../data/schema.ts';
import { isSuper, permits, useSession } from '../data/session.ts';
import { useText } from '../language/language.tsx';
import type { PlainKey } from '../language/messages.ts';
import { typeTitle } from '../language/type-name.ts';
import type { Icon } from '../ui/icon.tsx';
import { Box, CircleUser, Clock, FileText, House, Image, Zap } from '../ui/icons.ts';

/** The groups of the rail, in order. Empty groups are not shown. */
export const GROUPS = ['start', 'content', 'pages', 'media', 'project', 'settings'] as const;
export type Group = (typeof GROUPS)[number];

export interface Place {
  readonly id: string;
  readonly label: string;
  readonly link: Pick<LinkProps, 'to' | 'params'>;
  /** Undefined if only the palette lists the place. */
  readonly group: Group | undefined;
  readonly icon: Icon;
  /** The letter after `g` that leads to the place. */
  readonly letter?: string;
}

/** A place that does not depend on the schema. */
interface FixedPlace {
  readonly id: string;
  readonly label: PlainKey;
  readonly link: Place['link'];
  readonly group: Group | undefined;
  readonly icon: Icon;
  readonly letter?: string;
  /** Whether the administrator may go there. By default everyone may. */
  readonly may?: (session: Session) => boolean;
}

/**
 * To add a page, add its route to `router.tsx` and its place here. The library belongs to `media`, pages for developers
 * (content types, the API, webhooks, jobs, health) to `project`, and pages for the owner of the site (site permissions,
 * API tokens, people, locales, the site) to `settings`.
 */
const FIXED: readonly FixedPlace[] = [
  { id: 'home', label: 'place.home', link: { to: '/' }, group: 'start', icon: House, letter: 'h' },
  {
    id: 'media',
    label: 'place.media',
    link: { to: '/media' },
    group: 'media',
    icon: Image,
    letter: 'm',
    may: ({ rights }) => permits(rights, 'plugin::upload.read'),
  },
  {
    id: 'webhooks',
    label: 'place.webhooks',
    link: { to: '/webhooks' },
    group: 'project',
    icon: Zap,
    letter: 'w',
    may: ({ rights }) => permits(rights, 'admin::webhooks.read'),
  },
  { id: 'jobs', label: 'place.jobs', link: { to: '/jobs' }, group: 'project', icon: Clock, letter: 't', may: isSuper },
  {
    id: 'types',
    label: 'place.types',
    link: { to: '/types' },
    group: 'project',
    icon: Box,
    letter: 'c',
    may: (session) => isSuper(session) || permits(session.rights, 'plugin::content-type-builder.read'),
  },
  { id: 'account', label: 'place.account', link: { to: '/account' }, group: undefined, icon: CircleUser, letter: 'a' },
];

/** All places to which the administrator may go. */
export function usePlaces(): readonly Place[] {
  const t = useText();
  const session = useSession();
  const { data: schema } = useQuery(schemaQuery);
  const fixed = FIXED.filter(({ may }) => may?.(session) ?? true).map(({ label, may, ...place }) => ({
    ...place,
    label: t(label),
  }));
  const types = (schema?.contentTypes ?? [])
    .filter(({ uid }) => permits(session.rights, READ, uid))
    .map((type): Place => {
      const { uid, kind } = type;
      return {
        id: uid,
        label: typeTitle(t, schema!, type),
        // A single type has no list, only one document.
        link:
          kind === 'singleType'
            ? { to: '/content/$uid/$documentId' as never, params: { uid, documentId: 'single' } as never }
            : { to: '/content/$uid', params: { uid } as never },
        group: kind === 'singleType' ? 'pages' : 'content',
        icon: FileText,
      };
    });
  return [...fixed, ...types];
}

const READ = 'plugin::content-manager.explorer.read';
