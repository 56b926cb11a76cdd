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
import {
  Box,
  Calendar,
  ChartColumn,
  CircleUser,
  Clock,
  Code,
  Columns3,
  FileText,
  House,
  Image,
  KeyRound,
  Languages,
  ListOrdered,
  Lock,
  Send,
  Settings,
  Shield,
  Trash,
  Users,
  Zap,
} from '../ui/icons.ts';

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
  /** Further words by which the palette finds the place. */
  readonly words?: string;
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
  readonly words?: PlainKey;
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
    id: 'calendar',
    words: 'place.calendar.words',
    label: 'place.calendar',
    link: { to: '/calendar' },
    group: 'start',
    icon: Calendar,
    letter: 'd',
    may: (session) => mayPublish(session),
  },
  {
    id: 'releases',
    words: 'place.releases.words',
    label: 'releases.title',
    link: { to: '/releases' },
    group: 'start',
    icon: Send,
    may: ({ rights }) => permits(rights, 'plugin::content-releases.read'),
  },
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
    id: 'trash',
    label: 'place.trash',
    link: { to: '/trash' },
    group: 'start',
    icon: Trash,
    may: ({ rights }) => rights.some(({ action, subject }) => action === READ && subject !== null),
  },
  {
    id: 'types',
    words: 'place.types.words',
    label: 'place.types',
    link: { to: '/types' },
    group: 'project',
    icon: Box,
    letter: 'c',
    may: (session) => isSuper(session) || permits(session.rights, 'plugin::content-type-builder.read'),
  },
  {
    id: 'explore',
    label: 'place.explore',
    link: { to: '/explore' },
    group: 'project',
    icon: Code,
    letter: 'x',
    may: isSuper,
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
    id: 'health',
    words: 'place.health.words',
    label: 'place.health',
    link: { to: '/health' },
    group: 'project',
    icon: ChartColumn,
    letter: 'e',
    may: isSuper,
  },
  {
    id: 'permissions',
    words: 'place.permissions.words',
    label: 'place.permissions',
    link: { to: '/permissions' },
    group: 'settings',
    icon: Lock,
    letter: 'r',
    may: ({ rights }) => permits(rights, 'plugin::users-permissions.roles.read'),
  },
  {
    id: 'tokens',
    label: 'place.tokens',
    link: { to: '/tokens' },
    group: 'settings',
    icon: KeyRound,
    letter: 'k',
    may: ({ rights }) => permits(rights, 'admin::api-tokens.access') && permits(rights, 'admin::api-tokens.read'),
  },
  {
    id: 'people',
    words: 'place.people.words',
    label: 'people.title',
    link: { to: '/people' },
    group: 'settings',
    icon: Users,
    letter: 'p',
    may: ({ rights }) => permits(rights, 'admin::users.read'),
  },
  {
    id: 'roles',
    label: 'roles.title',
    link: { to: '/roles' },
    group: 'settings',
    icon: Shield,
    may: ({ rights }) => permits(rights, 'admin::roles.read'),
  },
  {
    id: 'audit',
    words: 'place.audit.words',
    label: 'audit.title',
    link: { to: '/audit' },
    group: 'settings',
    icon: ListOrdered,
    letter: 'u',
    may: ({ rights }) => permits(rights, 'admin::audit-logs.read'),
  },
  {
    id: 'workflows',
    label: 'workflows.title',
    link: { to: '/workflows' },
    group: 'settings',
    icon: Columns3,
    may: ({ rights }) => permits(rights, 'admin::review-workflows.read'),
  },
  {
    id: 'locales',
    words: 'place.locales.words',
    label: 'place.locales',
    link: { to: '/locales' },
    group: 'settings',
    icon: Languages,
    letter: 'l',
    may: ({ rights }) => permits(rights, 'plugin::i18n.locale.read'),
  },
  {
    id: 'site',
    words: 'place.site.words',
    label: 'place.site',
    link: { to: '/site' },
    group: 'settings',
    icon: Settings,
    letter: 's',
    may: (session) => isSuper(session) || SITE_RIGHTS.some((action) => permits(session.rights, action)),
  },
  {
    id: 'account',
    words: 'place.account.words',
    label: 'place.account',
    link: { to: '/account' },
    group: undefined,
    icon: CircleUser,
    letter: 'a',
  },
];

/** Whether the administrator may publish documents of any type. */
export const mayPublish = ({ rights }: Pick<Session, 'rights'>): boolean =>
  rights.some(({ action }) => action === 'plugin::content-manager.explorer.publish');

/** All places to which the administrator may go. */
export function usePlaces(): readonly Place[] {
  const t = useText();
  const session = useSession();
  const { data: schema } = useQuery(schemaQuery);
  const fixed = FIXED.filter(({ may }) => may?.(session) ?? true).map(({ label, words, may, ...place }) => ({
    ...place,
    ...(words === undefined ? {} : { words: t(words) }),
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

/** The rights that open the page of the site; each opens some of its sections. */
export const SITE_RIGHTS = [
  'plugin::users-permissions.advanced-settings.read',
  'plugin::users-permissions.email-templates.read',
  'plugin::upload.settings.read',
  'plugin::email.settings.read',
] as const;

const READ = 'plugin::content-manager.explorer.read';
