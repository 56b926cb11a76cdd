/** Asks for confirmation before something that cannot be undone, or that changes much at once. */
import { type ReactNode, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { CancelButton, Dialog } from '../ui/dialog.tsx';
import { Trash } from '../ui/icons.ts';

interface Props {
  readonly title: string;
  readonly text: string;
  /** The label of the button that confirms. */
  readonly button: string;
  /** `primary` if it can be reverted. */
  readonly look?: 'danger' | 'primary';
  readonly busy: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  readonly children?: ReactNode;
}

export function Confirmation({
  title,
  text,
  button,
  look = 'danger',
  busy,
  onClose,
  onConfirm,
  children,
}: Props): ReactNode {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      text={text}
      actions={
        <>
          <CancelButton onClick={onClose} />
          <Button look={look} busy={busy} onClick={onConfirm}>
            {button}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}

interface DeleteButtonProps {
  readonly label: string;
  readonly title: string;
  readonly text: string;
  /** The request, which leaves the page. */
  readonly remove: { readonly isPending: boolean; readonly mutate: () => void };
}

/** A button that deletes what a page shows, after a confirmation. */
export function DeleteButton({ label, title, text, remove }: DeleteButtonProps): ReactNode {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button icon={Trash} onClick={() => setAsking(true)}>
        {label}
      </Button>
      {isAsking && (
        <Confirmation
          title={title}
          text={text}
          button={label}
          busy={remove.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => remove.mutate()}
        />
      )}
    </>
  );
}
