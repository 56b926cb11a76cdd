/** The earlier imports of the user into a type, each with a button that undoes it. */
import type { ReactNode } from 'react';
import type { RowImport } from '../../../contract/rows.ts';
import type { ContentType } from '../../../contract/schema.ts';
import shared from '../../app/settings.module.css';
import { Moment, useText } from '../../language/language.tsx';
import { classes } from '../../ui/classes.ts';
import { isRunning } from './data.ts';
import { UndoButton } from './import-result.tsx';
import { outcomeText } from './outcome-text.ts';
import styles from './rows.module.css';

export function EarlierImports({
  type,
  imports,
}: {
  readonly type: ContentType;
  readonly imports: readonly RowImport[];
}): ReactNode {
  const t = useText();
  if (imports.length === 0) return null;
  return (
    <>
      <h2 className={classes(shared['heading'], styles['earlier'])}>{t('rowFiles.earlier')}</h2>
      <ul className={shared['rows']} aria-label={t('rowFiles.earlier')}>
        {imports.map((one) => (
          <li key={one.id} className={shared['row']}>
            <div className={shared['main']}>
              <span className={shared['name']} dir="auto">
                {one.fileName}
              </span>
              <span className={shared['quiet']}>
                <Moment at={one.startedAt} /> ·{' '}
                {isRunning(one)
                  ? t('rowFiles.progress.rows', { done: one.done, total: one.total })
                  : outcomeText(t, one)}
              </span>
            </div>
            {!isRunning(one) && <UndoButton uid={type.uid} rowImport={one} />}
          </li>
        ))}
      </ul>
    </>
  );
}
