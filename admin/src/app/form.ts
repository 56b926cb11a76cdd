/** Forms: their values, their errors, and sending them. */
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { RefusedError } from '../data/client.ts';
import { useText } from '../language/language.tsx';
import type { Text } from '../language/messages.ts';
import { failureText, refusalText } from '../language/refusal-text.ts';

type Texts = Readonly<Record<string, string>>;

interface Options<V extends Texts> {
  readonly initial: V;
  /** Errors before a request is sent, by field. */
  readonly check?: (values: V) => Partial<Record<keyof V, string | undefined>>;
  readonly send: (values: V) => Promise<void>;
}

export interface Form<V extends Texts> {
  readonly values: V;
  readonly busy: boolean;
  /** The error of the whole form. */
  readonly error: string | undefined;
  /** The error of a field, for `Field`. */
  readonly errorOf: (name: keyof V) => string | undefined;
  /** Name, value and change handler of a field, for its control. */
  readonly control: (name: keyof V & string) => {
    readonly name: string;
    readonly value: string;
    readonly onChange: (event: { readonly target: { readonly value: string } }) => void;
  };
  readonly set: (values: Partial<V>) => void;
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
}

/** A form. Errors of the server appear at their fields, and the first of these gets the focus. */
export function useForm<V extends Texts>({ initial, check, send }: Options<V>): Form<V> {
  const t = useText();
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<Partial<Record<keyof V, string | undefined>>>({});
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const sending = useRef(false);

  const fail = (form: HTMLFormElement, wrong: Partial<Record<keyof V, string | undefined>>): void => {
    setErrors(wrong);
    const first = Object.keys(values).find((name) => wrong[name] !== undefined);
    if (first !== undefined) (form.elements.namedItem(first) as HTMLElement | null)?.focus();
  };
  const submit = async (form: HTMLFormElement): Promise<void> => {
    setError(undefined);
    const wrong = check?.(values) ?? {};
    if (Object.values(wrong).some((text) => text !== undefined)) return fail(form, wrong);
    setErrors({});
    sending.current = true;
    setBusy(true);
    try {
      await send(values);
    } catch (failure) {
      const fields = failure instanceof RefusedError ? failure.fields : [];
      const known = fields.filter(({ path }) => Object.hasOwn(values, String(path[0])));
      if (known.length) {
        fail(
          form,
          Object.fromEntries(known.map((error) => [String(error.path[0]), refusalText(t, error)])) as typeof wrong,
        );
      } else setError(failureText(t, failure));
    } finally {
      sending.current = false;
      setBusy(false);
    }
  };
  return {
    values,
    busy,
    error,
    errorOf: (name) => errors[name],
    control: (name) => ({
      name,
      value: values[name] as string,
      onChange: ({ target }) => {
        setValues((before) => ({ ...before, [name]: target.value }));
        // An error disappears while its field is being corrected.
        setErrors((before) => ({ ...before, [name]: undefined }));
      },
    }),
    set: (some) => setValues((before) => ({ ...before, ...some })),
    onSubmit: (event) => {
      event.preventDefault();
      if (!sending.current) void submit(event.currentTarget);
    },
  };
}

interface Followed<V extends Texts> {
  /** Whether the form has changes. */
  readonly differs: boolean;
  /** Shows the values that the server has stored. Changes that were made since they were sent stay. */
  readonly accept: (sent: V, stored: V) => void;
}

/** Shows changes that others make to the stored values, as long as the form has none. @param stored the current ones. */
export function useFollowed<V extends Texts>(form: Form<V>, stored: V): Followed<V> {
  const written = useRef(form.values);
  written.current = form.values;
  const seen = useRef(stored);
  useEffect(() => {
    if (areSame(seen.current, stored)) return;
    if (areSame(form.values, seen.current)) form.set(stored);
    seen.current = stored;
  });
  return {
    differs: !areSame(form.values, stored),
    accept: (sent, accepted) => {
      if (areSame(written.current, sent)) form.set(accepted);
    },
  };
}

const areSame = <V extends Texts>(one: V, other: V): boolean =>
  Object.keys(one).every((key) => one[key] === other[key]);

/** A quick check of e-mail addresses. The server checks more. */
const EMAIL = /^\S+@\S+\.\S+$/;

/** Why a text is not an e-mail address; undefined if it may be one. */
export function emailProblem(t: Text, email: string): string | undefined {
  if (EMAIL.test(email.trim())) return undefined;
  return t(email.trim() === '' ? 'field.noEmail' : 'field.email');
}

/** Characters that a password needs. The server also checks which kinds of characters it has. */
const SHORTEST_PASSWORD = 8;

/** Why a new password is too short; undefined if it is long enough. */
export function newPasswordProblem(t: Text, password: string): string | undefined {
  return password.length < SHORTEST_PASSWORD ? t('field.short', { count: SHORTEST_PASSWORD }) : undefined;
}
