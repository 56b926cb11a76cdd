/** The filters of a list: a chip for each, which opens its form. */
import { type ReactNode, useState } from 'react';
import type { Schema } from '../../../contract/schema.ts';
import type { Condition } from '../../data/list-search.ts';
import { useLocale, useText } from '../../language/language.tsx';
import { classes } from '../../ui/classes.ts';
import { CircleAlert, X } from '../../ui/icons.ts';
import { Popover } from '../../ui/popover.tsx';
import type { ListField } from './fields.ts';
import { FilterForm } from './filter-form.tsx';
import styles from './list.module.css';
import { problemOf, wordsOf } from './operators.ts';

interface Props {
  readonly schema: Schema;
  readonly fields: readonly ListField[];
  readonly conditions: readonly Condition[];
  readonly onConditions: (conditions: readonly Condition[]) => void;
  /** Whether the form of a new filter is open. */
  readonly adding: boolean;
  readonly onAdding: (adding: boolean) => void;
}

export function Filters({ schema, fields, conditions, onConditions, adding, onAdding }: Props): ReactNode {
  const t = useText();
  const locale = useLocale();
  const [changing, setChanging] = useState<number>();
  const put = (index: number, condition: Condition | undefined): void =>
    onConditions([...conditions.slice(0, index), ...(condition ? [condition] : []), ...conditions.slice(index + 1)]);
  return (
    <>
      {conditions.map((condition, index) => {
        const words = wordsOf(fields, condition, t, locale);
        const name = [words.field, words.operator, words.value].filter(Boolean).join(' ');
        const problem = problemOf(fields, condition);
        return (
          <span
            key={`${condition.field} ${condition.operator} ${condition.value}`}
            className={classes(styles['filter'], problem && styles['wrongFilter'])}
          >
            <Popover
              label={t('lists.filter.change')}
              open={changing === index}
              onOpenChange={(open) => setChanging(open ? index : undefined)}
              trigger={
                <button type="button" className={styles['filterWords']}>
                  {words.field} <b>{words.operator}</b> {words.value}
                  {problem && (
                    <span className={styles['filterProblem']}>
                      <CircleAlert size={13} /> {t(problem)}
                    </span>
                  )}
                </button>
              }
            >
              <FilterForm
                schema={schema}
                fields={fields}
                first={condition}
                onDone={(next) => {
                  setChanging(undefined);
                  put(index, next);
                }}
              />
            </Popover>
            <button
              type="button"
              className={styles['filterRemove']}
              aria-label={t('lists.filter.remove', { name })}
              onClick={() => put(index, undefined)}
            >
              <X size={12} />
            </button>
          </span>
        );
      })}
      <Popover
        label={t('lists.filter.add')}
        open={adding}
        onOpenChange={onAdding}
        trigger={
          <button type="button" className={styles['addFilter']}>
            {t('lists.filter')}
          </button>
        }
      >
        <FilterForm
          schema={schema}
          fields={fields}
          onDone={(next) => {
            onAdding(false);
            onConditions([...conditions, next]);
          }}
        />
      </Popover>
    </>
  );
}
