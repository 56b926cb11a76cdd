/** Name and texts of a file, saved as they are written. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { LibraryFile } from '../../contract/media.ts';
import { RefusedError, request } from '../data/client.ts';
import { useText } from '../language/language.tsx';
import { failureText, refusalText } from '../language/refusal-text.ts';
import { Field } from '../ui/field.tsx';
import { Input, Textarea } from '../ui/input.tsx';
import { useToasts } from '../ui/toast.tsx';
import { fileChanged } from './data.ts';
import styles from './file-panel.module.css';
import { kindOf } from './kinds.ts';

type Texts = Readonly<Record<'name' | 'alternativeText' | 'caption', string>>;
type Name = keyof Texts;

/** Milliseconds without a key before it is saved. */
const PAUSE = 600;

const textsOf = ({ name, alternativeText, caption }: LibraryFile): Texts => ({
  name,
  alternativeText: alternativeText ?? '',
  caption: caption ?? '',
});

export function FileFields({ file, readOnly }: { readonly file: LibraryFile; readonly readOnly: boolean }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const [texts, setTexts] = useState(() => textsOf(file));
  const [state, setState] = useState<'idle' | 'saving' | 'saved'>('idle');
  const [errors, setErrors] = useState<Partial<Record<Name | 'all', string>>>({});
  const saved = useRef(texts);
  const latest = useRef(texts);
  const { id } = file;
  const { show } = useToasts();
  /** @param isLeft whether nobody sees any longer what becomes of it. */
  const save = async (isLeft = false): Promise<void> => {
    const now = latest.current;
    const changed = (Object.keys(now) as Name[]).filter((name) => now[name] !== saved.current[name]);
    if (changed.length === 0) return;
    const before = saved.current;
    // a file always has a name
    if (now.name.trim() === '') return setErrors({ name: t('field.required') });
    saved.current = now;
    setState('saving');
    const send = async (): Promise<void> => {
      const body = Object.fromEntries(changed.map((name) => [name, now[name]]));
      const { data } = await request('PUT files/:id', { params: { id: String(id) }, body, outlives: isLeft });
      fileChanged(client, data);
    };
    const tell = (error: unknown): void =>
      void show({ text: failureText(t, error), tone: 'danger', retry: () => void send().catch(tell) });
    try {
      await send();
      setErrors({});
      setState('saved');
    } catch (error) {
      if (isLeft) return tell(error);
      saved.current = before;
      setState('idle');
      const fields = error instanceof RefusedError ? error.fields : [];
      if (fields.length > 0)
        setErrors(Object.fromEntries(fields.map(({ path, message }) => [String(path[0]), refusalText(t, message)])));
      else setErrors({ all: failureText(t, error) });
    }
  };
  const saving = useRef(save);
  saving.current = save;
  useEffect(() => {
    if (texts === saved.current) return;
    const timer = setTimeout(() => void saving.current(), PAUSE);
    return () => clearTimeout(timer);
  }, [texts]);
  // closing is no reason to lose what was written last
  useEffect(() => {
    const leave = (): void => void saving.current(true);
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, []);
  const control = (name: Name) => ({
    value: texts[name],
    readOnly,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => {
      latest.current = { ...latest.current, [name]: target.value };
      setTexts(latest.current);
      setErrors({});
    },
    onBlur: () => void save(),
  });
  return (
    <div className={styles['fields']}>
      {kindOf(file) === 'image' && (
        <Field
          label={t('media.file.alternative')}
          hint={t('media.file.alternative.hint')}
          error={errors.alternativeText}
          {...(texts.alternativeText === '' ? { note: t('media.noText') } : {})}
        >
          <Textarea {...control('alternativeText')} />
        </Field>
      )}
      <Field label={t('media.file.caption')} error={errors.caption}>
        <Input {...control('caption')} />
      </Field>
      <Field label={t('media.file.name')} error={errors.name} required>
        <Input {...control('name')} />
      </Field>
      <p role="status" className={styles['saving']}>
        {errors.all ?? (state === 'saving' ? t('media.file.saving') : state === 'saved' ? t('saved') : '')}
      </p>
    </div>
  );
}
