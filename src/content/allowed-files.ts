/** `allowedTypes` of media attributes, held to when content links a file (decisions.md, "allowedTypes"). */
import type { WrittenRow } from '../access/permitted-write.ts';
import type { FieldFailure } from '../errors.ts';
import type { FileTarget, Targets } from './targets.ts';
import { labelOf } from './validate.ts';

/** The kind of file that a media type is: `files` is what is neither image, video nor audio. */
function kindOf(mime: string): string {
  const kind = /^(image|video|audio)\//.exec(mime.toLowerCase())?.[1];
  return kind === undefined ? 'files' : `${kind}s`;
}

/** Failures of the files that a row and the components inside it link, each with the attribute's path. */
export function disallowedFiles(row: WrittenRow, targets: Targets, path: readonly string[] = []): FieldFailure[] {
  const failures: FieldFailure[] = [];
  for (const attribute of row.model.attributes.values()) {
    const here = [...path, attribute.name];
    if (attribute.type === 'media') {
      const { allowedTypes } = attribute;
      if (allowedTypes.length === 0) continue;
      const refused = (row.media.get(attribute.name) ?? [])
        // a row id that is not there is told by itself
        .map((entry) => targets.file(entry, []))
        .filter((file): file is FileTarget => file !== undefined && !allowedTypes.includes(kindOf(file.mime)));
      for (const { id, mime } of refused) {
        const message = `${labelOf(here)} takes ${allowedTypes.join(', ')}: file ${id} is ${mime || 'of no known type'}`;
        failures.push({ path: here, message, value: id });
      }
    } else if (attribute.type === 'component' || attribute.type === 'dynamiczone') {
      const many = attribute.type === 'dynamiczone' || attribute.repeatable;
      for (const [index, entry] of (row.components.get(attribute.name)?.entries ?? []).entries()) {
        if (entry.kind !== 'row') continue;
        failures.push(...disallowedFiles(entry.row, targets, many ? [...here, String(index)] : here));
      }
    }
  }
  return failures;
}
