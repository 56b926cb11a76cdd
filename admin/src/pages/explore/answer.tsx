/** Sends the chosen request as its caller, and shows the answer: status, times, headers, body and explanation. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { SentAnswer } from '../../../contract/explore.ts';
import shared from '../../app/settings.module.css';
import { request } from '../../data/client.ts';
import { useLocale, useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { FormError } from '../../ui/field.tsx';
import { CircleAlert, CircleCheck, Send } from '../../ui/icons.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { isJson } from './builder.tsx';
import type { Chosen } from './choice.ts';
import { Explained } from './explained.tsx';
import styles from './explore.module.css';

export type Part = 'body' | 'headers' | 'explain';

/** An answer with the request that it belongs to. */
interface Answered {
  readonly label: string;
  readonly isRead: boolean;
  readonly answer: SentAnswer;
}

/** Sending the chosen request, and its answer. */
export interface Sending {
  /** Method and address of the chosen request. */
  readonly label: string;
  readonly isRead: boolean;
  readonly mayBeSent: boolean;
  readonly isBusy: boolean;
  readonly error: Error | null;
  /** The last answer; undefined until there is one. */
  readonly shown: Answered | undefined;
  readonly send: (explain: boolean) => Promise<unknown>;
}

/** @param mayBeSent whether all parameters of the path have values. */
export function useSending({ request: one, as, path, query, body }: Chosen, mayBeSent: boolean): Sending {
  const client = useQueryClient();
  const [shown, setShown] = useState<Answered>();
  const isRead = one.method === 'GET';
  const target = query === '' ? path : `${path}?${query}`;
  const label = `${one.method} ${target}`;
  const { mutateAsync, isPending, error } = useMutation({
    mutationFn: async (explain: boolean) => {
      const written = body === undefined || body.trim() === '' ? null : body;
      const sent = { as, method: one.method, target, body: isRead ? null : written, confirmed: !isRead, explain };
      return { label, isRead, answer: (await request('POST explore/requests', { body: sent })).data };
    },
    onSuccess: (answered) => {
      setShown(answered);
      // A write may have changed everything that the app shows.
      if (!answered.isRead) void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'explore' });
    },
  });
  const isWrong = body !== undefined && !isJson(body);
  return {
    ...{ label, isRead, mayBeSent: mayBeSent && !isWrong, isBusy: isPending, error, shown },
    // The error is part of the state.
    send: (explain) => mutateAsync(explain).catch(() => undefined),
  };
}

interface Props {
  readonly sending: Sending;
  readonly part: Part;
  readonly onPart: (part: Part) => void;
}

/** The chosen request and its button, which stay in view. */
export function SendBar({
  sending,
  part,
  isDelete,
}: Pick<Props, 'sending' | 'part'> & { readonly isDelete: boolean }): ReactNode {
  const t = useText();
  const [isAsking, setAsking] = useState(false);
  const { label, isRead, mayBeSent, isBusy, send } = sending;
  const sendAndShow = async (explain: boolean): Promise<void> => {
    await send(explain);
    setAsking(false);
    // On narrow screens the answer is below the form.
    document.getElementById(ANSWER)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <div className={styles['send']}>
      <p className={styles['sent']} title={label} dir="ltr">
        {label}
      </p>
      <Button
        look="primary"
        icon={Send}
        busy={isBusy}
        disabled={!mayBeSent}
        onClick={() => (isRead ? void sendAndShow(part === 'explain') : setAsking(true))}
      >
        {t('explore.send')}
      </Button>
      {isAsking && (
        <Dialog
          open
          onOpenChange={setAsking}
          title={t('explore.confirm.title')}
          text={t('explore.confirm.text')}
          actions={
            <>
              <CancelButton onClick={() => setAsking(false)} />
              <Button look={isDelete ? 'danger' : 'primary'} busy={isBusy} onClick={() => void sendAndShow(false)}>
                {t('explore.confirm.send')}
              </Button>
            </>
          }
        >
          <p className={styles['target']}>{label}</p>
        </Dialog>
      )}
    </div>
  );
}

