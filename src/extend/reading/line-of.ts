/** In which line of a file something is written, for messages about it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MistakeInFile, UsageError } from '../../errors.ts';
import { loadParser } from './parser.ts';
import { type AnyNode, keyOf, type Program, plain, walk } from './syntax.ts';

/**
 * The line to which names and places in lists lead: keys of objects, texts, declared names. What is not written out is
 * passed over, so that the line is that of the last one that is.
 *
 * @param trail from the outside in. @returns undefined where nothing of it is written out.
 */
export function lineOf(program: Program, source: string, trail: readonly (string | number)[]): number | undefined {
  let place: AnyNode = program;
  let found: AnyNode | undefined;
  for (const step of trail) {
    const next: Found | undefined = typeof step === 'number' ? itemOf(place, step) : named(place, step);
    if (!next) continue;
    [found, place] = [next.at, next.within];
  }
  return found && source.slice(0, found.start).split('\n').length;
}

interface Found {
  readonly at: AnyNode;
  /** Where the next name is looked for. */
  readonly within: AnyNode;
}

function itemOf(place: AnyNode, index: number): Found | undefined {
  let list: AnyNode | undefined;
  walk(place, (node) => {
    if (node.type === 'ArrayExpression') list ??= node;
  });
  const item = list?.type === 'ArrayExpression' ? list.elements[index] : undefined;
  return item ? { at: item, within: item } : undefined;
}

/** What has a name: the outermost, and of several the first. */
function named(place: AnyNode, name: string): Found | undefined {
  let best: { readonly found: Found; readonly depth: number } | undefined;
  walk(place, (node, around) => {
    const found = node === place ? undefined : withName(node, around, name);
    if (found && (!best || around.length < best.depth)) best = { found, depth: around.length };
  });
  return best?.found;
}

function withName(node: AnyNode, around: readonly AnyNode[], name: string): Found | undefined {
  if (node.type === 'ExportDefaultDeclaration' && name === 'default') return { at: node, within: node.declaration };
  if (node.type === 'Property') return keyOf(node) === name ? { at: node, within: node.value } : undefined;
  if (node.type === 'VariableDeclarator') {
    return node.id.type === 'Identifier' && node.id.name === name && node.init
      ? { at: node, within: node.init }
      : undefined;
  }
  if (node.type === 'AssignmentExpression' && plain(node.left).type === 'MemberExpression') {
    return keyOf(plain(node.left) as AnyNode & { type: 'MemberExpression' }) === name
      ? { at: node, within: node.right }
      : undefined;
  }
  if (node.type !== 'Literal' || node.value !== name) return undefined;
  // what else is said of it stands beside it: `{ path: '/notes', handler: 'note.find' }`
  const object = around.find(({ type }) => type === 'ObjectExpression');
  return { at: node, within: object ?? node };
}

/**
 * A mistake as it is told: `src/api/note/routes/note.js:3: …`. Any other error is given back as it is.
 *
 * @param dir absolute path of the project.
 */
export async function withLine(error: unknown, dir: string): Promise<unknown> {
  if (!(error instanceof MistakeInFile)) return error;
  const { file, mistake } = error;
  const line = await lineIn(join(dir, file), mistake.trail);
  return new UsageError(`${file}${line === undefined ? '' : `:${line}`}: ${mistake.message.split('\n', 1)[0]}`, 1);
}

async function lineIn(file: string, trail: readonly (string | number)[]): Promise<number | undefined> {
  try {
    const source = readFileSync(file, 'utf8');
    const program = (await loadParser([file]))(file, source);
    return program && lineOf(program, source, trail);
  } catch {
    // the message without its line says more than that there is none
    return undefined;
  }
}
