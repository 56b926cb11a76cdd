/** The button that submits a form of settings. It is emphasized once there is something to save. */
import type { ReactNode } from 'react';
import { useText } from '../language/language.tsx';
import { Button } from '../ui/button.tsx';

interface SaveButtonProps {
  /** Whether the values differ from the stored ones. */
  readonly differs: boolean;
  readonly busy: boolean;
  /** The text of the button; "Save" if left out. */
  readonly children?: ReactNode;
}

export function SaveButton({ differs, busy, children }: SaveButtonProps): ReactNode {
  const t = useText();
  return (
    <div>
      <Button type="submit" look={differs ? 'primary' : 'plain'} busy={busy} disabled={!differs}>
        {children ?? t('save')}
      </Button>
    </div>
  );
}
