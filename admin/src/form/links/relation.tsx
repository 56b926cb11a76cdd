/** Links to documents: sought as one writes, put in order, and led to. */
import { type ReactNode, useState } from 'react';
import { documentName } from '../../language/document-name.ts';
import { useText } from '../../language/language.tsx';
import { StateMark } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { Select } from '../../ui/input.tsx';
import { type ControlProps, useHost } from '../host.ts';
import { moved, Sortable } from '../rows/sortable.tsx';
import { LINKED_AT_ONCE } from '../services.ts';
import { type Linked, linkKey, linksOf, relationValue, withLinks, withMore } from '../values/links.ts';
import { isToOne } from '../values/model.ts';
import { LinkRow, PlainLinkRow } from './link-row.tsx';
import { useLinkable } from './linkable.ts';
import styles from './links.module.css';

export function RelationControl(props: ControlProps): ReactNode {
  const { attribute, value, readOnly, onValue } = props;
  const t = useText();
  const links = linksOf(value);
  const { items } = links;
  const toOne = isToOne(attribute);
  // what somebody may not see may be there all the same
  const { schema } = useHost();
  const isSeen = attribute.target === undefined || schema.contentTypes.some(({ uid }) => uid === attribute.target);
  const put = (next: readonly Linked[]): void => onValue(toOne ? next : withLinks(links, next));
  const remove = (link: Linked): void => put(items.filter((other) => other !== link));
  const keys = items.map(linkKey);
  return (
    <>
      {items.length > 0 &&
        (toOne || readOnly ? (
          <ul className={styles['links']}>
            {items.map((link) => (
              <PlainLinkRow key={linkKey(link)} link={link} onRemove={readOnly ? undefined : () => remove(link)} />
            ))}
          </ul>
        ) : (
          <Sortable
            keys={keys}
            nameOf={(index) => (items[index] ? documentName(t, items[index]) : '')}
            onMove={(from, to) => onValue(relationValue({ ...links, items: moved(items, from, to) }))}
          >
            <ul className={styles['links']}>
              {items.map((link) => (
                <LinkRow key={linkKey(link)} link={link} onRemove={() => remove(link)} />
              ))}
            </ul>
          </Sortable>
        ))}
      {links.count > items.length && <More {...props} />}
      {!readOnly && <Adder {...props} chosen={items} onChoose={(link) => put(toOne ? [link] : [...items, link])} />}
      {readOnly && items.length === 0 && (
        <p className={styles['none']}>{t(isSeen ? 'mark.empty' : 'relation.unseen')}</p>
      )}
    </>
  );
}

/** Those that were not read with the document. */
function More({ attribute, model, path, value, onValue }: ControlProps): ReactNode {
  const t = useText();
  const { services, documentId, locale, valueAt } = useHost();
  const [busy, setBusy] = useState(false);
  const { items, count, known = items } = linksOf(value);
  const text = t('relation.more', { count: count - items.length });
  // of components, the server tells the first only
  if (documentId === null || path.length > 1) return <p className={styles['none']}>{text}</p>;
  const load = async (): Promise<void> => {
    setBusy(true);
    try {
      const page = await services.linked({
        uid: model.uid,
        attribute: attribute.name,
        documentId,
        locale,
        page: Math.floor(known.length / LINKED_AT_ONCE) + 1,
        signal: new AbortController().signal,
      });
      onValue(withMore(linksOf(valueAt(path)), page.items));
    } catch {
      // the button stays, to be pressed again
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button look="quiet" busy={busy} onClick={() => void load()}>
      {text}
    </Button>
  );
}

interface AdderProps extends ControlProps {
  readonly chosen: readonly Linked[];
  readonly onChoose: (link: Linked) => void;
}

function Adder({ attribute, model, chosen, onChoose }: AdderProps): ReactNode {
  const t = useText();
  const { schema } = useHost();
  const isAny = attribute.target === undefined;
  const [type, setType] = useState(schema.contentTypes[0]?.uid);
  const { found, failed, seek } = useLinkable(model, attribute, isAny ? type : undefined);
  const has = new Set(chosen.map(linkKey));
  const options = found.filter((link) => !has.has(linkKey(link)));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what can be linked is asked for before it is looked for
    <div className={styles['adder']} onFocus={() => seek('')}>
      {isAny && (
        <Select
          aria-label={t('relation.type')}
          id={undefined}
          value={type}
          options={schema.contentTypes.map(({ uid, displayName }) => ({ value: uid, label: displayName }))}
          onValue={setType}
        />
      )}
      <Combobox
        value={null}
        label={`${attribute.label}: ${t('relation.find')}`}
        placeholder={t('relation.find')}
        options={options.map((link) => ({
          value: linkKey(link),
          label: documentName(t, link),
          note: link.state && <StateMark state={link.state} small />,
          link,
        }))}
        onSearch={seek}
        onChoose={({ link }) => onChoose(link)}
      />
      {failed && <p className={styles['none']}>{t('relation.unreachable')}</p>}
    </div>
  );
}
