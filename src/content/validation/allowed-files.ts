/** `allowedTypes` of media attributes, held to when content links a file (docs/differences.md, "Writing"). */
import type { WrittenRow } from '../../access/permitted-write.ts';
import { below, Failures, type Place } from '../../failures.ts';
import type { Targets } from '../relations/targets.ts';

/** The kind of file that a media type is: `files` is what is neither image, video nor audio. */
function kindOf(mime: string): string {
  const kind = /^(image|video|audio)\//.exec(mime.toLowerCase())?.[1];
  return kind === undefined ? 'files' : `${kind}s`;
}

/** Tells the failures of the files that a row and the components inside it link, each with the attribute's path. */
export function tellDisallowed(row: WrittenRow, targets: Targets, failures: Failures, place?: Place): void {
  if (row.media.size === 0 && row.components.size === 0) return;
  for (const attribute of row.model.attributes.values()) {
    const { name } = attribute;
    if (attribute.type === 'media') {
      const { allowedTypes } = attribute;
      if (allowedTypes.length === 0) continue;
      for (const entry of row.media.get(name) ?? []) {
        // a row id that is not there is told by itself
        const file = targets.file(entry, new Failures());
        if (!file || allowedTypes.includes(kindOf(file.mime))) continue;
        const { id, mime } = file;
        const is = `file ${id} is ${mime || 'of an unknown type'}`;
        failures.add(below(place, name), (label) => `${label} takes ${allowedTypes.join(', ')}: ${is}`, id);
      }
    } else if (attribute.type === 'component' || attribute.type === 'dynamiczone') {
      const { entries } = row.components.get(name) ?? {};
      if (!entries) continue;
      const here = below(place, name);
      const many = attribute.type === 'dynamiczone' || attribute.repeatable;
      for (const [index, entry] of entries.entries()) {
        if (entry.kind === 'row') tellDisallowed(entry.row, targets, failures, many ? below(here, index) : here);
      }
    }
  }
}
