/** The dialog for a conflict: both versions side by side, with a choice for each field. */

import { type ReactNode, useMemo, useState } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { useSession } from '../../data/session.ts';
import { type Difference, differences } from '../../form/values/differences.ts';
import { withCounts } from '../../form/values/links.ts';
import type { Values } from '../../form/values/model.ts';
import { hasPassword } from '../../form/values/passwords.ts';
import { pathText, withValue } from '../../form/values/path.ts';
import { Moment, useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import unseen from '../../ui/unseen.module.css';
import comparedStyles from './compared.module.css';
import { ComparedLater } from './compared-later.tsx';

interface Props {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly schema: Schema;
  readonly model: ContentType;
  readonly mine: Values;
  /** The version from which both have started. */
  readonly before: Values | null;
  readonly theirs: DocumentAnswer;
  /** Resolves the conflict with the values that are kept. */
  readonly onResolve: (chosen: Values) => void;
}

export function ConflictDialog({
  open,
  onOpenChange,
  schema,
  model,
  mine,
  before,
  theirs,
  onResolve,
}: Props): ReactNode {
  const t = useText();
  const their = useMemo(() => withCounts(schema, model, theirs.draft ?? {}, theirs), [schema, model, theirs]);
  const all = useMemo(() => differences(schema, model, mine, their, 'shown'), [schema, model, mine, their]);
  // Fields that only the other version has changed take its value by default.
  const changed = useMemo(
    () => new Set(differences(schema, model, mine, before ?? {}, 'shown').map(({ path }) => pathText(path))),
    [schema, model, mine, before],
  );
  const [chosen, setChosen] = useState<Readonly<Record<string, 'before' | 'after'>>>({});
  const sideOf = ({ path }: Difference): 'before' | 'after' =>
    chosen[pathText(path)] ?? (changed.has(pathText(path)) ? 'after' : 'before');
  const { user } = useSession();
  const isOwn = theirs.updatedBy?.id === user.id;
  const take = t(isOwn ? 'document.conflict.own.take' : 'document.conflict.take');
  const keep = t(isOwn ? 'document.conflict.own.keep' : 'document.conflict.keep');
  const choice = (difference: Difference, side: 'before' | 'after'): ReactNode => (
    <label className={comparedStyles['pick']}>
      <input
        type="radio"
        name={`conflict ${pathText(difference.path)}`}
        checked={sideOf(difference) === side}
        onChange={() => setChosen((known) => ({ ...known, [pathText(difference.path)]: side }))}
      />
      {side === 'before' ? take : keep}
      <span className={unseen['unseen']}>{difference.label}</span>
    </label>
  );
  const resolve = (): void => {
    const kept = all.filter((difference) => sideOf(difference) === 'after');
    const values = kept.reduce<Values>((done, { path, after }) => withValue(done, path, after), their);
    const names = new Set(kept.map(({ path }) => String(path[0])));
    onResolve(Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name))));
  };
  const name = theirs.updatedBy?.name;
  const at = String(theirs.draft?.['updatedAt'] ?? '');
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      wide
      title={t(isOwn ? 'document.conflict.own.title' : 'document.conflict.title')}
      text={
        <>
          {theirs.isThroughApi
            ? t('document.conflict.text.api')
            : name === undefined
              ? t('document.conflict.text.unknown')
              : t('document.conflict.text', { name })}{' '}
          {at && <Moment at={at} />}.{hasPassword(schema, model, mine) && <> {t('document.conflict.passwords')}</>}
        </>
      }
      actions={
        <>
          <Button onClick={() => onOpenChange(false)}>{t('document.conflict.later')}</Button>
          <Button look="primary" onClick={resolve}>
            {t('document.conflict.save')}
          </Button>
        </>
      }
    >
      <ComparedLater
        schema={schema}
        model={model}
        locale={theirs.locale}
        differences={all}
        heads={[take, keep]}
        choice={choice}
      />
    </Dialog>
  );
}
