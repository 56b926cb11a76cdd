/**
 * A preview of Markdown. Its syntax tree becomes React elements, so nothing in it can become markup: HTML is shown as
 * text, addresses that would execute something are not linked, and pictures of other sites are not fetched.
 */
import type { SyntaxNode } from '@lezer/common';
import { createElement, Fragment, type ReactNode } from 'react';
import { useCurrentAddress } from '../../media/current.ts';
import styles from '../read-only-value.module.css';
import { useTextDirection } from '../text-direction.ts';
import { markdownParser } from './markdown.ts';
import { unescaped } from './pictures.ts';

export function MarkdownPreview({ text }: { readonly text: string }): ReactNode {
  return (
    <div {...useTextDirection()} className={styles['prose']}>
      {rendered(text)}
    </div>
  );
}

interface Reading {
  readonly text: string;
  /** Link references by name in lower case. */
  readonly references: ReadonlyMap<string, string>;
}

/** Renders a text. Exported for tests. */
export function rendered(text: string): ReactNode {
  const { topNode } = markdownParser.parse(text);
  const references = new Map<string, string>();
  for (const node of topNode.getChildren('LinkReference')) {
    const [label, url] = [node.getChild('LinkLabel'), node.getChild('URL')];
    if (label && url) references.set(nameOf(text.slice(label.from, label.to)), text.slice(url.from, url.to));
  }
  return inside({ text, references }, topNode);
}

const nameOf = (label: string): string =>
  label
    .replace(/^\[|\]$/g, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();

/** The signs of marks, which are not shown. */
const MARKS =
  /^(?:HeaderMark|QuoteMark|ListMark|CodeMark|CodeInfo|EmphasisMark|StrikethroughMark|LinkMark|LinkTitle|LinkLabel|URL|LinkReference|TableDelimiter)$/;

/** Block nodes, between which there are only line breaks. */
const BLOCKS = /^(?:Document|Blockquote|BulletList|OrderedList|ListItem|Table|TableHeader|TableRow)$/;

function inside(reading: Reading, node: SyntaxNode, from = node.from, to = node.to): ReactNode {
  const parts: ReactNode[] = [];
  const isBlock = BLOCKS.test(node.name);
  let at = from;
  const plain = (until: number): void => {
    if (!isBlock && until > at) parts.push(reading.text.slice(at, until));
  };
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (child.from < from || child.to > to) continue;
    plain(child.from);
    if (!MARKS.test(child.name) || isBareAddress(child)) {
      parts.push(<Fragment key={child.from}>{element(reading, child)}</Fragment>);
    }
    at = child.to;
  }
  plain(to);
  return parts;
}

/** A bare address, as opposed to the target of a link. */
function isBareAddress(node: SyntaxNode): boolean {
  return node.name === 'URL' && !/^(?:Link|Image|LinkReference)$/.test(node.parent?.name ?? '');
}

const SIMPLE: Readonly<Record<string, string>> = {
  Paragraph: 'p',
  Blockquote: 'blockquote',
  BulletList: 'ul',
  ListItem: 'li',
  Emphasis: 'em',
  StrongEmphasis: 'strong',
  Strikethrough: 's',
  InlineCode: 'code',
  Table: 'table',
};

