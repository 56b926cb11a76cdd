/** A blocks document to be read: its texts in their kinds, nothing of it executed. */
import { createElement, Fragment, type ReactNode } from 'react';
import styles from '../shown.module.css';
import { isValues, type Values } from '../values/model.ts';
import { partsOf, type Range } from '../values/text-parts.ts';
import { useWriting } from '../writing.ts';

/** Parts of the texts that are marked, and what they are marked with. */
interface Marking {
  readonly ranges?: ReadonlyMap<Values, readonly Range[]>;
  readonly mark?: 'del' | 'ins' | 'mark';
}

export function ShownBlocks({ value, ...marking }: Marking & { readonly value: unknown }): ReactNode {
  return (
    <div {...useWriting()} className={styles['prose']}>
      {shownNodes(value, marking)}
    </div>
  );
}

function shownNodes(nodes: unknown, marking: Marking): ReactNode {
  if (!Array.isArray(nodes)) return null;
  // nodes have no names of their own, and none of them keeps a state
  return nodes.filter(isValues).map((node, index) => <ShownNode key={String(index)} node={node} marking={marking} />);
}

function ShownNode({ node, marking }: { readonly node: Values; readonly marking: Marking }): ReactNode {
  const { type, children } = node;
  const childrenOf = (nodes: unknown): ReactNode => shownNodes(nodes, marking);
  switch (type) {
    case 'text':
      return marked(node, marking);
    case 'heading': {
      const level = Math.min(6, Math.max(1, Number(node['level']) || 1));
      // below the heading of what they are shown in
      return createElement(`h${Math.min(6, level + 3)}`, { 'data-level': level }, childrenOf(children));
    }
    case 'quote':
      return <blockquote>{childrenOf(children)}</blockquote>;
    case 'code':
      return <pre dir="ltr">{childrenOf(children)}</pre>;
    case 'list':
      return createElement(node['format'] === 'ordered' ? 'ol' : 'ul', {}, entriesOf(children, marking));
    case 'list-item':
      return <li>{childrenOf(children)}</li>;
    case 'link':
      // to be read, not gone to
      return <u>{childrenOf(children)}</u>;
    case 'image':
      return <p>{isValues(node['image']) ? String(node['image']['name'] ?? '') : ''}</p>;
    default:
      return <p>{childrenOf(children)}</p>;
  }
}

/** What stands in a list. A list within it is an entry of its own, without a mark: lists have nothing but entries. */
function entriesOf(nodes: unknown, marking: Marking): ReactNode {
  if (!Array.isArray(nodes)) return null;
  return nodes.filter(isValues).map((node, index) => {
    const shown = <ShownNode key={String(index)} node={node} marking={marking} />;
    if (node['type'] === 'list-item') return shown;
    return (
      // entries have no names of their own
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <li key={index} className={styles['inner']}>
        {shown}
      </li>
    );
  });
}

/** The element of each mark, from the innermost to the outermost. */
export const MARK_TAGS = [
  ['code', 'code'],
  ['bold', 'strong'],
  ['italic', 'em'],
  ['underline', 'u'],
  ['strikethrough', 's'],
] as const;

function marked(node: Values, { ranges, mark: Tag = 'mark' }: Marking): ReactNode {
  const parts = partsOf(String(node['text'] ?? ''), ranges?.get(node) ?? []);
  const words = parts.map(({ at, text, isWithin }) =>
    isWithin ? <Tag key={at}>{text}</Tag> : <Fragment key={at}>{text}</Fragment>,
  );
  return MARK_TAGS.reduce<ReactNode>(
    (inside, [mark, tag]) => (node[mark] === true ? createElement(tag, {}, inside) : inside),
    words,
  );
}
