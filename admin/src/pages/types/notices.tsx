/** Notices above the pages: why nothing can be changed, mistakes in files, and files that changed in the meantime. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ContentTypesState } from '../../../contract/content-types.ts';
import { RefusedError, request } from '../../data/client.ts';
import { Around, useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Button } from '../../ui/button.tsx';
import { Lock, TriangleAlert, Undo2 } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import { type ContentTypes, editsOnto, editsWithout, planQuery, reloadSchema, typesQuery } from './data.ts';
import styles from './types.module.css';
import { rebase } from './work.ts';
import { differingParts, type Json, nameOfType, schemaOf } from './working-type.ts';

/** Says why the files cannot be changed. */
export function ReadOnlyNotice({ state }: { readonly state: ContentTypesState }): ReactNode {
  const t = useText();
  if (state.isEditable || state.reason === null) return null;
  return (
    <div className={styles['notice']} role="note">
      <Lock />
      <p>{t(`types.readOnly.${state.reason}`, { command: state.command })}</p>
    </div>
  );
}

/** Mistakes in the files on disk, which the server leaves unloaded. */
export function FileProblems({ state }: { readonly state: ContentTypesState }): ReactNode {
  const t = useText();
  const mistakes = state.problems.filter(({ severity }) => severity === 'mistake');
  if (mistakes.length === 0) return null;
  return (
    <div className={styles['warning']} role="status">
      <TriangleAlert />
      <div>
        <p>{t('types.files.wrong')}</p>
        <ul>
          {mistakes.map(({ file, path, message }) => (
            <li key={`${file} ${path.join('.')} ${message}`}>
              <code>{file}</code> {path.join('.')}: {message}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** Says that files of changed types have changed in the meantime, and lets the user decide. */
export function Outdated({ all, uid }: { readonly all: ContentTypes; readonly uid?: string }): ReactNode {
  const t = useText();
  const { data: plan } = useQuery(planQuery(all, {}));
  return all.outdated
    .filter((one) => uid === undefined || one === uid)
    .map((one) => {
      const type = all.types[one]!;
      const file = all.stored.get(type.from ?? one);
      const isMerged = plan?.merged.includes(one) === true;
      const key = isMerged ? 'types.outdated.merged' : file ? 'types.outdated' : 'types.outdated.gone';
      return (
        <div key={one} className={styles['warning']} role="status">
          <TriangleAlert />
          <div className={styles['decide']}>
            <p>{t(key, { name: nameOfType(type) })}</p>
            {!isMerged && file && !type.isRemoved && <Versions mine={schemaOf(type)} theirs={file.schema} />}
            <div className={styles['buttons']}>
              <Button onClick={() => rebase(editsWithout(all.edits, one))}>{t('types.outdated.take')}</Button>
              {!isMerged && (
                <Button onClick={() => rebase(editsOnto(all.edits, one, file))}>{t('types.outdated.keep')}</Button>
              )}
            </div>
          </div>
        </div>
      );
    });
}

interface VersionsProps {
  readonly mine: Json;
  readonly theirs: Json;
}

/** The differences between the own version of a type and its file, by attribute. */
function Versions({ mine, theirs }: VersionsProps): ReactNode {
  const t = useText();
  return (
    <table className={styles['versions']}>
      <thead>
        <tr>
          <th scope="col">{t('types.outdated.mine')}</th>
          <th scope="col">{t('types.outdated.theirs')}</th>
        </tr>
      </thead>
      {differingParts(mine, theirs).map(({ name, isSetting, own, other }) => (
        <tbody key={`${isSetting} ${name}`}>
          <tr>
            <th scope="rowgroup" colSpan={2} dir="auto">
              {isSetting ? t('types.outdated.setting', { name }) : name}
            </th>
          </tr>
          <tr>
            {[own, other].map((text, index) => (
              <td key={index === 0 ? 'mine' : 'theirs'}>
                {text === undefined ? t('types.outdated.none') : <code>{text}</code>}
              </td>
            ))}
          </tr>
        </tbody>
      ))}
    </table>
  );
}

/** The types that the button names. */
const NAMED = 3;

/** A button that undoes the last applied change, if that is possible. */
export function UndoLast({ state }: { readonly state: ContentTypesState }): ReactNode {
  const t = useText();
  const undo = useUndo();
  if (!state.isEditable || !state.undo) return null;
  const { at, uids } = state.undo;
  const names = uids.map((uid) => state.types.find((type) => type.uid === uid)?.displayName ?? uid);
  const shown = names.length > NAMED ? [...names.slice(0, NAMED), '…'] : names;
  return (
    <div>
      <Button icon={Undo2} busy={undo.isPending} onClick={() => undo.mutate()}>
        <span>
          <Around text={t('types.undoLast', { names: shown.join(', '), when: '\0' })} at={at} />
        </span>
      </Button>
    </div>
  );
}

/** Undoes the last applied change of schema files. */
export function useUndo() {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  return useMutation({
    mutationFn: () => request('POST content-types/undo'),
    onSuccess: ({ data }) => {
      client.setQueryData(typesQuery.queryKey, data);
      reloadSchema(client);
      show({ text: t('undone') });
    },
    onError: (error) => {
      void client.invalidateQueries({ queryKey: typesQuery.queryKey });
      const isRefused = error instanceof RefusedError;
      const hasContent = isRefused && error.details['effects'] !== undefined;
      const isOutdated = isRefused && error.status === 412;
      const text = hasContent ? t('types.undo.content') : isOutdated ? t('types.undo.changed') : failureText(t, error);
      show({ text, tone: 'danger' });
    },
  });
}
