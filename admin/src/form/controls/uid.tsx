/** The name of a document in addresses: made from its title, and asked whether it is free. */
import { type ReactNode, useEffect, useState } from 'react';
import { useText } from '../../language/language.tsx';
import { IconButton } from '../../ui/button.tsx';
import { RefreshCw } from '../../ui/icons.ts';
import { Input } from '../../ui/input.tsx';
import styles from '../form.module.css';
import { type ControlProps, useHost } from '../host.ts';

/** Milliseconds without a key before it is asked whether a name is free. */
const RESTING = 250;

type Said = { readonly of: string; readonly free: boolean; readonly suggestion: string };

export function UidControl({ attribute, model, path, value, readOnly, onValue }: ControlProps): ReactNode {
  const t = useText();
  const { services, documentId, locale, valueAt } = useHost();
  const text = typeof value === 'string' ? value : '';
  const [first] = useState(text);
  const [said, setSaid] = useState<Said>();
  const [making, setMaking] = useState(false);
  const { name, targetField } = attribute;
  const source = model.attributes.find((other) => other.name === targetField);

  // what was there when the form appeared is taken to be the document's own
  const isAsked = text !== '' && !readOnly && (text !== first || documentId === null);
  useEffect(() => {
    if (!isAsked) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      services
        .uid({ uid: model.uid, attribute: name, locale, documentId, value: text, signal: stop.signal })
        .then(({ free, suggestion }) => setSaid({ of: text, free, suggestion }))
        // the server says so when it is saved, too
        .catch(() => undefined);
    }, RESTING);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [isAsked, text, services, model.uid, name, locale, documentId]);

  const make = async (): Promise<void> => {
    const from = source ? valueAt([...path.slice(0, -1), source.name]) : undefined;
    setMaking(true);
    try {
      const { signal } = new AbortController();
      const ask = { uid: model.uid, attribute: name, locale, documentId, value: '', signal };
      const made = await services.uid(typeof from === 'string' ? { ...ask, from } : ask);
      onValue(made.suggestion);
    } catch {
      // the button stays, to be pressed again
    } finally {
      setMaking(false);
    }
  };
  const answer = isAsked && said?.of === text ? said : undefined;
  return (
    <>
      <div className={styles['withButton']}>
        <Input
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
            busy={making}
            onClick={() => void make()}
          />
        )}
      </div>
      <p className={styles['aside']} aria-live="polite">
        {answer && (answer.free ? t('uid.free') : t('uid.taken'))}
        {answer && !answer.free && (
          <button type="button" className={styles['textButton']} onClick={() => onValue(answer.suggestion)}>
            {t('uid.take', { value: answer.suggestion })}
          </button>
        )}
      </p>
    </>
  );
}
