/** The structure of a blocks document (docs/reference/writing.md, "Values"). */
import { below, type Failures, type Place } from '../../failures.ts';

type Node = Readonly<Record<string, unknown>>;
/** `depth` is the number of lists around the node. */
type Check = (node: Node, place: Place, failures: Failures, depth: number) => void;

const MARKS = ['bold', 'italic', 'underline', 'strikethrough', 'code'] as const;
const LINK = /^(\/|(https?|ftp):\/\/\S|mailto:\S|tel:\S)/i;
/** Levels of lists within lists. */
const DEPTH = 20;

/** Tells every place where a value is not a blocks document, each with what stands there. Extra keys are kept. */
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    failures.add(place, must('be a block object'), value);
    return;
  }
  const node = value as Node;
  const type = node['type'];
  const check = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (check) check(node, place, failures, depth);
  else {
    const known = Object.keys(kinds).join(', ');
    failures.add(place, (label) => `${label} type must be one of the following values: ${known}`, value);
  }
}

function children(kinds: Readonly<Record<string, Check>>): Check {
  return (node, place, failures, depth) => {
    const list = node['children'];
    const at = below(place, 'children');
    if (!Array.isArray(list) || list.length === 0) failures.add(at, must('have at least 1 item'), list);
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

const linkChildren = children({ text });

const link: Check = (node, place, failures, depth) => {
  const url = node['url'];
  if (typeof url !== 'string' || !LINK.test(url)) failures.add(below(place, 'url'), must('be a link'), url);
  linkChildren(node, place, failures, depth);
};

const inline = children({ text, link });

const heading: Check = (node, place, failures, depth) => {
  const level = node['level'];
  const known = typeof level === 'number' && Number.isInteger(level) && level >= 1 && level <= 6;
  if (!known) failures.add(below(place, 'level'), must('be a number from 1 to 6'), level);
  inline(node, place, failures, depth);
};

const code: Check = (node, place, failures, depth) => {
  const language = node['language'];
  if (language !== undefined && language !== null && typeof language !== 'string') {
    failures.add(below(place, 'language'), must('be a text'), language);
  }
  linkChildren(node, place, failures, depth);
};

const list: Check = (node, place, failures, depth) => {
  const format = node['format'];
  if (format !== 'ordered' && format !== 'unordered') {
    failures.add(below(place, 'format'), must('be one of the following values: ordered, unordered'), format);
  }
  if (depth >= DEPTH) failures.add(place, (label) => `${label} can be nested at most ${DEPTH} levels deep`, node);
  else listChildren(node, place, failures, depth + 1);
};

const listChildren = children({ 'list-item': inline, list });

const IMAGE_TEXTS = ['name', 'url', 'hash', 'ext', 'mime', 'provider'] as const;
const IMAGE_NUMBERS = ['width', 'height', 'size'] as const;

const image: Check = (node, place, failures) => {
  const value = node['image'];
  const at = below(place, 'image');
  if (typeof value !== 'object' || value === null) {
    failures.add(at, must('be an image object'), value);
    return;
  }
  const record = value as Node;
  for (const key of IMAGE_TEXTS) {
    if (typeof record[key] !== 'string') failures.add(below(at, key), must('be a text'), record[key]);
  }
  for (const key of IMAGE_NUMBERS) {
    if (typeof record[key] !== 'number') failures.add(below(at, key), must('be a number'), record[key]);
  }
};

const BLOCKS: Readonly<Record<string, Check>> = { paragraph: inline, heading, quote: inline, code, list, image };
