/** Values of attributes beside one another: the site and the draft, theirs and mine. */
import { type ReactNode, useMemo } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import { type FormHost, HostProvider } from '../../form/host.ts';
import { serverServices } from '../../form/services.ts';
import { Shown } from '../../form/shown.tsx';
import type { Difference } from '../../form/values/differences.ts';
import { pathText } from '../../form/values/path.ts';
import comparedStyles from './compared.module.css';

interface Props {
  readonly schema: Schema;
  readonly model: ContentType;
  readonly differences: readonly Difference[];
  /** Over the values before and after. */
  readonly heads: readonly [string, string];
  /** What stands at the values of one: a choice. */
  readonly choice?: (difference: Difference, side: 'before' | 'after') => ReactNode;
}

export function Compared({ schema, model, differences, heads, choice }: Props): ReactNode {
  const host = useMemo<FormHost>(
    () => ({
      schema,
      model,
      documentId: null,
      locale: null,
      readOnly: true,
      errors: [],
      change: () => {},
      valueAt: () => undefined,
      services: serverServices,
    }),
    [schema, model],
  );
  const side = (difference: Difference, which: 'before' | 'after', head: string): ReactNode => (
    <div className={comparedStyles['comparedSide']}>
      <div className={comparedStyles['comparedHead']}>{choice ? choice(difference, which) : head}</div>
      <Shown attribute={difference.attribute} value={difference[which]} />
    </div>
  );
  return (
    <HostProvider value={host}>
      <div className={comparedStyles['compared']}>
        {differences.map((difference) => (
          <section key={pathText(difference.path)} className={comparedStyles['comparedField']}>
            <h3>{difference.label}</h3>
            <div className={comparedStyles['comparedPair']}>
              {side(difference, 'before', heads[0])}
              {side(difference, 'after', heads[1])}
            </div>
          </section>
        ))}
      </div>
    </HostProvider>
  );
}
