/** Names of modules in code that puts them together: `path.join(__dirname, 'checks', name)`. */
import { posix } from 'node:path';
import { type AnyNode, keyOf, plain, textOf } from '../reading/syntax.ts';
import { requiredSource, type Scopes } from './scopes.ts';

/** What an import asks for. */
export type Asked =
  | { readonly kind: 'module'; readonly source: string }
  /** Whatever is in a folder, which is named as an import names it. */
  | { readonly kind: 'folder'; readonly source: string }
  /** A file of another kind than code. */
  | { readonly kind: 'data' }
  | { readonly kind: 'unknown' };

/** A text as far as it is known. */
interface Known {
  readonly text: string;
  /** Whether it is a place beside the file: `.` is its folder. */
  readonly isPlace: boolean;
  /** Whether more follows that is not known, and what that ends with. */
  readonly isOpen: boolean;
  readonly end: string;
}

const DEPTH = 20;
const OPEN: Known = { text: '', isPlace: false, isOpen: true, end: '' };
const whole = (text: string, isPlace = false): Known => ({ text, isPlace, isOpen: false, end: text });
const PATH = /^(?:node:)?path(?:\/posix|\/win32)?$/;
const DATA = /\.(?:json5?|html?|txt|md|ya?ml|csv|svg|node)$/i;

/** The module that an expression names in the file at a path inside the project. */
export function askedBy(expression: AnyNode, path: string, scopes: () => Scopes): Asked {
  const written = textOf(expression);
  if (written !== undefined) return { kind: 'module', source: written };
  const { text, isPlace, isOpen, end } = new Reader(path, scopes()).read(expression, 0);
  if (!isOpen) return { kind: 'module', source: isPlace ? placed(text) : text };
  if (DATA.test(end)) return { kind: 'data' };
  const folder = text.slice(0, text.lastIndexOf('/') + 1);
  const isNear = isPlace || /^\.\.?\//.test(text);
  return isNear && folder !== '' ? { kind: 'folder', source: placed(folder) } : { kind: 'unknown' };
}

/** Whether an expression means the file itself, or one in its folder: what `createRequire` is given. */
export function isBeside(expression: AnyNode, path: string, scopes: Scopes): boolean {
  const { text, isPlace, isOpen } = new Reader(path, scopes).read(expression, 0);
  return isPlace && !isOpen && posix.dirname(text.endsWith('/') ? `${text}x` : text) === '.';
}

/** A place as an import names it. */
function placed(text: string): string {
  const place = posix.normalize(text);
  return /^\.\.?(?:\/|$)/.test(place) ? place : `./${place}`;
}

class Reader {
  readonly #path: string;
  readonly #scopes: Scopes;

  constructor(path: string, scopes: Scopes) {
    this.#path = path;
    this.#scopes = scopes;
  }

  read(expression: AnyNode, depth: number): Known {
    const node = plain(expression);
    const text = textOf(node);
    if (text !== undefined) return whole(text);
    if (depth > DEPTH) return OPEN;
    const read = (inner: AnyNode) => this.read(inner, depth + 1);
    switch (node.type) {
      case 'TemplateLiteral': {
        const parts = node.quasis.flatMap(({ value }, index): Known[] => {
          const hole = node.expressions[index];
          return [whole(value.cooked ?? ''), ...(hole ? [read(hole)] : [])];
        });
        return parts.reduce(joined);
      }
      case 'BinaryExpression':
        return node.operator === '+' && node.left.type !== 'PrivateIdentifier'
          ? joined(read(node.left), read(node.right))
          : OPEN;
      case 'Identifier':
        return this.#ofName(node.name, node, read);
      case 'MemberExpression':
        return this.#ofMember(node, read);
      case 'NewExpression':
        return node.callee.type === 'Identifier' && node.callee.name === 'URL'
          ? this.#ofUrl(node.arguments as AnyNode[], read)
          : OPEN;
      case 'CallExpression':
        return this.#ofCall(plain(node.callee), node.arguments as AnyNode[], read);
      default:
        return OPEN;
    }
  }

  #ofName(name: string, node: AnyNode, read: (node: AnyNode) => Known): Known {
    const binding = this.#scopes.find(name, node);
    if (binding) return binding.init ? read(binding.init) : OPEN;
    if (name === '__dirname') return whole('.', true);
    return name === '__filename' ? this.#file() : OPEN;
  }

  #ofMember(node: AnyNode & { type: 'MemberExpression' }, read: (node: AnyNode) => Known): Known {
    const key = keyOf(node);
    const object = plain(node.object);
    if (object.type === 'MetaProperty') {
      if (key === 'dirname') return whole('.', true);
      return key === 'filename' || key === 'url' ? this.#file() : OPEN;
    }
    return key === 'href' || key === 'pathname' ? read(object) : OPEN;
  }

  /** `new URL('./checks.js', …)`, beside the file. */
  #ofUrl([name, base]: readonly AnyNode[], read: (node: AnyNode) => Known): Known {
    if (!name || !base || !isBeside(base, this.#path, this.#scopes)) return OPEN;
    return { ...read(name), isPlace: true };
  }

  #ofCall(callee: AnyNode, args: readonly AnyNode[], read: (node: AnyNode) => Known): Known {
    const [first] = args;
    const name = callee.type === 'MemberExpression' ? keyOf(callee) : (callee as { name?: string }).name;
    const owner = callee.type === 'MemberExpression' ? plain(callee.object) : undefined;
    if (name === 'cwd' && (owner as { name?: string } | undefined)?.name === 'process') return this.#root();
    if (name === 'pathToFileURL' || name === 'fileURLToPath' || name === 'String') return first ? read(first) : OPEN;
    if (name === 'toString' && owner && !first) return read(owner);
    // `require.resolve(name)`
    if (name === 'resolve' && owner?.type === 'Identifier' && owner.name === 'require')
      return first ? read(first) : OPEN;
    if (!this.#isOfPath(callee)) return OPEN;
    const parts = args.map((argument) => (argument.type === 'SpreadElement' ? OPEN : read(argument)));
    if (name === 'dirname' && parts[0] && !parts[0].isOpen) return { ...parts[0], text: posix.dirname(parts[0].text) };
    if (name === 'normalize') return parts[0] ?? OPEN;
    if (name !== 'join' && name !== 'resolve') return OPEN;
    // what is resolved begins in the folder of the project, unless it begins elsewhere
    const isNear = name === 'resolve' && parts[0]?.isPlace === false && !parts[0].text.startsWith('/');
    const all = isNear ? [this.#root(), ...parts] : parts;
    const slash = whole('/');
    const put = all.slice(1).reduce((before, part) => joined(joined(before, slash), part), all[0] ?? whole('.'));
    return put.isOpen ? put : { ...put, text: posix.normalize(put.text) };
  }

  /** Whether a function is one of Node's `path`. */
  #isOfPath(callee: AnyNode): boolean {
    let node = callee;
    while (node.type === 'MemberExpression') node = plain(node.object);
    if (node.type !== 'Identifier') return PATH.test(requiredSource(node) ?? '');
    return PATH.test(this.#scopes.find(node.name, node)?.from?.source ?? '');
  }

  #file(): Known {
    return whole(`./${posix.basename(this.#path)}`, true);
  }

  #root(): Known {
    return whole(posix.relative(posix.dirname(this.#path), '.') || '.', true);
  }
}

/** One text and another behind it. */
function joined(one: Known, other: Known): Known {
  if (one.isOpen) return { ...one, end: other.isOpen ? other.end : one.end + other.text };
  return { ...one, text: one.text + other.text, isOpen: other.isOpen, end: other.end };
}
