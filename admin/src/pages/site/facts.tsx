/** Values that files or the environment set, with the place to change them. */
import type { ReactNode } from 'react';
import type { SettingSource } from '../../../contract/site.ts';
import { useText } from '../../language/language.tsx';
import styles from './site.module.css';

export function Facts({ children }: { readonly children: ReactNode }): ReactNode {
  return <dl className={styles['facts']}>{children}</dl>;
}

interface Sourced {
  readonly source: SettingSource;
  readonly isDefault: boolean;
}

interface FactProps {
  readonly label: string;
  /** The setting; null: a value without a place, such as one of the project. */
  readonly of: Sourced | null;
  readonly children: ReactNode;
}

export function Fact({ label, of, children }: FactProps): ReactNode {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <div>{children}</div>
        {of && <Source of={of} />}
      </dd>
    </div>
  );
}

/** The place that sets a value, or that would set it. */
export function Source({ of: { source, isDefault } }: { readonly of: Sourced }): ReactNode {
  const t = useText();
  const { variable, file = '', key = '' } = source;
  return (
    <small className={styles['source']}>
      {isDefault && `${t('site.source.default')} `}
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
