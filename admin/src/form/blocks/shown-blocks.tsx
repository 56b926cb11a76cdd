/** A blocks document to be read: its texts in their kinds, nothing of it executed. */
import { createElement, type ReactNode } from 'react';
import styles from '../shown.module.css';
import { isValues, type Values } from '../values/model.ts';

export function ShownBlocks({ value }: { readonly value: unknown }): ReactNode {
  return <div className={styles['prose']}>{childrenOf(value)}</div>;
}

function childrenOf(nodes: unknown): ReactNode {
  if (!Array.isArray(nodes)) return null;
  // nodes have no names of their own, and none of them keeps a state
  return nodes.filter(isValues).map((node, index) => <ShownNode key={String(index)} node={node} />);
}

function ShownNode({ node }: { readonly node: Values }): ReactNode {
  const { type, children } = node;
  switch (type) {
    case 'text':
      return marked(node);
    case 'heading': {
      const level = Math.min(6, Math.max(1, Number(node['level']) || 1));
      // below the heading of what they are shown in
      return createElement(`h${Math.min(6, level + 3)}`, {}, childrenOf(children));
    }
    case 'quote':
      return <blockquote>{childrenOf(children)}</blockquote>;
    case 'code':
      return <pre>{childrenOf(children)}</pre>;
    case 'list':
      return createElement(node['format'] === 'ordered' ? 'ol' : 'ul', {}, childrenOf(children));
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

const MARKS = [
  ['code', 'code'],
  ['bold', 'strong'],
  ['italic', 'em'],
  ['underline', 'u'],
  ['strikethrough', 's'],
] as const;

function marked(node: Values): ReactNode {
  return MARKS.reduce<ReactNode>(
    (inside, [mark, tag]) => (node[mark] === true ? createElement(tag, {}, inside) : inside),
    String(node['text'] ?? ''),
  );
}
