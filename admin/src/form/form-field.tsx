/** A field: label, control, error, and the mark in the margin if it differs from the published version. */
import { type FocusEvent, memo, type ReactNode, useCallback, useMemo, useState } from 'react';
import { useText } from '../language/language.tsx';
import type { Text } from '../language/messages.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { MessageSquare, Undo2 } from '../ui/icons.ts';
import { controlOf, isGroup } from './controls.tsx';
import styles from './form.module.css';
import { type FormHost, isWritable, useHost } from './host.ts';
import { useMarkText } from './mark-text.ts';
import { usePatternTest } from './pattern-test.ts';
import { findingText, problemText } from './problem-text.ts';
import { ReadOnlyValue } from './read-only-value.tsx';
import { TextDirectionProvider, textDirectionOf, useTextDirection } from './text-direction.ts';
import { canBeRestored, isEqual, restoredValue } from './values/differences.ts';
import { type Attribute, isValues, type Model, type Path } from './values/model.ts';
import { isWithin } from './values/path.ts';
import { type Finding, lengthLimit, type Problem, problemOf } from './values/problems.ts';

interface Props {
  readonly attribute: Attribute;
  readonly model: Model;
  /** The path of the values that contain the field. */
  readonly parentPath: Path;
  readonly value: unknown;
  /** Undefined if nothing is published. */
  readonly published: unknown;
  readonly source: unknown;
  readonly isTitle: boolean;
}

export const FormField = memo(function FormField(props: Props): ReactNode {
  const { attribute, model, parentPath: around, value, published, source, isTitle } = props;
  const t = useText();
  const host = useHost();
  const path = useMemo(() => [...around, attribute.name], [around, attribute.name]);
  const { change, schema } = host;
  const onValue = useCallback((next: unknown) => change(path, next), [change, path]);
  const { errors, advice } = host;
  // An error disappears as soon as the value is correct. If it disappeared on blur, the layout would shift under a
  // button that is being pressed.
  const [writing, setWriting] = useState({ value, text: value });
  const written = writing.value === value ? writing.text : value;
  const onWriting = useCallback((text: unknown) => setWriting({ value, text }), [value]);
  const finding = useFinding(errors, path, attribute, written);
  const advised = useFinding(advice, path, attribute, written);
  const { problem, onBlur } = useProblem(attribute, value, written);
  const markText = useMarkText();
  const readOnly = !isWritable(host, attribute);
  const Control = controlOf(attribute);
  // The fields of a single component have their own marks.
  const isComparedInside = attribute.type === 'component' && isValues(value) && isValues(published);
  const differs =
    published !== undefined && attribute.readable && !isComparedInside && !isEqual(schema, attribute, value, published);
  const takeBack = (close: () => void): void => {
    onValue(restoredValue(schema, attribute, value, published));
    close();
  };
  const mark = differs
    ? {
        text: markText(attribute, value, published),
        panel: (close: () => void) => (
          <div className={styles['published']}>
            <p className={styles['publishedHead']}>{t('mark.published')}</p>
            <ReadOnlyValue attribute={attribute} value={published} />
            {!readOnly &&
              (canBeRestored(schema, attribute, value, published) ? (
                <Button icon={Undo2} onClick={() => takeBack(close)}>
                  {t('mark.takeBack')}
                </Button>
              ) : (
                <p>{t('mark.cut')}</p>
              ))}
          </div>
        ),
      }
    : undefined;
  // A stored password is not readable, so it cannot be reported as missing.
  const isRequired = attribute.required && (attribute.type !== 'password' || host.documentId === null);
  const note = noteOf(t, { ...attribute, required: isRequired }, value, readOnly && !host.readOnly);
  const isQuiet = attribute.type === 'uid' || attribute.type === 'relation';
  const outer = useTextDirection();
  const direction = useMemo(
    () => (around.length === 0 ? textDirectionOf(model, attribute, host.locale) : outer),
    [around, model, attribute, host.locale, outer],
  );
  return (
    <TextDirectionProvider value={direction}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it only handles the focus leaving its content */}
      <div className={isQuiet ? styles['quiet'] : undefined} onBlur={onBlur} data-field={path.join('.')}>
        <Field
          label={attribute.label}
          required={isRequired}
          error={finding ? findingText(t, finding) : problem && problemText(t, problem)}
          {...(advised && !readOnly && { advice: findingText(t, advised) })}
          group={isGroup(attribute)}
          {...(note && { note })}
          {...(isShared(host, attribute, around) && { shared: t('form.shared') })}
          {...(attribute.description && { hint: attribute.description })}
          {...(mark && { mark })}
          {...(host.comments &&
            around.length === 0 && { aside: <CommentMark path={attribute.name} label={attribute.label} /> })}
        >
          <Control
            attribute={attribute}
            model={model}
            path={path}
            value={value}
            published={published}
            source={source}
            readOnly={readOnly}
            onValue={onValue}
            onWriting={onWriting}
            isTitle={isTitle}
          />
        </Field>
      </div>
    </TextDirectionProvider>
  );
});

