/** Where rows of a type have their stage and their assignee. */
import type { ContentType } from '../schema/catalog.ts';
import { reviewLinksOf, STAGES_TABLE } from '../schema/layout/review-tables.ts';
import type { RowLinks } from './review.ts';

export interface TypeLinks {
  readonly stage: RowLinks;
  readonly assignee: RowLinks;
}

const known = new WeakMap<ContentType, TypeLinks>();

/** The links of the rows of a type. */
export function rowLinksOf(type: ContentType): TypeLinks {
  let links = known.get(type);
  if (!links) {
    const { table, stage, assignee } = reviewLinksOf(type);
    links = {
      stage: { table, link: stage, targets: STAGES_TABLE },
      assignee: { table, link: assignee, targets: 'admin_users' },
    };
    known.set(type, links);
  }
  return links;
}
