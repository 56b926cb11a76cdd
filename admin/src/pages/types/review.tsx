/** The review of unsaved changes: their effects on content, the files, and what prevents them; and applying them. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { diffLines } from 'diff';
import { type ReactNode, useMemo, useState } from 'react';
import type { SchemaEffect, SchemaPlan, SchemaProblem } from '../../../contract/content-types.ts';
import { request } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import type { PlainKey } from '../../language/messages.ts';
import { failureText } from '../../language/refusal-text.ts';
import { Skeleton } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { FormError } from '../../ui/field.tsx';
import { CircleAlert, Clock, Info, TriangleAlert } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import { type ContentTypes, type Keep, planQuery, reloadSchema, typesQuery } from './data.ts';
import { Outdated, useUndo } from './notices.tsx';
import styles from './types.module.css';
import { clearWork } from './work.ts';
import { nameOfType } from './working-type.ts';

interface Props {
  readonly all: ContentTypes;
  readonly onClose: () => void;
}

/** The key of an effect in `keep`. */
const placeOf = ({ uid, attribute }: SchemaEffect): string => (attribute === null ? uid : `${uid}#${attribute}`);

const ORDER = ['loss', 'work', 'info'] as const;

export function Review({ all, onClose }: Props): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const undo = useUndo();
  const [keep, setKeep] = useState<Keep>({});
  const { changes } = all;
  const {
    data: plan,
    isPlaceholderData,
    error: planError,
  } = useQuery({
    ...planQuery(all, keep),
    refetchOnMount: 'always',
  });
  const apply = useMutation({
    mutationFn: () => request('POST content-types', { body: { changes, keep } }),
    onSuccess: ({ data }) => {
      clearWork();
      client.setQueryData(typesQuery.queryKey, data);
      reloadSchema(client);
      onClose();
      show({ text: t('types.applied'), undo: () => undo.mutate() });
    },
    // The plan reports changes since it was loaded.
    onError: () => void client.invalidateQueries({ queryKey: typesQuery.queryKey }),
  });
  const failure = apply.error ?? planError;
  return (
    <Dialog
      open
      wide
      onOpenChange={onClose}
      title={t('types.review.title')}
      text={t('types.review.text')}
      actions={
        <>
          <CancelButton onClick={onClose} />
          <Button
            look="primary"
            busy={apply.isPending}
            disabled={!plan?.isApplicable || isPlaceholderData}
            onClick={() => apply.mutate()}
          >
            {t('types.apply')}
          </Button>
        </>
      }
    >
      <div className={styles['review']}>
        <FormError error={failure ? failureText(t, failure) : undefined} />
        <Outdated all={all} />
        {plan ? (
          <PlanDetails all={all} plan={plan} keep={keep} onKeep={setKeep} onClose={onClose} />
        ) : (
          !planError && <Skeleton height="80px" />
        )}
      </div>
    </Dialog>
  );
}

interface DetailsProps extends Props {
  readonly plan: SchemaPlan;
  readonly keep: Keep;
  readonly onKeep: (keep: Keep) => void;
}

function PlanDetails({ all, plan, keep, onKeep, onClose }: DetailsProps): ReactNode {
  const t = useText();
  const mistakes = plan.problems.filter(({ severity }) => severity === 'mistake');
  const warnings = plan.problems.filter(({ severity }) => severity === 'warning');
  const effects = ORDER.flatMap((severity) => plan.effects.filter((effect) => effect.severity === severity));
  const nameOf = (uid: string): string => nameOfUid(all, uid);
  return (
    <>
      {plan.conflicts.length > 0 && (
        <p className={styles['refused']}>
          <CircleAlert size={15} />
          {t('types.conflicts', { names: plan.conflicts.map(nameOf).join(', ') })}
        </p>
      )}
      {plan.merged.length > 0 && (
        <p className={styles['quiet']}>{t('types.merged', { names: plan.merged.map(nameOf).join(', ') })}</p>
      )}
      <Problems title={t('types.problems')} problems={mistakes} nameOf={nameOf} onClose={onClose} isSevere />
      <Problems title={t('types.warnings')} problems={warnings} nameOf={nameOf} onClose={onClose} />
      <section aria-label={t('types.effects')}>
        <h3 className={styles['heading']}>{t('types.effects')}</h3>
        {effects.length === 0 && <p className={styles['quiet']}>{t('types.effects.none')}</p>}
        <ul className={styles['effects']}>
          {effects.map((effect) => (
            <Effect
              key={`${effect.uid} ${effect.attribute ?? ''} ${effect.kind}`}
              effect={effect}
              name={nameOf(effect.uid)}
              isKept={keep[placeOf(effect)] !== undefined}
              onKeep={(isKept) => {
                const { [placeOf(effect)]: _other, ...others } = keep;
                onKeep(isKept && effect.keep ? { ...others, [placeOf(effect)]: effect.keep } : others);
              }}
            />
          ))}
        </ul>
      </section>
      <section aria-label={t('types.files')}>
        <h3 className={styles['heading']}>{t('types.files')}</h3>
        {plan.files.map((file) => (
          <FileDiff key={file.file} {...file} />
        ))}
      </section>
    </>
  );
}

