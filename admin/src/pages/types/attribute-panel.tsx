/** The panel of an attribute: first the choice of a kind, then its name and its options. */
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import shared from '../../app/settings.module.css';
import { useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton, SidePanel } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { type Draft, draftOf, draftProblems, optionsOf, withKind } from './attribute-draft.ts';
import { AttributeOptions } from './attribute-options.tsx';
import type { ContentTypes } from './data.ts';
import { GROUPS, isKind, KIND_GROUPS, type Kind } from './kinds.ts';
import { attributeName, nameProblem } from './names.ts';
import { withAttribute } from './relations.ts';
import styles from './types.module.css';
import type { WorkingAttribute, WorkingType } from './working-type.ts';

interface Props {
  readonly all: ContentTypes;
  readonly type: WorkingType;
  /** Undefined for a new attribute. */
  readonly attribute: WorkingAttribute | undefined;
  readonly readOnly: boolean;
  readonly onClose: () => void;
}

export function AttributePanel({ all, type, attribute, readOnly, onClose }: Props): ReactNode {
  const t = useText();
  const [draft, setDraft] = useState<Draft | undefined>(() => attribute && draftOf(attribute));
  const [isChoosing, setChoosing] = useState(attribute === undefined);
  const [isChecked, setChecked] = useState(false);
  const formId = useId();
  const others = type.attributes.filter((one) => one.key !== attribute?.key).map(({ name }) => name);
  const wrongName = draft && nameProblem(draft.name, others, type.kind === 'component');
  const problems = draft ? draftProblems(draft, all.types, type, attribute) : {};
  const choose = (kind: Kind): void => {
    setDraft((before) => withKind(before, kind, all.types, type.uid));
    setChoosing(false);
  };
  const finish = (): void => {
    setChecked(true);
    if (!draft || wrongName || Object.keys(problems).length > 0) return;
    const next: WorkingAttribute = {
      key: attribute?.key ?? `new-${Date.now().toString(36)}-${draft.name}`,
      from: attribute?.from ?? null,
      name: draft.name,
      options: optionsOf(draft),
    };
    all.change(withAttribute(all.types, type.uid, attribute?.key, next));
    onClose();
  };
  const title = isChoosing
    ? t('types.attribute.choose')
    : draft && isKind(draft.options.type)
      ? t('types.attribute.title', { kind: t(`types.attribute.${draft.options.type}`) })
      : t('types.attribute.add');
  return (
    <SidePanel
      open
      onOpenChange={onClose}
      title={title}
      actions={
        readOnly ? (
          <Button onClick={onClose}>{t('close')}</Button>
        ) : (
          <>
            <CancelButton onClick={onClose} />
            {!isChoosing && (
              <Button look="primary" type="submit" form={formId}>
                {t('done')}
              </Button>
            )}
          </>
        )
      }
    >
      {isChoosing || !draft ? (
        <KindPicker isComponent={type.kind === 'component'} onChoose={choose} />
      ) : (
        <form
          id={formId}
          aria-label={title}
          // Without enabled controls, the panel has to scroll with the keyboard.
          tabIndex={readOnly ? 0 : undefined}
          className={shared['form']}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (!readOnly) finish();
          }}
        >
          <fieldset disabled={readOnly} className={shared['form']}>
            <Names
              name={draft.name}
              isNew={attribute === undefined}
              error={isChecked && wrongName ? t(`types.name.${wrongName}`) : undefined}
              onName={(name) => setDraft({ ...draft, name })}
            />
            <AttributeOptions
              all={all}
              type={type}
              draft={draft}
              problems={isChecked ? problems : {}}
              others={others}
              onDraft={setDraft}
            />
            {!readOnly && (
              <div>
                <Button look="quiet" onClick={() => setChoosing(true)}>
                  {t('types.attribute.other')}
                </Button>
              </div>
            )}
          </fieldset>
        </form>
      )}
    </SidePanel>
  );
}

interface NamesProps {
  readonly name: string;
  readonly isNew: boolean;
  readonly error: string | undefined;
  readonly onName: (name: string) => void;
}

/** The name of an attribute. That of a new one follows from its label until it is edited itself. */
function Names({ name, isNew, error, onName }: NamesProps): ReactNode {
  const t = useText();
  const [label, setLabel] = useState('');
  const [isOwn, setOwn] = useState(!isNew || name !== '');
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => {
    first.current?.focus();
  }, []);
  return (
    <>
      {isNew && (
        <Field label={t('types.attribute.label')} hint={t('types.attribute.label.hint')}>
          <Input
            ref={first}
            value={label}
            autoComplete="off"
            maxLength={100}
            onChange={({ target }) => {
              setLabel(target.value);
              if (!isOwn) onName(attributeName(target.value));
            }}
          />
        </Field>
      )}
      <Field
        label={t('types.attribute.name')}
        error={error}
        required
        {...(!isNew && { hint: t('types.attribute.name.hint') })}
      >
        <Input
          {...(!isNew && { ref: first })}
          value={name}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={100}
          onChange={({ target }) => {
            setOwn(target.value !== '');
            onName(target.value.trim());
          }}
        />
      </Field>
    </>
  );
}

interface PickerProps {
  readonly isComponent: boolean;
  readonly onChoose: (kind: Kind) => void;
}

function KindPicker({ isComponent, onChoose }: PickerProps): ReactNode {
  const t = useText();
  return (
    <div className={styles['kinds']}>
      {GROUPS.map((group) => (
        <section key={group} aria-label={t(`types.kindGroup.${group}`)}>
          <h3 className={styles['heading']}>{t(`types.kindGroup.${group}`)}</h3>
          <ul>
            {KIND_GROUPS[group]
              // A dynamic zone cannot be part of a component.
              .filter((kind) => !(isComponent && kind === 'dynamiczone'))
              .map((kind) => (
                <li key={kind}>
                  <button type="button" className={styles['kind']} onClick={() => onChoose(kind)}>
                    <b>{t(`types.attribute.${kind}`)}</b>
                    <span className={styles['quiet']}>{t(`types.attribute.${kind}.text`)}</span>
                  </button>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
