/** A read-only blocks document. Nothing in it is executed. */
import { createElement, Fragment, type ReactNode } from 'react';
import styles from '../read-only-value.module.css';
import { useTextDirection } from '../text-direction.ts';
import { isValues, type Values } from '../values/model.ts';
import { partsOf, type Range } from '../values/text-parts.ts';

/** The ranges to mark in the texts, and the element that marks them. */
interface Marking {
  readonly ranges?: ReadonlyMap<Values, readonly Range[]>;
  readonly mark?: 'del' | 'ins' | 'mark';
}

export function ShownBlocks({ value, ...marking }: Marking & { readonly value: unknown }): ReactNode {
  return (
    <div {...useTextDirection()} className={styles['prose']}>
      {shownNodes(value, marking)}
    </div>
  );
}

function shownNodes(nodes: unknown, marking: Marking): ReactNode {
  if (!Array.isArray(nodes)) return null;
  // Nodes have no keys, and keep no state.
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
      // Below the heading of the dialog or page.
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
      // Links are not followed here.
      return <u>{childrenOf(children)}</u>;
    case 'image':
      return <p>{isValues(node['image']) ? String(node['image']['name'] ?? '') : ''}</p>;
    default:
      return <p>{childrenOf(children)}</p>;
  }
}

/**
 * The children of a list. A nested list is rendered as an item without a marker, because lists may only contain items.
 */
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
