/** The elements and marks of the blocks editor. */
import { createContext, createElement, type ReactElement, type ReactNode, use } from 'react';
import { Element, Node, Transforms } from 'slate';
import {
  ReactEditor,
  type RenderElementProps,
  type RenderLeafProps,
  useFocused,
  useReadOnly,
  useSelected,
  useSlateStatic,
} from 'slate-react';
import { useText } from '../../language/language.tsx';
import { useCurrentAddress } from '../../media/current.ts';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Pencil, Trash } from '../../ui/icons.ts';
import type { PlacedPicture } from '../pictures/missing-alternatives.tsx';
import { useTextDirection } from '../text-direction.ts';
import styles from './blocks.module.css';
import { placedPicture } from './placed-picture.ts';
import { MARK_TAGS } from './shown-blocks.tsx';

/** Opens the dialog for the alternative text of a picture. */
export const DescribeContext = createContext<(picture: PlacedPicture & { readonly text: string }) => void>(() => {});

export function BlockElement(props: RenderElementProps): ReactElement {
  const { attributes: elementProps, children, element } = props;
  const isByItself = useTextDirection().dir === 'auto';
  const attributes = isByItself ? { ...elementProps, dir: 'auto' as const } : elementProps;
  switch (element.type) {
    case 'heading': {
      const level = Math.min(6, Math.max(1, element.level ?? 1));
      // Headings of the text are not headings of the page. The toolbar shows their level.
      return (
        <div {...attributes} className={styles[`h${level}`]}>
          {children}
        </div>
      );
    }
    case 'quote':
      return <blockquote {...attributes}>{children}</blockquote>;
    case 'code':
      return (
        <pre {...attributes} dir="ltr">
          <code>{children}</code>
        </pre>
      );
    case 'list':
      return (
        <List given={attributes} element={element}>
          {children}
        </List>
      );
    case 'list-item':
      return <li {...elementProps}>{children}</li>;
    case 'link':
      return (
        <span {...elementProps} className={styles['link']} title={element.url}>
          {children}
        </span>
      );
    case 'image':
      return <Picture {...props} />;
    default:
      return <p {...attributes}>{children}</p>;
  }
}

/** A list. A list within a list is rendered as an item without a marker, because lists may only contain items. */
function List({
  given,
  element,
  children,
}: Pick<RenderElementProps, 'element'> & { readonly given: object; readonly children: ReactNode }): ReactElement {
  const editor = useSlateStatic();
  const list = element.format === 'ordered' ? 'ol' : 'ul';
  const path = ReactEditor.findPath(editor, element);
  const around = path.length > 1 ? Node.parent(editor, path) : undefined;
  const isInner = Element.isElement(around) && around.type === 'list';
  if (!isInner) return createElement(list, given, children);
  return (
    <li {...given} className={styles['inner']}>
      {createElement(list, {}, children)}
    </li>
  );
}

function Picture({ attributes, children, element }: RenderElementProps): ReactElement {
  const t = useText();
  const editor = useSlateStatic();
  const [isSelected, isFocused] = [useSelected(), useFocused()];
  const readOnly = useReadOnly();
  const describe = use(DescribeContext);
  const { url, alternativeText, name } = (element.image ?? {}) as Partial<Record<string, unknown>>;
  const address = useCurrentAddress(typeof url === 'string' ? url : '');
  const words = String(alternativeText || name || t('blocks.picture'));
  const described = typeof alternativeText === 'string' ? alternativeText : '';
  return (
    <div {...attributes}>
      {children}
      <figure contentEditable={false} className={styles['figure']}>
        <div className={classes(styles['picture'], isSelected && isFocused && styles['selected'])}>
          {address === '' ? <span>{words}</span> : <img src={address} alt={words} draggable={false} />}
          {!readOnly && (
            <span className={styles['remove']}>
              <IconButton
                icon={Trash}
                look="plain"
                label={t('blocks.picture.remove')}
                onClick={() => Transforms.removeNodes(editor, { at: ReactEditor.findPath(editor, element) })}
              />
            </span>
          )}
        </div>
        <figcaption className={styles['described']}>
          {readOnly ? (
            described || t('picture.none')
          ) : (
            <button
              type="button"
              title={t('picture.edit')}
              data-missing={described === '' || undefined}
              onClick={() =>
                describe({ ...placedPicture(editor, ReactEditor.findPath(editor, element)), text: described })
              }
            >
              <Pencil size={13} />
              {described || t('picture.none')}
            </button>
          )}
        </figcaption>
      </figure>
    </div>
  );
}

export function Leaf({ attributes, children, leaf }: RenderLeafProps): ReactElement {
  const inside = MARK_TAGS.reduce<ReactNode>(
    (words, [mark, tag]) => (leaf[mark] ? createElement(tag, {}, words) : words),
    children,
  );
  return <span {...attributes}>{inside}</span>;
}
