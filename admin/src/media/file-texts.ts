/** The texts of a file, which are saved automatically. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { LibraryFile } from '../../contract/media.ts';
import { RefusedError, request } from '../data/client.ts';
import { useText } from '../language/language.tsx';
import { failureText, refusalText } from '../language/refusal-text.ts';
import { useToasts } from '../ui/toast.tsx';
import { fileChanged } from './data.ts';
import { tellUploads } from './uploads.ts';

export type FileTexts = Readonly<Record<'name' | 'alternativeText' | 'caption', string>>;
export type FileTextName = keyof FileTexts;

interface WrittenTexts {
  readonly texts: FileTexts;
  readonly state: 'idle' | 'saving' | 'saved';
  /** `all` is an error that does not concern a single text. */
  readonly errors: Partial<Record<FileTextName | 'all', string>>;
  readonly control: (name: FileTextName) => {
    readonly value: string;
    readonly onChange: (event: { readonly target: { readonly value: string } }) => void;
    readonly onBlur: () => void;
  };
}

/** The pause in typing, in milliseconds, after which the texts are saved. */
const PAUSE = 600;

const textsOf = ({ name, alternativeText, caption }: LibraryFile): FileTexts => ({
  name,
  alternativeText: alternativeText ?? '',
  caption: caption ?? '',
});

export function useFileTexts(file: LibraryFile): WrittenTexts {
  const t = useText();
  const client = useQueryClient();
  const [texts, setTexts] = useState(() => textsOf(file));
  const [state, setState] = useState<WrittenTexts['state']>('idle');
  const [errors, setErrors] = useState<WrittenTexts['errors']>({});
  const saved = useRef(texts);
  const latest = useRef(texts);
  const { id } = file;
  const { show } = useToasts();
  const sending = useRef<Promise<unknown>>(Promise.resolve());
  /** @param isLeft whether the panel was closed, so that the result is not visible. */
  const save = async (isLeft = false): Promise<void> => {
    const now = latest.current;
    // An empty name is not sent.
    const isNamed = now.name.trim() !== '';
    if (!isNamed) setErrors({ name: t('field.name') });
    const changed = (Object.keys(now) as FileTextName[]).filter(
      (name) => now[name] !== saved.current[name] && (name !== 'name' || isNamed),
    );
    if (changed.length === 0) return;
    const before = saved.current;
    const body = Object.fromEntries(changed.map((name) => [name, now[name]]));
    saved.current = { ...before, ...body };
    setState('saving');
    const send = async (): Promise<void> => {
      const { data } = await request('PUT files/:id', { params: { id: String(id) }, body, outlives: true });
      fileChanged(client, data);
      tellUploads(data);
    };
    const tell = (error: unknown): void =>
      void show({ text: failureText(t, error), tone: 'danger', retry: () => void send().catch(tell) });
    // Requests are sent in sequence, so that the last text wins. A closing page does not wait.
    const sent = isLeft ? send() : sending.current.then(send);
    sending.current = sent.catch(() => undefined);
    try {
      await sent;
      if (isNamed) setErrors({});
      setState('saved');
    } catch (error) {
      if (isLeft) return tell(error);
      saved.current = { ...saved.current, ...Object.fromEntries(changed.map((name) => [name, before[name]])) };
      setState('idle');
      const fields = error instanceof RefusedError ? error.fields : [];
      if (fields.length > 0)
        setErrors(Object.fromEntries(fields.map((one) => [String(one.path[0]), refusalText(t, one)])));
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
  // Closing the panel saves the last changes.
  useEffect(() => {
    const leave = (): void => void saving.current(true);
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, []);
  const control = (name: FileTextName) => ({
    value: texts[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) => {
      latest.current = { ...latest.current, [name]: target.value };
      setTexts(latest.current);
      setErrors({});
    },
    onBlur: () => void save(),
  });
  return { texts, state, errors, control };
}
