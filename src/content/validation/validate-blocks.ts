/** The structure of a blocks document (docs/reference/writing.md, "Values"). */
import { because, below, type Failures, type Place, REQUIRED } from '../../failures.ts';
import { isObject } from '../../plain-values.ts';

type Node = Readonly<Record<string, unknown>>;
/** `depth` is the number of lists around the node. */
type Check = (node: Node, place: Place, failures: Failures, depth: number) => void;

const MARKS = ['bold', 'italic', 'underline', 'strikethrough', 'code'] as const;
const LINK = /^(\/|(https?|ftp):\/\/\S|mailto:\S|tel:\S)/i;
/** Levels of lists within lists. */
const DEPTH = 20;

/** Reports every place where a value is not a blocks document, with the value there. Extra keys are allowed. */
export function checkBlocks(value: unknown, place: Place, failures: Failures): void {
  if (!Array.isArray(value)) {
    failures.add(place, must('be an array'), value);
    return;
  }
  for (const [index, node] of value.entries()) checkNode(node, below(place, index), failures, BLOCKS, 0);
}

const must = (rule: string) => (label: string) => `${label} must ${rule}`;

function checkNode(
  value: unknown,
  place: Place,
  failures: Failures,
  kinds: Readonly<Record<string, Check>>,
  depth: number,
): void {
  if (!isObject(value)) {
    failures.add(place, must('be a block object'), value);
    return;
  }
  const { type } = value;
  const check = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (check) check(value, place, failures, depth);
  else {
    const allowed = Object.keys(kinds).join(', ');
    failures.add(place, (label) => `${label} type must be one of the following values: ${allowed}`, value);
  }
}

/** @param min how many there are at least: 0 or 1. */
function children(kinds: Readonly<Record<string, Check>>, min = 1): Check {
  return (node, place, failures, depth) => {
    const list = node['children'];
    const at = below(place, 'children');
    if (!Array.isArray(list)) failures.add(at, must('be an array'), list);
    else if (list.length < min) failures.add(at, must('have at least 1 item'), list);
    else for (const [index, child] of list.entries()) checkNode(child, below(at, index), failures, kinds, depth);
  };
}

const text: Check = (node, place, failures) => {
  if (typeof node['text'] !== 'string') failures.add(below(place, 'text'), must('be a text'), node['text']);
  for (const mark of MARKS) {
    const value = node[mark];
    if (value !== undefined && typeof value !== 'boolean') {
      failures.add(below(place, mark), must('be a boolean'), value);
    }
  }
};

const linkChildren = children({ text }, 0);

const link: Check = (node, place, failures, depth) => {
  const url = node['url'];
  if (typeof url !== 'string' || !LINK.test(url))
    failures.add(below(place, 'url'), because(must('be a link'), 'link'), url);
  linkChildren(node, place, failures, depth);
};

const INLINE = { text, link };
const inline = children(INLINE);
/** Of kinds that may be empty. */
const anyInline = children(INLINE, 0);

const heading: Check = (node, place, failures, depth) => {
  const level = node['level'];
  const isLevel = typeof level === 'number' && Number.isInteger(level) && level >= 1 && level <= 6;
  if (!isLevel) failures.add(below(place, 'level'), must('be a number from 1 to 6'), level);
  inline(node, place, failures, depth);
};

const codeChildren = children({ text });

const code: Check = (node, place, failures, depth) => {
  const language = node['language'];
  if (language !== undefined && language !== null && typeof language !== 'string') {
    failures.add(below(place, 'language'), must('be a text'), language);
  }
  codeChildren(node, place, failures, depth);
};

const list: Check = (node, place, failures, depth) => {
  const format = node['format'];
  if (format !== 'ordered' && format !== 'unordered') {
    failures.add(below(place, 'format'), must('be one of the following values: ordered, unordered'), format);
  }
  if (depth >= DEPTH)
    failures.add(
      place,
      because((label) => `${label} can be nested at most ${DEPTH} levels deep`, 'deep'),
      node,
    );
  else listChildren(node, place, failures, depth + 1);
};

const listChildren = children({ 'list-item': anyInline, list });

const IMAGE_TEXTS = ['name', 'url', 'hash', 'ext', 'mime', 'provider', 'createdAt', 'updatedAt'] as const;
const IMAGE_OPTIONAL_TEXTS = ['alternativeText', 'caption', 'previewUrl'] as const;
const IMAGE_NUMBERS = ['width', 'height', 'size'] as const;

const image: Check = (node, place, failures, depth) => {
  checkImage(node['image'], below(place, 'image'), failures);
  anyInline(node, place, failures, depth);
};

/** The copy of a file of the library: with less, the reference could not save the document again. */
function checkImage(image: unknown, place: Place, failures: Failures): void {
  if (image === undefined) failures.add(place, REQUIRED);
  else if (!isObject(image)) failures.addWrongType(place, 'object', image);
  if (!isObject(image)) return;
  const check = (type: 'string' | 'number', key: string, isRequired: boolean): void => {
    const value = image[key];
    const isMissing = value === undefined || (type === 'string' && value === '');
    if (isMissing ? !isRequired : typeof value === type || (value === null && !isRequired)) return;
    if (isMissing) failures.add(below(place, key), REQUIRED, value);
    else failures.addWrongType(below(place, key), type, value);
  };
  for (const key of IMAGE_TEXTS) check('string', key, true);
  for (const key of IMAGE_OPTIONAL_TEXTS) check('string', key, false);
  for (const key of IMAGE_NUMBERS) check('number', key, true);
  const formats = image['formats'] ?? {};
  if (!isObject(formats)) failures.addWrongType(below(place, 'formats'), 'object', formats);
}

const BLOCKS: Readonly<Record<string, Check>> = { paragraph: inline, heading, quote: inline, code, list, image };
