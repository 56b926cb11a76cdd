/** The publish panel: state, changes, errors, and the button. */
import type { ReactNode, Ref } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import { findingText } from '../../form/problem-text.ts';
import type { Difference } from '../../form/values/differences.ts';
import { fieldName } from '../../form/values/field-name.ts';
import type { Path, Values } from '../../form/values/model.ts';
import { pathText } from '../../form/values/path.ts';
import type { Finding } from '../../form/values/problems.ts';
import { Around, useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { StateMark } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Check, CircleAlert, Clock } from '../../ui/icons.ts';
import styles from './document.module.css';
import type { DraftState } from './draft-state.ts';
import { goToField } from './field-focus.ts';
import { inOrder } from './findings.ts';
import { LinkedDrafts } from './linked-drafts.tsx';
import panelStyles from './side.module.css';

export interface PublishPanelProps {
  readonly schema: Schema;
  readonly model: ContentType;
  readonly state: DraftState;
  readonly differences: readonly Difference[];
  readonly mayPublish: boolean;
  /** Without the permission to change the document, errors are not shown. */
  readonly mayWrite: boolean;
  readonly busy: boolean;
  readonly onPublish: () => void;
  /** Opens the dialog that publishes at a chosen time; undefined if that is not permitted. */
  readonly onSchedule?: (() => void) | undefined;
  /** What is scheduled. */
  readonly scheduled?: ReactNode;
  /** Shows the changes that publishing would make. */
  readonly onCompare: () => void;
  /** Called before a field is focused, to close layers. */
  readonly onField?: () => void;
}

/** The number of changes that are listed. */
const LISTED = 8;

export function PublishPanel(props: PublishPanelProps): ReactNode {
  const t = useText();
  const { schema, model, state, differences, onCompare, onField } = props;
  const { server, errors, advice, refusal } = state;
  const open = inOrder(model, props.mayWrite ? [...errors, ...advice] : errors);
  const publishedAt = server.published?.['publishedAt'];
  const jump = (path: Path): void => {
    onField?.();
    goToField(path);
  };
  return (
    <section className={panelStyles['publish']} aria-labelledby="document-state">
      <h2 id="document-state" className={panelStyles['publishState']}>
        <StateLine {...props} isLong />
      </h2>
      {typeof publishedAt === 'string' && (
        <p>
          <Around text={t('document.publishedAt', { when: '\0' })} at={publishedAt} />
        </p>
      )}
      {differences.length > 0 && (
        <>
          <ul className={panelStyles['changes']}>
            {differences.slice(0, LISTED).map((difference) => (
              <li key={pathText(difference.path)}>
                <button type="button" onClick={() => jump(difference.path)}>
                  {difference.label}
                </button>
              </li>
            ))}
          </ul>
          {differences.length > LISTED && <p>{t('document.changes.more', { count: differences.length - LISTED })}</p>}
          <button type="button" className={panelStyles['textButton']} onClick={onCompare}>
            {t('document.compare')}
          </button>
        </>
      )}
      {open.length > 0 && <Open {...{ schema, model, values: state.values, open, errors }} onJump={jump} />}
      {refusal !== undefined && refusal.fields.length === 0 && (
        <p className={panelStyles['refusal']}>{failureText(t, refusal)}</p>
      )}
      {props.mayPublish && <LinkedDrafts schema={schema} model={model} values={state.values} />}
      <PublishButton {...props} wide />
      {props.onSchedule && (
        <Button look="quiet" icon={Clock} wide onClick={props.onSchedule}>
          {t('schedule.open')}
        </Button>
      )}
      {props.scheduled}
    </section>
  );
}

/** Whether there is nothing to publish or, for types without drafts, to save. */
export function isUpToDate({
  model,
  state,
  differences,
}: Pick<PublishPanelProps, 'model' | 'state' | 'differences'>): boolean {
  const { server, status } = state;
  if (!model.draftAndPublish) return status === 'saved' && server.documentId !== null;
  return server.states[server.locale ?? ''] === 'published' && differences.length === 0 && status === 'saved';
}

/** The button that publishes, or saves for types without drafts. Nothing is rendered if neither is permitted. */
export function PublishButton({
  model,
  state,
  differences,
  mayPublish,
  mayWrite,
  busy,
  onPublish,
  wide = false,
  buttonRef,
}: Omit<PublishPanelProps, 'onCompare' | 'onField'> & {
  readonly wide?: boolean;
  readonly buttonRef?: Ref<HTMLButtonElement>;
}): ReactNode {
  const t = useText();
  const { server, status } = state;
  const isDone = isUpToDate({ model, state, differences });
  if (!model.draftAndPublish) {
    if (!mayPublish) return wide ? <p className={styles['quiet']}>{t('document.mayNotWrite')}</p> : null;
    return (
      <Button
        look={isDone ? 'done' : 'primary'}
        {...(isDone && { icon: Check })}
        wide={wide}
        busy={busy || status === 'saving'}
        disabled={isDone}
        onClick={onPublish}
      >
        {t(isDone ? 'document.publish.done' : 'save')}
      </Button>
    );
  }
  if (!mayPublish) {
    if (!wide || (mayWrite && isDone)) return null;
    const why = mayWrite ? 'mayNotPublish' : server.documentId === null ? 'mayNotMake' : 'mayNotWrite';
    return <p className={styles['quiet']}>{t(`document.${why}`)}</p>;
  }
  return (
    <Button
      look={isDone ? 'done' : 'primary'}
      {...(isDone && { icon: Check })}
      wide={wide}
      busy={busy}
      disabled={isDone}
      onClick={onPublish}
      ref={buttonRef}
    >
      {differences.length > 0
        ? t('document.publish.changes', { count: differences.length })
        : isDone
          ? t('document.publish.done')
          : t('document.publish')}
    </Button>
  );
}

/** The state in words; for types without drafts, whether the document is saved. */
export function StateLine({
  model,
  state: { server, status },
  mayPublish,
  isLong = false,
}: Pick<PublishPanelProps, 'model' | 'state' | 'mayPublish'> & { readonly isLong?: boolean }): ReactNode {
  const t = useText();
  const own = server.states[server.locale ?? ''];
  if (!own) return t('document.state.new');
  if (!model.draftAndPublish && !mayPublish) return t('document.readOnly');
  if (!model.draftAndPublish) return t(status === 'saved' ? 'saved' : 'document.unsaved');
  return <StateMark state={own} label={t(isLong && own === 'modified' ? 'document.state.modified' : `state.${own}`)} />;
}

/** The errors that prevent publishing or saving. Each leads to its field. */
function Open({
  schema,
  model,
  values,
  open,
  errors,
  onJump,
}: {
  readonly schema: Schema;
  readonly model: ContentType;
  readonly values: Values;
  readonly open: readonly Finding[];
  /** The errors that already prevent saving. */
  readonly errors: readonly Finding[];
  readonly onJump: (path: Path) => void;
}): ReactNode {
  const t = useText();
  const isWrong = errors.length > 0;
  return (
    <div
      {...(isWrong && { role: 'alert' })}
      className={classes(panelStyles['errors'], isWrong && panelStyles['wrong'])}
      data-errors={isWrong || undefined}
    >
      <p>{t(isWrong ? 'document.errors' : 'document.advice', { count: open.length })}</p>
      <ul>
        {open.map((error) => (
          <li key={`${pathText(error.path)} ${error.message}`} data-wrong={errors.includes(error) || undefined}>
            <CircleAlert size={13} />
            <button type="button" onClick={() => onJump(error.path)}>
              <b>{fieldName(schema, model, error.path, values)}</b> {findingText(t, error)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
