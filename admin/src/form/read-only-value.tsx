/** A read-only value of any type, for comparisons. */
import type { ReactNode } from 'react';
import { useLocale, useText } from '../language/language.tsx';
import { FilePreview } from '../media/preview.tsx';
import { Chip, DocumentName } from '../ui/bits.tsx';
import { ShownBlocks } from './blocks/shown-blocks.tsx';
import { useHost } from './host.ts';
import { shortForm } from './mark-text.ts';
import styles from './read-only-value.module.css';
import { useTextDirection } from './text-direction.ts';
import { filesOf, linkKey, linksOf, loadedLinks } from './values/links.ts';
import { type Attribute, componentOf, entriesOf, type Model, type Values } from './values/model.ts';
import { rowKey } from './values/new-values.ts';
import { unparsedText } from './values/unparsed.ts';

interface Props {
  readonly attribute: Attribute;
  readonly value: unknown;
}

export function ReadOnlyValue({ attribute, value }: Props): ReactNode {
  const t = useText();
  const locale = useLocale();
  const { schema } = useHost();
  const writing = useTextDirection();
  const { type } = attribute;
  if (type === 'boolean' && typeof value === 'boolean') return <p>{t(value ? 'boolean.yes' : 'boolean.no')}</p>;
  if (isEmpty(value)) return <p className={styles['empty']}>{t('mark.empty')}</p>;
  const written = unparsedText(value);
  if (written !== undefined) {
    return (
      <p dir="auto" className={styles['text']}>
        {written}
      </p>
    );
  }
  switch (type) {
    case 'relation':
      return (
        <div className={styles['chips']}>
          {loadedLinks(linksOf(value)).map((link) => (
            <Chip key={linkKey(link)}>
              <span dir="auto">
                <DocumentName {...link} />
              </span>
            </Chip>
          ))}
        </div>
      );
    case 'media':
      return (
        <ul className={styles['files']}>
          {filesOf(value).map((file) => (
            <li key={file.id}>
              <span className={styles['picture']}>
                <FilePreview file={file} width={72} />
              </span>
              <span dir="auto">{file.name}</span>
            </li>
          ))}
        </ul>
      );
    case 'component':
    case 'dynamiczone': {
      return entriesOf(value).map((row, index) => (
        <ShownRow
          key={rowKey(row, index)}
          model={componentOf(schema, attribute, row)}
          row={row}
          isNamed={type === 'dynamiczone'}
        />
      ));
    }
    case 'blocks':
      return <ShownBlocks value={value} />;
    case 'json':
      return (
        <pre dir="ltr" className={styles['code']}>
          {JSON.stringify(value, null, 2)}
        </pre>
      );
    default:
      return (
        <p {...(TEXTS.has(type) ? writing : BY_ITSELF)} className={styles['text']}>
          {shortForm(type, value, locale)}
        </p>
      );
  }
}

/** Types whose values are in the language of the document. */
const TEXTS: ReadonlySet<Attribute['type']> = new Set(['string', 'text', 'richtext']);
const BY_ITSELF = { dir: 'auto' } as const;

interface RowProps {
  readonly model: Model | undefined;
  readonly row: Values;
  /** Whether rows show the name of their component. */
  readonly isNamed: boolean;
}

function ShownRow({ model, row, isNamed }: RowProps): ReactNode {
  const readable = model?.attributes.filter(({ name, readable: is }) => is && !isEmpty(row[name])) ?? [];
  return (
    <section className={styles['row']}>
      {isNamed && <p className={styles['kind']}>{model?.displayName}</p>}
      <dl>
        {readable.map((attribute) => (
          <div key={attribute.name}>
            <dt>{attribute.label}</dt>
            <dd>
              <ReadOnlyValue attribute={attribute} value={row[attribute.name]} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Whether there is nothing to show. */
export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}
