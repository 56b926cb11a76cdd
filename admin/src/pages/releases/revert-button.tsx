/** Reverts a release that has run, after saying what that does and what cannot come back. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Release, Reversal } from '../../../contract/releases.ts';
import type { Schema } from '../../../contract/schema.ts';
import { request } from '../../data/client.ts';
import { schemaQuery } from '../../data/schema.ts';
import { fieldName } from '../../form/values/field-name.ts';
import { documentName } from '../../language/document-name.ts';
import { useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { failureText } from '../../language/refusal-text.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Undo2 } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import { refreshReleases, reversalQuery } from './data.ts';
import { problemText } from './problem-text.ts';
import styles from './releases.module.css';

export function RevertButton({ release }: { readonly release: Release }): ReactNode {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={Undo2} onClick={() => setOpen(true)}>
        {t('releases.revert')}
      </Button>
      {isOpen && <RevertDialog release={release} onClose={() => setOpen(false)} />}
    </>
  );
}

function RevertDialog({ release, onClose }: { readonly release: Release; readonly onClose: () => void }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const [isConfirmed, setConfirmed] = useState(false);
  const { name } = release;
  const params = { id: String(release.id) };
  const { data: reversal, error } = useQuery(reversalQuery(params.id));
  const revert = useMutation({
    mutationFn: () => request('POST releases/:id/revert', { params, body: { confirmed: isConfirmed } }),
    onSuccess: () => {
      show({ text: t('releases.reverted', { name }) });
      onClose();
      return client.invalidateQueries();
    },
    onError: (failure) => {
      show({ text: failureText(t, failure), tone: 'danger' });
      return refreshReleases(client);
    },
  });
  const isReady = reversal?.count === 0 && (reversal.changed === 0 || isConfirmed);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('releases.revert.title', { name })}
      text={t('releases.revert.text')}
      actions={
        <>
          <CancelButton onClick={onClose} />
          <Button look="danger" busy={revert.isPending} disabled={!isReady} onClick={() => revert.mutate()}>
            {t('releases.revert.confirm')}
          </Button>
        </>
      }
    >
      {error && <p role="alert">{failureText(t, error)}</p>}
      {reversal && <Details reversal={reversal} />}
      {reversal && reversal.count === 0 && reversal.changed > 0 && (
        <Checkbox label={t('releases.revert.anyway')} checked={isConfirmed} onValue={setConfirmed} />
      )}
    </Dialog>
  );
}

/** What reverting does, what prevents it, and what changes besides. */
function Details({ reversal }: { readonly reversal: Reversal }): ReactNode {
  const t = useText();
  const { data: schema } = useQuery(schemaQuery);
  const { restore, unpublish, changed, documents, problems, count } = reversal;
  const lines = [
    ...(restore > 0 ? [t('releases.revert.restored', { count: restore })] : []),
    ...(unpublish > 0 ? [t('releases.revert.unpublished', { count: unpublish })] : []),
    ...(changed > 0 ? [t('releases.revert.changed', { count: changed })] : []),
    ...(count > 0 ? [t('releases.revert.problems', { count })] : []),
  ];
  const noted = [
    ...documents.flatMap((one) => notes(t, schema, one)),
    ...new Set(problems.map((one) => problemText(t, schema, one))),
  ];
  return (
    <div className={styles['reversal']}>
      {lines.map((text) => (
        <p key={text}>{text}</p>
      ))}
      {noted.length > 0 && (
        <ul>
          {noted.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function notes(t: Text, schema: Schema | undefined, one: Reversal['documents'][number]): string[] {
  const { action, document, effect, isChanged, losses } = one;
  const name = documentName(t, { documentId: action.documentId ?? '', label: document?.label ?? null });
  const model = schema?.contentTypes.find(({ uid }) => uid === action.contentType);
  const lost = new Set(losses.map(({ path }) => path.split('.')[0]!));
  const fields = [...lost].map((field) => (schema && model ? fieldName(schema, model, [field]) : field)).join(', ');
  return [
    ...(isChanged ? [t(effect === 'none' ? 'releases.revert.left' : 'releases.revert.newer', { name })] : []),
    ...(fields === '' ? [] : [t('releases.revert.lost', { name, fields })]),
  ];
}