const ANSWER = 'explore-answer';

export function Answers({
  sending,
  part,
  onPart,
  hasParameters,
}: Props & { readonly hasParameters: boolean }): ReactNode {
  const t = useText();
  const { label, isRead, mayBeSent, isBusy, error, shown, send } = sending;
  const isCurrent = shown?.label === label;
  const answer = shown?.answer;
  const open = (next: Part): void => {
    onPart(next);
    if (next === 'explain' && isRead && mayBeSent && !isBusy && !(isCurrent && answer?.reads)) void send(true);
  };
  const tabs = [
    { value: 'body' as const, label: t('explore.answer.body') },
    { value: 'headers' as const, label: t('explore.answer.headers') },
    ...(shown?.isRead ? [{ value: 'explain' as const, label: t('explore.explain') }] : []),
  ];
  return (
    <section id={ANSWER} aria-label={t('explore.answer')} className={styles['block']}>
      <h2 className={shared['heading']}>{t('explore.answer')}</h2>
      {!hasParameters && <p className={styles['quiet']}>{t('explore.send.parameters')}</p>}
      {hasParameters && !answer && !error && <p className={styles['quiet']}>{t('explore.answer.none')}</p>}
      <FormError error={error ? failureText(t, error) : undefined} />
      <div role="status">{answer && <Status answer={answer} label={shown.label} isCurrent={isCurrent} />}</div>
      {answer && (
        <Tabs
          label={t('explore.answer')}
          tabs={tabs}
          value={shown.isRead || part !== 'explain' ? part : 'body'}
          onValue={open}
        >
          {part === 'headers' ? (
            <dl className={styles['facts']}>
              {answer.headers.map(({ name, value }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a name may appear several times
                <div key={`${name} ${at}`}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          ) : part === 'explain' && shown.isRead ? (
            <Explained
              reads={answer.reads}
              isRefused={answer.status === 401 || answer.status === 403}
              isBusy={isBusy}
              onAgain={() => send(true).then(() => undefined)}
            />
          ) : (
            <Body answer={answer} />
          )}
        </Tabs>
      )}
    </section>
  );
}

interface StatusProps {
  readonly answer: SentAnswer;
  readonly label: string;
  readonly isCurrent: boolean;
}

function Status({ answer, label, isCurrent }: StatusProps): ReactNode {
  const t = useText();
  const locale = useLocale();
  const { status, milliseconds, waited, bytes, isCut } = answer;
  const isGood = status < 400;
  const Icon = isGood ? CircleCheck : CircleAlert;
  return (
    <p className={styles['status']}>
      <span className={isGood ? styles['good'] : styles['bad']}>
        <Icon size={15} />
        {status}
      </span>
      <span>{t('explore.answer.time', { time: millisecondsText(milliseconds, locale) })}</span>
      <span className={styles['quiet']}>{t('explore.answer.waited', { time: millisecondsText(waited, locale) })}</span>
      <span>{t(isCut ? 'explore.answer.cut' : 'explore.answer.bytes', { count: bytes })}</span>
      {!isCurrent && <span className={styles['old']}>{t('explore.answer.old', { request: label })}</span>}
    </p>
  );
}

/** `0.84` or `120`: three digits that count. */
export const millisecondsText = (milliseconds: number, locale: string): string =>
  milliseconds.toLocaleString(locale, {
    maximumSignificantDigits: milliseconds < 100 ? 3 : 6,
    maximumFractionDigits: 2,
  });

function Body({ answer: { body, isText, bytes } }: { readonly answer: SentAnswer }): ReactNode {
  const t = useText();
  if (bytes === 0) return <p className={styles['quiet']}>{t('explore.answer.empty')}</p>;
  if (!isText) return <p className={styles['quiet']}>{t('explore.answer.noText')}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long answer scrolls with the keyboard
    <pre className={styles['code']} tabIndex={0} dir="ltr">
      {indented(body)}
    </pre>
  );
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
