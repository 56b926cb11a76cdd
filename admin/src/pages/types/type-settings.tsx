/** The settings of a content type or component, and creating one. */
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { ContentTypeFile } from '../../../contract/content-types.ts';
import shared from '../../app/settings.module.css';
import { useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton, SidePanel } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Input, Select, Textarea } from '../../ui/input.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import type { ContentTypes } from './data.ts';
import { apiId, pluralOf } from './names.ts';
import { JsonField } from './option-fields.tsx';
import { withUid } from './relations.ts';
import { type SettingsDraft, settingsOf, settingsProblems, typeWith, uidWith } from './settings-draft.ts';
import styles from './types.module.css';
import type { WorkingType } from './working-type.ts';

interface Props {
  readonly all: ContentTypes;
  readonly kind: ContentTypeFile['kind'];
  /** Undefined for a new type. */
  readonly type?: WorkingType;
  readonly readOnly?: boolean;
  /** @param uid the uid of the stored settings; undefined if nothing was stored. */
  readonly onClose: (uid?: string) => void;
}

export function TypeSettings({ all, kind, type, readOnly = false, onClose }: Props): ReactNode {
  const t = useText();
  const [draft, setDraft] = useState<SettingsDraft>(() => settingsOf(type, kind));
  const [isChecked, setChecked] = useState(false);
  const formId = useId();
  // Names of a new type follow from its display name until they are edited.
  const [isOwn, setOwn] = useState({ singular: type !== undefined, plural: type !== undefined });
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => {
    first.current?.focus();
  }, []);
  const isComponent = kind === 'component';
  const problems = settingsProblems(draft, all.types, type);
  const errorOf = (name: keyof typeof problems): string | undefined =>
    isChecked && problems[name] !== undefined ? t(`types.problem.${problems[name]}`) : undefined;
  const set = (some: Partial<SettingsDraft>): void => setDraft((before) => ({ ...before, ...some }));
  const setSingular = (singular: string): void =>
    set({ singular, ...(!isOwn.plural && { plural: pluralOf(singular) }) });
  const finish = (): void => {
    setChecked(true);
    if (Object.keys(problems).length > 0) return;
    const uid = uidWith(draft, type);
    const types = type && uid !== type.uid ? withUid(all.types, type.uid, uid) : all.types;
    all.change({ ...types, [uid]: typeWith(draft, types[uid], uid) });
    onClose(uid);
  };
  const categories = [...new Set(Object.values(all.types).flatMap((one) => one.category ?? []))];
  return (
    <SidePanel
      open
      onOpenChange={() => onClose()}
      title={type ? t('types.settings') : t(`types.new.${kind}`)}
      actions={
        readOnly ? (
          <Button onClick={() => onClose()}>{t('close')}</Button>
        ) : (
          <>
            <CancelButton onClick={() => onClose()} />
            <Button look="primary" type="submit" form={formId}>
              {t('done')}
            </Button>
          </>
        )
      }
    >
      <form
        id={formId}
        aria-label={t('types.settings')}
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
          <Field label={t('types.setting.displayName')} error={errorOf('displayName')} required>
            <Input
              ref={first}
              value={draft.displayName}
              autoComplete="off"
              maxLength={100}
              onChange={({ target }) => {
                set({ displayName: target.value });
                if (!isOwn.singular) setSingular(apiId(target.value));
              }}
            />
          </Field>
          {isComponent && (
            <Field
              label={t('types.setting.category')}
              hint={t('types.setting.category.hint')}
              error={errorOf('category')}
              required
            >
              <Input
                value={draft.category}
                list="component-categories"
                autoComplete="off"
                spellCheck={false}
                maxLength={50}
                onChange={({ target }) => set({ category: target.value.trim() })}
              />
            </Field>
          )}
          <datalist id="component-categories">
            {categories.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <div className={styles['pair']}>
            <Field
              label={t(isComponent ? 'types.setting.name' : 'types.setting.singular')}
              error={errorOf('singular')}
              required
              {...(type && { hint: t('types.setting.singular.hint') })}
            >
              <Input
                value={draft.singular}
                autoComplete="off"
                spellCheck={false}
                maxLength={60}
                onChange={({ target }) => {
                  setOwn({ ...isOwn, singular: target.value !== '' });
                  setSingular(target.value.trim());
                }}
              />
            </Field>
            {!isComponent && (
              <Field label={t('types.setting.plural')} error={errorOf('plural')} required>
                <Input
                  value={draft.plural}
                  autoComplete="off"
                  spellCheck={false}
                  maxLength={60}
                  onChange={({ target }) => {
                    setOwn({ ...isOwn, plural: target.value !== '' });
                    set({ plural: target.value.trim() });
                  }}
                />
              </Field>
            )}
          </div>
          {!isComponent && (
            <>
              <Checkbox
                label={t('types.setting.drafts')}
                hint={t('types.setting.drafts.hint')}
                checked={draft.drafts}
                onValue={(drafts) => set({ drafts })}
              />
              <Checkbox
                label={t('types.setting.localized')}
                hint={t('types.setting.localized.hint')}
                checked={draft.localized}
                onValue={(localized) => set({ localized })}
              />
            </>
          )}
          <details className={styles['further']} open={problems.rest !== undefined || undefined}>
            <summary>{t('types.further')}</summary>
            <div className={shared['form']}>
              {!isComponent && type && (
                <Field label={t('types.setting.kind')} hint={t('types.setting.kind.hint')}>
                  <Select
                    value={draft.kind}
                    options={(['collectionType', 'singleType'] as const).map((one) => ({
                      value: one,
                      label: t(`types.kind.${one}`),
                    }))}
                    onValue={(next) => set({ kind: next === 'singleType' ? 'singleType' : 'collectionType' })}
                  />
                </Field>
              )}
              <Field label={t('types.setting.description')}>
                <Textarea
                  value={draft.description}
                  maxLength={1000}
                  onChange={({ target }) => set({ description: target.value })}
                />
              </Field>
              <Field
                label={t('types.setting.collectionName')}
                hint={t('types.setting.collectionName.hint')}
                error={errorOf('collectionName')}
              >
                <Input
                  value={draft.collectionName}
                  placeholder={
                    typeWith({ ...draft, collectionName: '' }, undefined, '').schema['collectionName'] as string
                  }
                  autoComplete="off"
                  spellCheck={false}
                  maxLength={55}
                  onChange={({ target }) => set({ collectionName: target.value.trim() })}
                />
              </Field>
              {!isComponent && (
                <Checkbox
                  label={t('types.setting.visible')}
                  hint={t('types.setting.visible.hint')}
                  checked={draft.visible}
                  onValue={(visible) => set({ visible })}
                />
              )}
              <JsonField
                label={t('types.json')}
                hint={t('types.json.type.hint')}
                text={draft.rest}
                onText={(rest) => set({ rest })}
              />
            </div>
          </details>
        </fieldset>
      </form>
    </SidePanel>
  );
}
