/** What a project's code does to the answers that are described. */
import { actionsOf, coreNames } from '../../access/actions.ts';
import type { ProjectCode } from '../../extend/project-code.ts';
import type { ContentType } from '../../schema/catalog.ts';

/** Tells whether code runs for an action of a type: it may add to the answer. */
export function mayAddTo({ guardsOf }: Pick<ProjectCode, 'guardsOf'>): (type: ContentType) => boolean {
  return (type) => {
    const owner = /^plugin::[^.]+/.exec(type.uid)?.[0];
    // whichever actions of a plugin answer with its types
    const ofPlugin = owner === undefined ? [] : actionsOf(owner);
    const actions = type.routed ? coreNames(type).map((name) => `${type.uid}.${name}`) : [];
    return [...actions, ...ofPlugin].some((action) => guardsOf(action).length > 0);
  };
}
