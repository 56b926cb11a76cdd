/** Imports the rows of a file as documents: a preview with the targets of columns, a trial, progress, mistakes, and undo. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { RowImport, RowsPreview } from '../../../contract/rows.ts';
import type { ContentType, Schema } from '../../../contract/schema.ts';
import { Missing } from '../../app/not-found.tsx';
import shared from '../../app/settings.module.css';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { refetchDocuments, useSetting } from '../../data/lists.ts';
import { mayInLocale, schemaFor } from '../../data/locales.ts';
import { schemaQuery } from '../../data/schema.ts';
import { useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { typeTitle } from '../../language/type-name.ts';
import { EmptyState } from '../../ui/bits.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Upload } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import { type ImportChoice, importRows, importsQuery, isRunning, previewRows } from './data.ts';
import { EarlierImports } from './earlier-imports.tsx';
import { ImportResult } from './import-result.tsx';
import { Mapping } from './mapping.tsx';
import styles from './rows.module.css';

const ENDINGS = '.csv,.tsv,.txt,.json,.ndjson,.jsonl';
/** The columns of which the targets are remembered. */
const REMEMBERED = 100;

export function ImportPage(): ReactNode {
  const { uid } = useParams({ strict: false }) as { uid: string };
  const { data: whole } = useQuery(schemaQuery);
  const { rights } = useSession();
  const type = whole?.contentTypes.find((one) => one.uid === uid);
  if (!whole) return null;
  if (!type || type.kind === 'singleType' || !(type.actions.create || type.actions.update)) return <Missing />;
  return <Import key={uid} schema={schemaFor(whole, type, rights)} type={type} />;
}

/** A file that was chosen, with its preview and the options of its import. */
interface Chosen {
  readonly file: File;
  readonly preview: RowsPreview;
  readonly choice: ImportChoice;
}

function Import({ schema, type }: { readonly schema: Schema; readonly type: ContentType }): ReactNode {
  const t = useText();
  const { uid } = type;
  const heading = typeTitle(t, schema, type);
  const title = t('rowFiles.import.title', { name: heading });
  useTitle(title);
  const client = useQueryClient();
  const { show } = useToasts();
  const { rights } = useSession();
  const [chosen, setChosen] = useState<Chosen>();
  const [id, setId] = useState<number>();
  const [remembered, remember] = useSetting<Readonly<Record<string, string>>>(`import ${uid}`);
  const { data: imports } = useQuery(importsQuery(uid));
  const current = imports?.find((one) => one.id === id);
  const isWorking = imports?.some(isRunning) ?? false;
  useSettled(imports, () => void refetchDocuments(client, uid));
  const fail = (error: unknown) => show({ text: failureText(t, error), tone: 'danger' });
  const preview = useMutation({
    mutationFn: (file: File) => previewRows(uid, file),
    onSuccess: (data, file) => {
      setId(undefined);
      setChosen({ file, preview: data, choice: firstChoice(data, remembered ?? {}) });
    },
    onError: fail,
  });
  const begin = useMutation({
    mutationFn: ({ file, choice, isTrial }: Pick<Chosen, 'file' | 'choice'> & { readonly isTrial: boolean }) =>
      importRows(uid, file, choice, isTrial),
    onSuccess: (data, { choice }) => {
      setId(data.id);
      client.setQueryData(importsQuery(uid).queryKey, (all = []) => [data, ...all]);
      const targets = data.columns.map((name, index) => [name, choice.columns[index] ?? ''] as const);
      remember((now = {}) => {
        const entries = Object.entries({ ...now, ...Object.fromEntries(targets) });
        return Object.fromEntries(entries.slice(-REMEMBERED));
      });
    },
    onError: fail,
  });
  const start = (isTrial: boolean): void => {
    if (chosen) begin.mutate({ file: chosen.file, choice: chosen.choice, isTrial });
  };
  const again = (): void => {
    setChosen(undefined);
    setId(undefined);
  };
  const isBusy = begin.isPending || isWorking;
  /** Rows that are written, as far as a check has found. */
  const left = (chosen?.preview.rows ?? 0) - (current?.failed ?? 0);
  const isDone = current !== undefined && !current.isTrial;
  return (
    <>
      <PageHead title={title}>
        <ButtonLink to="/content/$uid" params={{ uid }}>
          {t('rowFiles.back', { name: heading })}
        </ButtonLink>
        {chosen && (
          <Button onClick={again} disabled={isBusy}>
            {t('rowFiles.again')}
          </Button>
        )}
      </PageHead>
      <div className={styles['page']}>
        {!chosen && <FileChoice busy={preview.isPending} onFile={(file) => preview.mutate(file)} />}
        {chosen && !isDone && (
          <>
            <p className={shared['quiet']}>
              {t('rowFiles.read', { file: chosen.file.name, count: chosen.preview.rows })}
            </p>
            <Mapping
              schema={schema}
              type={type}
              mayPublish={type.draftAndPublish && type.actions.publish}
              locales={schema.locales.filter(({ code }) => mayInLocale(rights, 'create', type, code))}
              preview={chosen.preview}
              choice={chosen.choice}
              onChoice={(choice) => {
                setChosen({ ...chosen, choice });
                setId(undefined);
              }}
            />
            <div className={styles['buttons']}>
              <Button busy={isBusy} onClick={() => start(true)}>
                {t('rowFiles.check')}
              </Button>
              <Button look="primary" busy={isBusy} disabled={left === 0} onClick={() => start(false)}>
                {t('rowFiles.start', { count: left })}
              </Button>
            </div>
          </>
        )}
        {current && <ImportResult key={current.id} schema={schema} type={type} rowImport={current} />}
        <EarlierImports type={type} imports={(imports ?? []).filter((one) => !one.isTrial && one.id !== id)} />
      </div>
    </>
  );
}

/** Calls back whenever an import has ended. */
function useSettled(imports: readonly RowImport[] | undefined, onEnd: () => void): void {
  const running = (imports ?? []).filter(isRunning).length;
  const before = useRef(running);
  useEffect(() => {
    if (running < before.current) onEnd();
    before.current = running;
  });
}

function FileChoice({ busy, onFile }: { readonly busy: boolean; readonly onFile: (file: File) => void }): ReactNode {
  const t = useText();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        accept={ENDINGS}
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file) onFile(file);
          target.value = '';
        }}
      />
      <EmptyState
        icon={Upload}
        title={t('rowFiles.file.title')}
        text={t('rowFiles.file.text')}
        action={
          <Button look="primary" icon={Upload} busy={busy} onClick={() => input.current?.click()}>
            {t('rowFiles.file.choose')}
          </Button>
        }
      />
    </>
  );
}

/** The choice that a preview proposes: targets that the user gave these columns before, or else guessed ones. */
function firstChoice(
  { columns, targets, key, decimal, dates, delimiter }: RowsPreview,
  remembered: Readonly<Record<string, string>>,
): ImportChoice {
  const known = new Set(targets.map(({ name }) => name));
  const taken = new Set<string>();
  const own = columns.map(({ name, target }) => {
    const before = remembered[name];
    const chosen = before !== undefined && (before === '' || known.has(before)) ? before : (target ?? '');
    const attribute = chosen.split('.')[0]!;
    if (chosen === '' || taken.has(attribute)) return null;
    taken.add(attribute);
    return chosen;
  });
  const usual = key !== null && own.includes(key) ? key : null;
  return { columns: own, key: usual, locale: undefined, status: 'draft', empty: 'clear', decimal, dates, delimiter };
}
