/** The dialog for creating or renaming a folder. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import type { Folder } from '../../contract/media.ts';
import { useForm } from '../app/form.ts';
import { request } from '../data/client.ts';
import { useText } from '../language/language.tsx';
import { Button } from '../ui/button.tsx';
import { CancelButton, Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';
import { useToasts } from '../ui/toast.tsx';
import { libraryChanged, useFolders } from './data.ts';

interface Props {
  /** The folder to rename; undefined to create one. */
  readonly folder?: Folder | undefined;
  /** The parent of a new folder; null for the top. */
  readonly parent: number | null;
  readonly onClose: () => void;
  readonly onMade?: (folder: Folder) => void;
}

export function FolderDialog({ folder, parent, onClose, onMade }: Props): ReactNode {
  const t = useText();
  const id = useId();
  const client = useQueryClient();
  const { show } = useToasts();
  const tree = useFolders();
  const form = useForm({
    initial: { name: folder?.name ?? '' },
    check: ({ name }) => (name.trim() === '' ? { name: t('field.name') } : {}),
    send: async (values) => {
      const name = values.name.trim();
      const { data } = folder
        ? await request('PUT folders/:id', { params: { id: String(folder.id) }, body: { name } })
        : await request('POST folders', { body: { name, parent } });
      await libraryChanged(client);
      onClose();
      show({ text: t(folder ? 'saved' : 'media.folder.made') });
      onMade?.(data);
    },
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={folder ? t('media.folder.rename') : t('media.folder.new', { name: tree.nameOf(parent) })}
      actions={
        <>
          <CancelButton onClick={onClose} />
          <Button look="primary" type="submit" form={id} busy={form.busy}>
            {folder ? t('save') : t('media.folder.make')}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={form.onSubmit}>
        <Field label={t('media.folder.name')} error={form.errorOf('name') ?? form.error} required>
          <Input {...form.control('name')} autoComplete="off" maxLength={255} />
        </Field>
      </form>
    </Dialog>
  );
}