function element(reading: Reading, node: SyntaxNode): ReactNode {
  const { name } = node;
  const source = reading.text.slice(node.from, node.to);
  const tag = SIMPLE[name];
  if (tag !== undefined) return createElement(tag, {}, inside(reading, node));
  const level = /^(?:ATX|Setext)Heading(\d)$/.exec(name)?.[1];
  // Below the headings of the page.
  if (level !== undefined) {
    const [from, to] = [node.firstChild?.to ?? node.from, node.to];
    const isAtx = name.startsWith('ATX');
    const tag = `h${Math.min(6, Number(level) + 2)}`;
    return createElement(tag, { 'data-level': level }, inside(reading, node, isAtx ? from : node.from, to));
  }
  switch (name) {
    case 'OrderedList':
      return <ol start={Number.parseInt(source, 10)}>{inside(reading, node)}</ol>;
    case 'FencedCode':
    case 'CodeBlock':
      return (
        <pre dir="ltr">
          <code>
            {node
              .getChildren('CodeText')
              .map(({ from, to }) => reading.text.slice(from, to))
              .join('')}
          </code>
        </pre>
      );
    case 'HorizontalRule':
      return <hr />;
    case 'HardBreak':
      return <br />;
    case 'Escape':
      return source.slice(1);
    case 'Entity':
      return decoded(source);
    case 'TableHeader':
    case 'TableRow':
      return <tr>{cellsOf(reading, node)}</tr>;
    case 'Task':
      return inside(reading, node);
    case 'TaskMarker':
      return <input type="checkbox" checked={/x/i.test(source)} disabled />;
    case 'Link':
    case 'Image':
      return linked(reading, node);
    case 'URL':
    case 'Autolink':
      return anchor(source.replace(/^<|>$/g, ''), source.replace(/^<|>$/g, ''));
    // HTML, comments and anything else: as text.
    default:
      return /^(?:HTMLBlock|CommentBlock|ProcessingInstructionBlock)$/.test(name) ? <pre>{source}</pre> : source;
  }
}

/** The cells of a row. The parser omits empty cells. */
function cellsOf(reading: Reading, row: SyntaxNode): readonly ReactNode[] {
  const tag = row.name === 'TableHeader' ? 'th' : 'td';
  const cells: ReactNode[] = [];
  let isOpen = false;
  for (let child = row.firstChild; child; child = child.nextSibling) {
    const isStroke = child.name === 'TableDelimiter';
    if (!isStroke) cells.push(createElement(tag, { key: child.from }, inside(reading, child)));
    else if (isOpen) cells.push(createElement(tag, { key: child.from }));
    isOpen = isStroke;
  }
  return cells;
}

function linked(reading: Reading, node: SyntaxNode): ReactNode {
  const { text, references } = reading;
  const marks = node.getChildren('LinkMark');
  const [open, close] = marks;
  const [from, to] = [open?.to ?? node.from, close?.from ?? node.to];
  const url = node.getChild('URL');
  const label = node.getChild('LinkLabel');
  const name = nameOf(label && label.to - label.from > 2 ? text.slice(label.from, label.to) : text.slice(from, to));
  const address = url ? text.slice(url.from, url.to).replace(/^<|>$/g, '') : references.get(name);
  if (address === undefined) return text.slice(node.from, node.to);
  const words = inside(reading, node, from, to);
  if (node.name === 'Link') return anchor(address, words);
  const alternative = unescaped(text.slice(from, to));
  // Pictures of other sites are not fetched.
  return /^\/(?![/\\])/.test(address) ? (
    <Picture address={address} alternative={alternative} />
  ) : (
    <em>{alternative || address}</em>
  );
}

function Picture({ address, alternative }: { readonly address: string; readonly alternative: string }): ReactNode {
  return <img src={useCurrentAddress(address)} alt={alternative} />;
}

/** Links to pages and e-mail addresses. Other addresses become text. */
function anchor(address: string, words: ReactNode): ReactNode {
  const target = /^www\./i.test(address) ? `https://${address}` : address;
  if (/^[\w.+-]+@[\w.-]+$/.test(target)) return <a href={`mailto:${target}`}>{words}</a>;
  if (!/^(?:https?:|mailto:|tel:|[/#?](?![/\\]))/i.test(target)) return <u>{words}</u>;
  return (
    <a href={target} target="_blank" rel="noreferrer">
      {words}
    </a>
  );
}

/** The character of an entity such as `&amp;`. The browser parses it into a document that executes nothing. */
function decoded(entity: string): string {
  return new DOMParser().parseFromString(entity, 'text/html').body.textContent ?? entity;
}