/** Opens the comments on a field. Without any, it appears while the field is used. */
function CommentMark({ path, label }: { readonly path: string; readonly label: string }): ReactNode {
  const t = useText();
  const { comments } = useHost();
  const count = comments?.open.get(path) ?? 0;
  return (
    <button
      type="button"
      className={styles['comments']}
      data-some={count > 0 || undefined}
      aria-label={count === 0 ? t('comments.add') : t('comments.open', { count })}
      // also its description, so that it is not taken for the field
      title={t('comments.on', { field: label })}
      // without comments, the panel of comments serves the keyboard
      tabIndex={count === 0 ? -1 : undefined}
      onClick={() => comments?.show(path)}
    >
      <MessageSquare size={14} />
      {count > 0 && count}
    </button>
  );
}

/** The error of this value; undefined once the value has changed. */
function useFinding(errors: readonly Finding[], path: Path, attribute: Attribute, value: unknown): Finding | undefined {
  const hasFields = attribute.type === 'component' || attribute.type === 'dynamiczone';
  // Errors of a whole row belong to no field.
  const isOwn = ({ path: place }: Finding): boolean =>
    !hasFields ||
    place.length === path.length ||
    (place.length === path.length + 1 && /^\d+$/.test(String(place.at(-1))));
  const error = errors.find((one) => isWithin(one.path, path) && isOwn(one));
  const [shownProblem, setShownProblem] = useState({ errors, value });
  if (shownProblem.errors !== errors) setShownProblem({ errors, value });
  return shownProblem.errors !== errors || shownProblem.value === value ? error : undefined;
}

/** Problems that are shown during typing, because more typing does not solve them. */
const AT_ONCE: ReadonlySet<Problem['kind']> = new Set(['tooLong', 'tooLarge', 'tooMany', 'tooFine']);

/** The problem of the value by the schema. It is shown when the user has changed the value and left the field. */
function useProblem(
  attribute: Attribute,
  value: unknown,
  written: unknown,
): { readonly problem: Problem | undefined; readonly onBlur: (event: FocusEvent) => void } {
  const [first] = useState({ value });
  const [hasLeft, setHasLeft] = useState(false);
  // Some controls change the value only when they lose the focus, so the value is checked after that.
  const [isLeaving, setLeaving] = useState(false);
  if (isLeaving) {
    setLeaving(false);
    if (value !== first.value) setHasLeft(true);
  }
  const problem = problemOf(attribute, written);
  const isText = hasLeft && problem === undefined && typeof written === 'string';
  const result = usePatternTest(attribute.regex ?? '', isText ? written : '');
  return {
    problem:
      problem && (hasLeft || AT_ONCE.has(problem.kind)) ? problem : result === 'not' ? { kind: 'noMatch' } : undefined,
    onBlur: ({ currentTarget, relatedTarget }) => {
      if (!currentTarget.contains(relatedTarget)) setLeaving(true);
    },
  };
}

/** Whether the value applies to all locales. Values within a shared value are shared as well. */
function isShared({ model, schema }: FormHost, { localized }: Attribute, around: Path): boolean {
  return 'localized' in model && model.localized && !localized && around.length === 0 && schema.locales.length > 1;
}

/** The part of an implicit limit from which the length is shown. */
const NEAR = 0.8;

function noteOf(t: Text, attribute: Attribute, value: unknown, isLocked: boolean): string | undefined {
  if (isLocked) return t('form.locked');
  if (typeof value === 'string' && value !== '') {
    const limit = lengthLimit(attribute);
    const isNear = limit !== undefined && (attribute.maxLength !== undefined || value.length > limit * NEAR);
    return isNear ? t('form.lengthOf', { length: value.length, limit }) : undefined;
  }
  const isMissing = problemOf(attribute, value)?.kind === 'required' || (attribute.type === 'password' && !value);
  return attribute.required && isMissing ? t('form.required') : undefined;
}
