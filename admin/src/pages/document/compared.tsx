/** Values side by side: the site and the draft, or two conflicting versions. */
import { type ReactNode, useMemo } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import { ShownChange } from '../../form/changes/shown-change.tsx';
import { type FormHost, HostProvider } from '../../form/host.ts';
import { serverServices } from '../../form/services.ts';
import { TextDirectionProvider, textDirectionOf } from '../../form/text-direction.ts';
import type { Difference } from '../../form/values/differences.ts';
import type { Attribute } from '../../form/values/model.ts';
import { pathText } from '../../form/values/path.ts';
import comparedStyles from './compared.module.css';

interface Props {
  readonly schema: Schema;
  readonly model: ContentType;
  /** The locale of the values; null if the type has no locales. */
  readonly locale: string | null;
  readonly differences: readonly Difference[];
  /** The headings of the values before and after. */
  readonly heads: readonly [string, string];
  /** Renders an action on the value before, beside the name of its field. */
  readonly action?: (difference: Difference) => ReactNode;
  /** Renders a choice at the value of a side. */
  readonly choice?: (difference: Difference, side: 'before' | 'after') => ReactNode;
}

export function Compared({ schema, model, locale, differences, heads, action, choice }: Props): ReactNode {
  const host = useMemo<FormHost>(
    () => ({
      schema,
      model,
      documentId: null,
      locale,
      readOnly: true,
      isOpening: false,
      errors: [],
      advice: [],
      change: () => {},
      valueAt: () => undefined,
      follow: () => () => undefined,
      services: serverServices,
    }),
    [schema, model, locale],
  );
  const side = (difference: Difference, which: 'before' | 'after', head: string): ReactNode => (
    <div className={comparedStyles['comparedSide']}>
      <div className={comparedStyles['comparedHead']}>{choice ? choice(difference, which) : head}</div>
      <ShownChange
        attribute={difference.attribute}
        value={difference[which]}
        other={difference[which === 'before' ? 'after' : 'before']}
        side={which}
        mark={choice ? 'mark' : which === 'before' ? 'del' : 'ins'}
      />
    </div>
  );
  return (
    <HostProvider value={host}>
      <div className={comparedStyles['compared']}>
        {differences.map((difference) => (
          <section key={pathText(difference.path)}>
            <div className={comparedStyles['comparedTop']}>
              <h3>{difference.label}</h3>
              {action?.(difference)}
            </div>
            <TextDirectionProvider value={textDirectionOf(model, attributeOf(model, difference), locale)}>
              <div className={comparedStyles['comparedPair']}>
                {side(difference, 'before', heads[0])}
                {side(difference, 'after', heads[1])}
              </div>
            </TextDirectionProvider>
          </section>
        ))}
      </div>
    </HostProvider>
  );
}

/** The attribute of the document that contains the difference. */
function attributeOf({ attributes }: ContentType, { path: [first] }: Difference): Attribute | undefined {
  return attributes.find(({ name }) => name === first);
}
