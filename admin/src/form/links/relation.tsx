/** Links to documents: searching, adding, sorting and removing them. */
import { type ReactNode, useRef, useState } from 'react';
import { documentName } from '../../language/document-name.ts';
import { Moment, useText } from '../../language/language.tsx';
import { typeLabel } from '../../language/type-name.ts';
import { StateMark } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { Select } from '../../ui/input.tsx';
import { type ControlProps, useHost } from '../host.ts';
import { Sortable } from '../rows/sortable.tsx';
import { MORE_AT_ONCE } from '../services.ts';
import {
  type Linked,
  linkKey,
  linksOf,
  loadedLinks,
  placeOf,
  unloadedOf,
  withLink,
  withMore,
  withMoved,
  withoutLink,
} from '../values/links.ts';
import { isToOne } from '../values/model.ts';
import { distinguishingDetails } from './distinguishing-details.ts';
import { LinkRow, PlainLinkRow } from './link-row.tsx';
import { useLinkable } from './linkable.ts';
import styles from './links.module.css';

export function RelationControl(props: ControlProps): ReactNode {
  const { attribute, value, readOnly, onValue } = props;
  const t = useText();
  const links = linksOf(value);
  const read = loadedLinks(links);
  const unread = unloadedOf(links);
  const toOne = isToOne(attribute);
  // There may be links that the administrator may not see.
  const { schema } = useHost();
  const isVisible = attribute.target === undefined || schema.contentTypes.some(({ uid }) => uid === attribute.target);
  const remove = (link: Linked): void => onValue(toOne ? [] : withoutLink(links, link));
  const isSorted = !toOne && !readOnly;
  const row = (link: Linked): ReactNode =>
    isSorted ? (
      <LinkRow key={linkKey(link)} link={link} onRemove={() => remove(link)} />
    ) : (
      <PlainLinkRow key={linkKey(link)} link={link} onRemove={readOnly ? undefined : () => remove(link)} />
    );
  const list = (
    <ul className={styles['links']}>
      {links.items.map(row)}
      {unread > 0 && (
        <li key="more">
          <More {...props} />
        </li>
      )}
      {links.tail.map(row)}
    </ul>
  );
  return (
    <>
      {links.count > 0 &&
        (isSorted ? (
          <Sortable
            keys={read.map(linkKey)}
            count={links.count}
            placeOf={(index) => placeOf(links, index)}
            nameOf={(index) => (read[index] ? documentName(t, read[index]) : '')}
            onMove={(from, to) => onValue(withMoved(links, from, to))}
          >
            {list}
          </Sortable>
        ) : (
          list
        ))}
      {!readOnly && (
        <Adder {...props} chosen={read} onChoose={(link) => onValue(toOne ? [link] : withLink(links, link))} />
      )}
      {readOnly && links.count === 0 && (
        <p className={styles['none']}>{t(isVisible ? 'mark.empty' : 'relation.unseen')}</p>
      )}
    </>
  );
}

/** The links that were not loaded with the document. */
function More({ attribute, model, path, value, onValue }: ControlProps): ReactNode {
  const t = useText();
  const { services, documentId, locale, valueAt } = useHost();
  const [busy, setBusy] = useState(false);
  const links = linksOf(value);
  const text = t('relation.more', { count: unloadedOf(links) });
  // For components, the server returns only the first links.
  if (documentId === null || path.length > 1) return <p className={styles['none']}>{text}</p>;
  const load = async (): Promise<void> => {
    setBusy(true);
    const { items, known = items } = links;
    try {
      const page = await services.linked({
        uid: model.uid,
        attribute: attribute.name,
        documentId,
        locale,
        page: Math.floor(known.length / MORE_AT_ONCE) + 1,
        signal: new AbortController().signal,
      });
      onValue(withMore(linksOf(valueAt(path)), page.items));
    } catch {
      // The button remains available for another attempt.
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
  const { schema, related } = useHost();
  const [searchText, setSought] = useState('');
  const isAny = attribute.target === undefined;
  const [type, setType] = useState(schema.contentTypes[0]?.uid);
  // The links may change while a related document is being created.
  const latest = useRef(onChoose);
  latest.current = onChoose;
  const {
    results: found,
    total,
    isStale,
    failed,
    seek,
    more,
  } = useLinkable(model, attribute, isAny ? type : undefined);
  const has = new Set(chosen.map(linkKey));
  const nameOf = (link: Linked): string => documentName(t, link);
  const details = distinguishingDetails(found, nameOf);
  const options = found.flatMap((link, index) => {
    if (has.has(linkKey(link))) return [];
    const detail = details.get(index);
    return {
      value: linkKey(link),
      label: nameOf(link),
      note: link.state && <StateMark state={link.state} small />,
      detail: detail !== undefined && (
        <>
          {detail} · {t('relation.changed')} <Moment at={link.updatedAt} />
        </>
      ),
      link,
    };
  });
  const name = searchText.trim();
  const target = attribute.target ?? type;
  // A document with exactly this name is linked instead of creating one; the search result tells whether there is one.
  const isCalled = (link: Linked): boolean => nameOf(link).toLocaleLowerCase() === name.toLocaleLowerCase();
  const mayMake = target !== undefined && related?.may(target) === true;
  const isNew = name !== '' && mayMake && !isStale && !found.some(isCalled);
  const action = { value: 'create', label: t('relation.create', { name }), isAction: true, link: undefined };
  const linked = found.length === total && options.length === 0 ? found : [];
  const none = [
    linked.length === 1
      ? t('relation.linkedAlready', { name: nameOf(linked[0]!) })
      : linked.length > 1
        ? t('relation.allLinked', { count: linked.length })
        : t('combobox.none'),
    ...(isNew && related?.isNested ? [t('relation.create.deep')] : []),
  ].join(' ');
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the choices are requested before the search
    <div className={styles['adder']} onFocus={() => seek('')}>
      {isAny && (
        <Select
          aria-label={t('relation.type')}
          id={undefined}
          value={type}
          options={schema.contentTypes.map((one) => ({ value: one.uid, label: typeLabel(t, one) }))}
          onValue={setType}
        />
      )}
      <Combobox
        value={null}
        label={`${attribute.label}: ${t('relation.find')}`}
        placeholder={t('relation.find')}
        options={isNew && !related?.isNested ? [...options, action] : options}
        none={none}
        isStale={isStale}
        total={total - (found.length - options.length)}
        onMore={more}
        onSearch={(text) => {
          setSought(text);
          seek(text);
        }}
        onChoose={({ link }) => {
          if (link) onChoose(link);
          else if (target !== undefined) related?.create(target, name, (created) => latest.current(created));
        }}
      />
      {failed && <p className={styles['none']}>{t('relation.unreachable')}</p>}
    </div>
  );
}