const nameOfUid = ({ types, state }: ContentTypes, uid: string): string => {
  const type = types[uid];
  return type ? nameOfType(type) : (state.types.find((one) => one.uid === uid)?.displayName ?? uid);
};

const ICONS = { loss: TriangleAlert, work: Clock, info: Info } as const;

interface EffectProps {
  readonly effect: SchemaEffect;
  readonly name: string;
  readonly isKept: boolean;
  readonly onKeep: (isKept: boolean) => void;
}

function Effect({ effect, name, isKept, onKeep }: EffectProps): ReactNode {
  const t = useText();
  const { severity, attribute, kind, count, from, to, keep } = effect;
  const Icon = ICONS[severity];
  const values = { from: from ?? '', to: to ?? '' };
  return (
    <li className={classes(styles['effect'], styles[severity])}>
      <Icon size={15} />
      <div>
        <p>
          <b>{attribute === null ? name : t('types.place', { type: name, attribute })}</b>{' '}
          {t(`types.effect.${kind}`, values)}
          {count !== null && count > 0 && <span className={styles['quiet']}> {t('types.concerned', { count })}</span>}
        </p>
        {severity === 'loss' && (
          <p className={styles['quiet']}>{t(keep === null ? 'types.loss.never' : 'types.loss')}</p>
        )}
        {severity === 'loss' && keep !== null && (
          <Checkbox
            label={t(`types.keep.${keep}`)}
            hint={t(`types.keep.${keep}.hint`)}
            checked={isKept}
            onValue={onKeep}
          />
        )}
      </div>
    </li>
  );
}

interface ProblemsProps {
  readonly title: string;
  readonly problems: readonly SchemaProblem[];
  readonly nameOf: (uid: string) => string;
  readonly onClose: () => void;
  readonly isSevere?: boolean;
}

function Problems({ title, problems, nameOf, onClose, isSevere = false }: ProblemsProps): ReactNode {
  if (problems.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3 className={styles['heading']}>{title}</h3>
      <ul className={styles['effects']}>
        {problems.map((problem) => {
          const { uid, file, path, message } = problem;
          const place = [uid === null ? file : nameOf(uid), ...path.filter((part) => part !== 'attributes')].join(
            ' › ',
          );
          return (
            <li key={`${place} ${message}`} className={classes(styles['effect'], isSevere && styles['loss'])}>
              <CircleAlert size={15} />
              <p>
                {uid === null ? (
                  <b>{place}</b>
                ) : (
                  <Link
                    to="/types/$uid"
                    params={{ uid }}
                    search={{ attribute: attributeOf(path) }}
                    className={styles['link']}
                    onClick={onClose}
                  >
                    {place}
                  </Link>
                )}{' '}
                {message}
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The attribute that a path of a problem leads into. */
export const attributeOf = (path: readonly string[]): string | undefined =>
  path[0] === 'attributes' ? path[1] : undefined;

/** The lines around a difference that are shown. */
const CONTEXT = 3;

function FileDiff({ file, before, after }: SchemaPlan['files'][number]): ReactNode {
  const t = useText();
  const lines = useMemo(() => diffOf(before ?? '', after ?? ''), [before, after]);
  const state: PlainKey =
    before === null ? 'types.file.new' : after === null ? 'types.file.gone' : 'types.file.changed';
  return (
    <details className={styles['file']}>
      <summary>
        <code>{file}</code> <span className={styles['quiet']}>{t(state)}</span>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element has to be reachable with the keyboard */}
      <pre tabIndex={0}>
        {lines.map(({ sign, text, at }) => (
          <span key={at} className={styles[sign === '+' ? 'added' : sign === '-' ? 'deleted' : 'same']}>
            {sign} {text}
            {'\n'}
          </span>
        ))}
      </pre>
    </details>
  );
}

interface Line {
  readonly sign: '+' | '-' | ' ' | '⋯';
  readonly text: string;
  readonly at: number;
}

/** The lines of a difference. Equal lines that are far from one are left out. */
function diffOf(before: string, after: string): readonly Line[] {
  const lines = diffLines(before, after).flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((text) => ({ sign: added ? '+' : removed ? '-' : ' ', text }) as const),
  );
  const isNear = (at: number): boolean =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ sign }) => sign !== ' ');
  return lines.flatMap((line, at): readonly Line[] => {
    if (isNear(at)) return [{ ...line, at }];
    return at === 0 || isNear(at - 1) ? [{ sign: '⋯', text: '', at }] : [];
  });
}
