/** What a project's code does to the answers that are described. */
import { BUILT_IN_ACTIONS, coreNames } from '../../access/actions.ts';
import type { ProjectCode } from '../../extend/project-code.ts';
import type { ContentType } from '../../schema/catalog.ts';

/** Tells whether code that is run stands before an action of a type: it may add to what that answers. */
export function mayAddTo({ standing }: Pick<ProjectCode, 'standing'>): (type: ContentType) => boolean {
  const isChanged = (action: string): boolean => standing(action).some(({ outcome }) => outcome === 'is run');
  return (type) => {
    const owner = /^plugin::[^.]+\./.exec(type.uid)?.[0];
    // whichever actions of a plugin answer with its types
    const ofPlugin = BUILT_IN_ACTIONS.filter(({ action }) => owner !== undefined && action.startsWith(owner));
    const actions = type.routed ? coreNames(type).map((name) => `${type.uid}.${name}`) : [];
    return [...actions, ...ofPlugin.map(({ action }) => action)].some(isChanged);
  };
}
