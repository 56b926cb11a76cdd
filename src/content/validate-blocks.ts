/** The structure of a blocks document (behaviour-writes.md, "Attribute values"). */

export interface BlockFailure {
  readonly path: readonly string[];
  readonly message: string;
}

type Node = Readonly<Record<string, unknown>>;
type Check = (node: Node, path: readonly string[], failures: BlockFailure[]) => void;

const MARKS = ['bold', 'italic', 'underline', 'strikethrough', 'code'] as const;
const LINK = /^(\/|(https?|ftp):\/\/\S|mailto:\S|tel:\S)/i;
/** Levels of lists within lists. */
const DEPTH = 20;

/** Every place where a value is not a blocks document; paths begin with `path`. Extra keys are kept. */
export function blocksFailures(value: unknown, path: readonly string[]): BlockFailure[] {
  const failures: BlockFailure[] = [];
  if (!Array.isArray(value)) {
    failures.push({ path, message: `${path.join('.')} must be an array` });
    return failures;
  }
  value.forEach((node, index) => {
    checkNode(node, [...path, String(index)], failures, BLOCKS);
  });
  return failures;
}

function fail(failures: BlockFailure[], path: readonly string[], message: string): void {
  failures.push({ path, message: `${path.join('.')} ${message}` });
}

function checkNode(
  value: unknown,
  path: readonly string[],
  failures: BlockFailure[],
  kinds: Readonly<Record<string, Check>>,
) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    fail(failures, path, 'must be a block object');
    return;
  }
  const node = value as Node;
  const type = node['type'];
  const check = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (check) check(node, path, failures);
  else fail(failures, path, `type must be one of the following values: ${Object.keys(kinds).join(', ')}`);
}

function children(kinds: Readonly<Record<string, Check>>): Check {
  return (node, path, failures) => {
    const list = node['children'];
    const at = [...path, 'children'];
    if (!Array.isArray(list) || list.length === 0) fail(failures, at, 'must have at least 1 item');
    else for (const [index, child] of list.entries()) checkNode(child, [...at, String(index)], failures, kinds);
  };
}

const text: Check = (node, path, failures) => {
  if (typeof node['text'] !== 'string') fail(failures, [...path, 'text'], 'must be a text');
  for (const mark of MARKS) {
    if (node[mark] !== undefined && typeof node[mark] !== 'boolean')
      fail(failures, [...path, mark], 'must be a boolean');
  }
};

const link: Check = (node, path, failures) => {
  const url = node['url'];
  if (typeof url !== 'string' || !LINK.test(url)) fail(failures, [...path, 'url'], 'must be a link');
  children({ text })(node, path, failures);
};

const inline = children({ text, link });

const heading: Check = (node, path, failures) => {
  const level = node['level'];
  const known = typeof level === 'number' && Number.isInteger(level) && level >= 1 && level <= 6;
  if (!known) fail(failures, [...path, 'level'], 'must be a number from 1 to 6');
  inline(node, path, failures);
};

const code: Check = (node, path, failures) => {
  const language = node['language'];
  if (language !== undefined && language !== null && typeof language !== 'string') {
    fail(failures, [...path, 'language'], 'must be a text');
  }
  children({ text })(node, path, failures);
};

const list: Check = (node, path, failures) => {
  const format = node['format'];
  if (format !== 'ordered' && format !== 'unordered') {
    fail(failures, [...path, 'format'], 'must be one of the following values: ordered, unordered');
  }
  if (path.length > DEPTH * 2) fail(failures, path, `can be nested at most ${DEPTH} levels deep`);
  else children({ 'list-item': inline, list })(node, path, failures);
};

const IMAGE_TEXTS = ['name', 'url', 'hash', 'ext', 'mime', 'provider'] as const;
const IMAGE_NUMBERS = ['width', 'height', 'size'] as const;

const image: Check = (node, path, failures) => {
  const value = node['image'];
  const at = [...path, 'image'];
  if (typeof value !== 'object' || value === null) {
    fail(failures, at, 'must be an image object');
    return;
  }
  const record = value as Node;
  for (const key of IMAGE_TEXTS) if (typeof record[key] !== 'string') fail(failures, [...at, key], 'must be a text');
  for (const key of IMAGE_NUMBERS)
    if (typeof record[key] !== 'number') fail(failures, [...at, key], 'must be a number');
};

const BLOCKS: Readonly<Record<string, Check>> = { paragraph: inline, heading, quote: inline, code, list, image };
