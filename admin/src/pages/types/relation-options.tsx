/** The options of a relation: its kind in words, its target, and the attribute on the other side. */
import type { ReactNode } from 'react';
import { useText } from '../../language/language.tsx';
import { Field } from '../../ui/field.tsx';
import { Input, Select } from '../../ui/input.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import type { OptionsProps } from './attribute-options.tsx';
import { attributeName } from './names.ts';
import { canHaveOther, isFromAny, isToAny, otherName, RELATIONS, withOther } from './relations.ts';
import { infoText, nameOfType, type Options } from './working-type.ts';

/** The relations of components, which have no other side. */
const IN_COMPONENTS = ['oneToOne', 'oneToMany', 'morphToOne', 'morphToMany'];

export function RelationOptions({ all, type, draft, problems, onDraft }: OptionsProps): ReactNode {
  const t = useText();
  const { options } = draft;
  const { relation, target } = options;
  const types = Object.values(all.types)
    .filter((one) => one.kind !== 'component' && !one.isRemoved)
    .toSorted((one, other) => nameOfType(one).localeCompare(nameOfType(other)));
  const aim = all.types[target as string];
  const names = { type: nameOfType(type), target: aim ? nameOfType(aim) : '…' };
  const offered = RELATIONS.filter(
    (kind) => type.kind !== 'component' || IN_COMPONENTS.includes(kind) || kind === relation,
  );
  const aimFile = aim && all.stored.get(aim.from ?? aim.uid);
  const mayHaveOther =
    type.kind !== 'component' && canHaveOther(relation) && (aimFile === undefined || aimFile.origin === 'project');
  const other = otherName(options);
  const taken = aim?.attributes.map(({ name }) => name) ?? [];
  const put = (next: Options): void => onDraft({ ...draft, options: next });
  const choose = (kind: string): void => {
    const { morphBy, ...rest } = options;
    const fallback = types[0]?.uid;
    const aimed = { ...rest, relation: kind, ...(isFromAny(kind) && morphBy !== undefined && { morphBy }) };
    if (isToAny(kind)) {
      const { target: _target, ...free } = withOther(aimed, undefined);
      put(free as Options);
    } else put(withOther({ ...aimed, target: target ?? fallback }, isFromAny(kind) ? undefined : other));
  };
  /** The attributes of the target that lead to documents of any type. */
  const leading = aim?.attributes.filter((one) => isToAny(one.options['relation'])) ?? [];
  return (
    <>
      <Field label={t('types.option.relation')}>
        <Select
          value={String(relation)}
          options={offered.map((kind) => ({ value: kind, label: t(`types.relation.${kind}`, names) }))}
          onValue={choose}
        />
      </Field>
      {!isToAny(relation) && (
        <Field
          label={t('types.option.target')}
          error={problems.target ? t('types.option.target.wrong') : undefined}
          required
        >
          <Select
            value={String(target ?? '')}
            options={types.map((one) => ({ value: one.uid, label: `${nameOfType(one)} (${one.uid})` }))}
            onValue={(uid) => put({ ...withOther(options, all.types[uid] ? other : undefined), target: uid })}
          />
        </Field>
      )}
      {isFromAny(relation) && (
        <Field
          label={t('types.option.morphBy')}
          hint={t('types.option.morphBy.hint')}
          error={problems.morphBy ? t('types.option.morphBy.wrong') : undefined}
          required
        >
          <Select
            value={String(options['morphBy'] ?? '')}
            options={[
              { value: '', label: t('types.option.component.choose') },
              ...leading.map(({ name }) => ({ value: name, label: name })),
            ]}
            onValue={(morphBy) => put({ ...options, morphBy })}
          />
        </Field>
      )}
      {mayHaveOther && (
        <>
          <Checkbox
            label={t('types.option.other', names)}
            hint={t('types.option.other.hint')}
            checked={other !== undefined}
            onValue={(on) => put(withOther(options, on ? suggestedName(type, options, taken) : undefined))}
          />
          {other !== undefined && (
            <Field
              label={t('types.option.other.name', names)}
              error={problems.other ? t('types.option.other.wrong', names) : undefined}
              required
            >
              <Input
                value={other}
                autoComplete="off"
                spellCheck={false}
                maxLength={100}
                onChange={({ target: field }) => put(withOther(options, field.value.trim()))}
              />
            </Field>
          )}
        </>
      )}
    </>
  );
}

/** A free name for the other side: the plural if it links many. */
function suggestedName(type: OptionsProps['type'], { relation }: Options, taken: readonly string[]): string {
  const isMany = relation === 'manyToOne' || relation === 'manyToMany';
  const name = attributeName(infoText(type, isMany ? 'pluralName' : 'singularName') || nameOfType(type));
  let number = 1;
  const numbered = (): string => (number === 1 ? name : `${name}${number}`);
  while (taken.includes(numbered())) number += 1;
  return numbered();
}
