/** Finds components that no document could ever contain, because they require themselves. */
import type { Attribute, Catalog } from '../catalog.ts';
import type { Findings } from './problem.ts';

/**
 * Tells of every required component attribute that leads back to its own component. A component is possible when each
 * of its required parts is; whatever is left after all possible ones are found goes in circles.
 */
export function checkComponentCircles(catalog: Catalog, fileOf: (uid: string) => string, findings: Findings): void {
  const possible = new Set<string>();
  // A missing component is reported elsewhere.
  const fine = (uid: string): boolean => possible.has(uid) || !catalog.components.has(uid);
  const holds = (attribute: Attribute): boolean => {
    if (attribute.type === 'component') return !isForced(attribute) || fine(attribute.component);
    if (attribute.type === 'dynamiczone') {
      return !isForced(attribute) || attribute.components.length === 0 || attribute.components.some(fine);
    }
    return true;
  };
  let before = -1;
  while (possible.size > before) {
    before = possible.size;
    for (const component of catalog.components.values()) {
      if ([...component.attributes.values()].every(holds)) possible.add(component.uid);
    }
  }
  for (const component of catalog.components.values()) {
    if (possible.has(component.uid)) continue;
    for (const attribute of component.attributes.values()) {
      if (holds(attribute)) continue;
      const message = `requires a component that ends up requiring ${component.uid} again: no document can be complete`;
      findings.warning(fileOf(component.uid), ['attributes', attribute.name], message);
    }
  }
}

/** At least one entry must be there: a single one that is required, or a list with a minimum. */
function isForced(attribute: Extract<Attribute, { type: 'component' | 'dynamiczone' }>): boolean {
  const isList = attribute.type === 'dynamiczone' || attribute.repeatable;
  return attribute.required && !attribute.visibility && (!isList || (attribute.min ?? 0) > 0);
}
