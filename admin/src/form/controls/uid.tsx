/** The uid of a document, which is used in addresses: generated from the title, and checked for availability. */
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { isCopiedUid, recordCopiedUid } from '../../data/copied-uids.ts';
import { useText } from '../../language/language.tsx';
import { IconButton } from '../../ui/button.tsx';
import { useField } from '../../ui/field.tsx';
import { RefreshCw } from '../../ui/icons.ts';
import { Input } from '../../ui/input.tsx';
import styles from '../form.module.css';
import { type ControlProps, useHost } from '../host.ts';
import { usePatternTest } from '../pattern-test.ts';
import { usePendingInput } from '../pending-input.ts';
import { problemOf } from '../values/problems.ts';

/** The pause in typing, in milliseconds, before the availability is checked. */
const RESTING = 250;

type UidAnswer = { readonly of: string; readonly free: boolean; readonly suggestion: string | null };

export function UidControl(props: ControlProps): ReactNode {
  const { attribute, model, path, value, readOnly, onValue } = props;
  const t = useText();
  const { services, documentId, locale, valueAt } = useHost();
  const text = typeof value === 'string' ? value : '';
  const [first] = useState(text);
  const [answered, setAnswered] = useState<UidAnswer>();
  const [isGenerating, setGenerating] = useState(false);
  const { name, targetField } = attribute;
  const source = model.attributes.find((other) => other.name === targetField);

  // The value that the form started with is assumed to belong to the document.
  const isAllowed = text !== '' && problemOf(attribute, text) === undefined;
  const result = usePatternTest(attribute.regex ?? '', isAllowed ? text : '');
  const isPossible = isAllowed && (!attribute.regex || result === 'fits');
  const needsCheck = isPossible && !readOnly && (text !== first || documentId === null);
  const isAnswered = answered?.of === text;
  useEffect(() => {
    if (!needsCheck || isAnswered) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      services
        .uid({ uid: model.uid, attribute: name, locale, documentId, value: text, signal: stop.signal })
        .then(({ free, suggestion }) => setAnswered({ of: text, free, suggestion }))
        // The server checks it again when it is saved.
        .catch(() => undefined);
    }, RESTING);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [needsCheck, isAnswered, text, services, model.uid, name, locale, documentId]);

  const place = { documentId, locale, attribute: name };
  const isCopied = path.length === 1 && isCopiedUid(place, text);
  const [generated, setGenerated] = useState('');
  /** Whether no generated value matches the pattern of the attribute. */
  const [isUnmatched, setIsUnmatched] = useState(false);
  const generateFrom = async (from: unknown, signal: AbortSignal): Promise<void> => {
    const ask = { uid: model.uid, attribute: name, locale, documentId, value: '', signal };
    const { suggestion } = await services.uid(typeof from === 'string' ? { ...ask, from } : ask);
    if (signal.aborted) return;
    setIsUnmatched(suggestion === null);
    if (suggestion === null) {
      // A value generated from an earlier title is cleared; one that the user has entered stays.
      if (text !== '' && text === generated) onValue(null);
      setGenerated('');
      return;
    }
    setGenerated(suggestion);
    setAnswered({ of: suggestion, free: true, suggestion });
    if (isCopied) recordCopiedUid(place, suggestion);
    onValue(suggestion);
  };
  useFollowing(props, isCopied && text !== generated, isCopied || text === generated, generateFrom, () => {
    setGenerated('');
    onValue(null);
  });
  const generate = async (): Promise<void> => {
    const from = source ? valueAt([...path.slice(0, -1), source.name]) : undefined;
    setGenerating(true);
    try {
      await generateFrom(from, new AbortController().signal);
    } catch {
      // The button remains available for another attempt.
    } finally {
      setGenerating(false);
    }
  };
  const answer = needsCheck && isAnswered ? answered : undefined;
  // The error of the field replaces the availability.
  const isWrong = useField()?.['aria-invalid'] === true;
  return (
    <>
      <div className={styles['withButton']}>
        <Input
          dir="ltr"
          value={text}
          readOnly={readOnly}
          placeholder={attribute.placeholder ?? undefined}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onChange={({ target }) => onValue(target.value === '' ? null : target.value)}
        />
        {!readOnly && (
          <IconButton
            icon={RefreshCw}
            label={t('uid.make', { field: source?.label ?? model.displayName })}
            busy={isGenerating}
            onClick={() => void generate()}
          />
        )}
      </div>
      <p className={styles['aside']} aria-live="polite">
        {answer && !isWrong && (answer.free ? t('uid.free') : t('uid.taken'))}
        {answer && !answer.free && answer.suggestion !== null && (
          <button type="button" className={styles['textButton']} onClick={() => onValue(answer.suggestion)}>
            {t('uid.take', { value: answer.suggestion })}
          </button>
        )}
        {isUnmatched && text === '' && t('uid.unmatched')}
      </p>
    </>
  );
}

/**
 * Generates the uid again while its title is being edited, until the user enters another one or the document is
 * published, because other pages may link to published addresses. A uid that was copied from another locale follows its
 * title as well.
 */
function useFollowing(
  { source, value, published, readOnly }: ControlProps,
  isJustCopied: boolean,
  isUntouched: boolean,
  make: (from: string, signal: AbortSignal) => Promise<void>,
  clear: () => void,
): void {
  const { model, documentId } = useHost();
  const [isNew, setNew] = useState(isJustCopied || (!value && (documentId === null || !source)));
  if (isJustCopied && !isNew) setNew(true);
  const hasDrafts = 'draftAndPublish' in model && model.draftAndPublish;
  const isOnSite = Boolean(published) || (documentId !== null && !hasDrafts);
  const follows = isNew && isUntouched && !isOnSite && !readOnly;
  const from = typeof source === 'string' ? source.trim() : '';
  const latest = useRef({ value, make, takeAway: clear });
  latest.current = { value, make, takeAway: clear };
  const followed = useRef('');
  // A copied uid stays until the title changes.
  const wasCopiedBefore = useRef(false);
  if (isJustCopied && !wasCopiedBefore.current) followed.current = from;
  wasCopiedBefore.current = isJustCopied;
  const making = useRef<Promise<void>>(undefined);
  const requested = useRef<{ readonly title: string; readonly signal: AbortSignal }>(undefined);
  const follow = useCallback((title: string, signal: AbortSignal): void => {
    const { current: pending } = requested;
    if (title === followed.current || (pending?.title === title && !pending.signal.aborted)) return;
    if (title === '') {
      followed.current = title;
      if (latest.current.value) latest.current.takeAway();
      return;
    }
    const own = { title, signal };
    requested.current = own;
    const make = async (): Promise<void> => {
      try {
        await latest.current.make(title, signal);
        if (!signal.aborted) followed.current = title;
      } catch {
        // without an answer the request is repeated: on the next connection, before the document is saved, or by the button
      } finally {
        if (requested.current === own) requested.current = undefined;
      }
    };
    making.current = make();
  }, []);
  useEffect(() => {
    if (!follows) return;
    const stop = new AbortController();
    const ask = (): void => follow(from, stop.signal);
    const timer = setTimeout(ask, RESTING);
    addEventListener('online', ask);
    return () => {
      clearTimeout(timer);
      removeEventListener('online', ask);
      stop.abort();
    };
  }, [follows, from, follow]);
  // Saving waits for the uid.
  usePendingInput(() => {
    if (follows) follow(from, new AbortController().signal);
    return making.current;
  });
}
