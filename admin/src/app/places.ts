/** Where one can go: the rail, the palette and the keys beginning with `g` all lead to these. */

import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import type { Session } from '../../contract/contract.ts';
import { schemaQuery } from '../data/schema.ts';
import { isSuper, permits, useSession } from '../data/session.ts';
import { useText } from '../language/language.tsx';
import type { PlainKey } from '../language/messages.ts';
import { typeTitle } from '../language/type-name.ts';
import type { Icon } from '../ui/icon.tsx';
import { CircleUser, Clock, FileText, House, Image, Zap } from '../ui/icons.ts';

/** The groups of the rail, in their order. Those without places are not shown. */
export const GROUPS = ['start', 'content', 'pages', 'media', 'project'] as const;
export type Group = (typeof GROUPS)[number];

export interface Place {
  readonly id: string;
  readonly label: string;
  readonly link: Pick<LinkProps, 'to' | 'params'>;
  /** Undefined: it is found in the palette and not in the rail. */
  readonly group: Group | undefined;
  readonly icon: Icon;
  /** The letter after `g` that leads there. */
  readonly letter?: string;
}

/** A place of the app itself, which does not follow from the schema. */
interface FixedPlace {
  readonly id: string;
  readonly label: PlainKey;
  readonly link: Place['link'];
  readonly group: Group | undefined;
  readonly icon: Icon;
  readonly letter?: string;
  /** Who is led there; everybody where it is left out. */
  readonly may?: (session: Session) => boolean;
}

/**
 * To add a page: its route in `router.tsx`, and its place here. The library of files belongs into `media`; what is for
 * the developer, such as content types, access, the API and health, into `project`.
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
  { id: 'account', label: 'place.account', link: { to: '/account' }, group: undefined, icon: CircleUser, letter: 'a' },
];

/** All places that the administrator may go to. */
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
        // there is one document, and no list of it
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
