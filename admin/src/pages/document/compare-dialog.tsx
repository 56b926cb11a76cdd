/** The changes that publishing would make on the site, side by side. */
import { type ReactNode, useMemo, useRef } from 'react';
import { asPublished } from '../../form/values/links.ts';
import { useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ComparedLater } from './compared-later.tsx';
import styles from './document.module.css';
import { LinkedDrafts } from './linked-drafts.tsx';
import { PublishButton, type PublishPanelProps } from './publish-panel.tsx';

interface Props extends Omit<PublishPanelProps, 'onCompare' | 'onField'> {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

export function CompareDialog({ open, onOpenChange, ...props }: Props): ReactNode {
  const t = useText();
  const button = useRef<HTMLButtonElement>(null);
  const { schema, model, state, differences } = props;
  const onSite = useMemo(
    () => differences.map((one) => ({ ...one, after: asPublished(schema, one.attribute, one.after) })),
    [schema, differences],
  );
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      wide
      title={t('document.compare.title')}
      firstFocus={button}
      actions={
        <>
          <Button onClick={() => onOpenChange(false)}>{t('close')}</Button>
          <PublishButton {...props} buttonRef={button} />
        </>
      }
    >
      <ComparedLater
        schema={schema}
        model={model}
        locale={state.server.locale}
        differences={onSite}
        heads={[t('document.compare.before'), t('document.compare.after')]}
      />
      <div className={styles['leftOut']}>
        <LinkedDrafts schema={schema} model={model} values={state.values} />
      </div>
    </Dialog>
  );
}
