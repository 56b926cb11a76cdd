/** What lies in a schema: texts, which nobody can change, and objects, which decide what is answered. */
import type { Step } from '../reading/syntax.ts';
import type { Meaning, Path } from './path.ts';

/** Members of a type or a component that are strings. */
const TEXTS: ReadonlySet<Step> = new Set([
  ...[
    'apiName',
    'category',
    'collectionName',
    'globalId',
    'kind',
    'modelName',
    'modelType',
    'plugin',
    'tableName',
    'uid',
  ],
]);
/** Members of an attribute that are strings, or lists of them. */
const OF_ATTRIBUTE: ReadonlySet<Step> = new Set([
  ...['allowedTypes', 'column', 'component', 'components', 'customField', 'default', 'enum', 'inversedBy', 'mappedBy'],
  ...['max', 'maxLength', 'min', 'minLength', 'multiple', 'private', 'regex', 'relation', 'repeatable', 'required'],
  ...['target', 'targetField', 'type', 'unique', 'visible'],
]);

/** Methods of lists that change them. */
export const CHANGING: ReadonlySet<Step> = new Set([
  ...['push', 'unshift', 'splice', 'pop', 'shift', 'set', 'add', 'delete', 'clear', 'sort', 'reverse', 'fill'],
]);

/** What the value below a schema is. */
export function model(path: Path): Meaning {
  const steps = path[0] === 'schema' || path[0] === '__schema__' ? path.slice(1) : path;
  const called = steps.findIndex((step) => typeof step === 'object');
  if (called < 0) return isText(steps) ? 'read' : 'schema';
  if (CHANGING.has(steps[called - 1])) return 'unclear';
  // methods of texts give texts, those of objects may give anything
  if (called > 1 && isText(steps.slice(0, called - 1))) return 'free';
  return steps[called - 1] === 'hasOwnProperty' ? 'free' : 'unclear';
}

function isText(steps: Path): boolean {
  const [part, name, property] = steps;
  if (part === 'info') return steps.length > 1;
  // the one option that is a list, and hides attributes
  if (part === 'options') return name !== undefined && name !== 'privateAttributes';
  if (part === 'pluginOptions') return steps.length > 2;
  return TEXTS.has(part) || (part === 'attributes' && OF_ATTRIBUTE.has(property));
}
