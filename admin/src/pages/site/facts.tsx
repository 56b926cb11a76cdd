/** Values that files or the environment set, with the place to change them. */
import type { ReactNode } from 'react';
import type { SettingSource } from '../../../contract/site.ts';
import { useText } from '../../language/language.tsx';
import styles from './site.module.css';

export function Facts({ children }: { readonly children: ReactNode }): ReactNode {
  return <dl className={styles['facts']}>{children}</dl>;
}

interface FactProps {
  readonly label: string;
  /** The setting; null: a value without a place, such as one of the project. */
  readonly of: { readonly source: SettingSource | null } | null;
  readonly children: ReactNode;
}

export function Fact({ label, of, children }: FactProps): ReactNode {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <div>{children}</div>
        {of && <Source of={of.source} />}
      </dd>
    </div>
  );
}

/** The place that sets a value. */
export function Source({ of }: { readonly of: SettingSource | null }): ReactNode {
  const t = useText();
  if (of === null) return <small className={styles['source']}>{t('site.source.default')}</small>;
  const { variable, file = '', key = '' } = of;
  return (
    <small className={styles['source']}>
      {variable === undefined ? (
        <>
          <code>{file}</code> · <code>{key}</code>
        </>
      ) : (
        <>
          {t('site.source.variable')} <code>{variable}</code>
        </>
      )}
    </small>
  );
}
