/** A linked document: its state, its name and a link to it. */
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { BASE } from '../../data/base.ts';
import { documentName } from '../../language/document-name.ts';
import { useText } from '../../language/language.tsx';
import { DocumentName, StateMark } from '../../ui/bits.tsx';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { X } from '../../ui/icons.ts';
import { useHost } from '../host.ts';
import { useSortableEntry } from '../rows/sortable.tsx';
import { type Linked, linkKey } from '../values/links.ts';
import styles from './links.module.css';

interface Props {
  readonly link: Linked;
  readonly onRemove: (() => void) | undefined;
}

/** A row that can be moved. */
export function LinkRow(props: Props): ReactNode {
  const t = useText();
  const { link } = props;
  const { setNode, style, isDragging, grip } = useSortableEntry(linkKey(link), documentName(t, link));
  return (
    <li ref={setNode} style={style} className={classes(styles['link'], isDragging && styles['dragging'])}>
      {grip}
      <Inside {...props} />
    </li>
  );
}

/** A row that cannot be moved. */
export function PlainLinkRow(props: Props): ReactNode {
  return (
    <li className={styles['link']}>
      <Inside {...props} />
    </li>
  );
}

function Inside({ link, onRemove }: Props): ReactNode {
  const t = useText();
  const { state } = link;
  return (
    <>
      {state && <StateMark state={state} small />}
      <DocumentLink link={link} />
      {onRemove && (
        <IconButton icon={X} label={t('relation.remove', { name: documentName(t, link) })} onClick={onRemove} />
      )}
    </>
  );
}

/** Links to the document if the administrator may see its type. */
function DocumentLink({ link }: { readonly link: Linked }): ReactNode {
  const { type, documentId, locale } = link;
  const { schema } = useHost();
  const navigate = useNavigate();
  const model = schema.contentTypes.find(({ uid }) => uid === type);
  if (!model)
    return (
      <span dir="auto" className={styles['name']}>
        <DocumentName {...link} />
      </span>
    );
  const id = model.kind === 'singleType' ? 'single' : documentId;
  const search = locale === null ? '' : `?locale=${encodeURIComponent(locale)}`;
  const href = `${BASE}content/${encodeURIComponent(type)}/${encodeURIComponent(id)}${search}`;
  return (
    <a
      href={href}
      dir="auto"
      className={classes(styles['name'], styles['leads'])}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        void navigate({ href });
      }}
    >
      <DocumentName {...link} />
    </a>
  );
}
