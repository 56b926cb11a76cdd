/** Workflows: the stages of review of types, from the tables, and read-only those that schema files declare. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import type { Workflow, WorkflowBody } from '../../../contract/review.ts';
import { Missing } from '../../app/not-found.tsx';
import shared from '../../app/settings.module.css';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import type { AnswerOf } from '../../data/client.ts';
import { RefusedError, request } from '../../data/client.ts';
import { permits, useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { failureText, refusalText } from '../../language/refusal-text.ts';
import { EmptyState, Skeleton } from '../../ui/bits.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { ArrowDown, ArrowUp, Columns3, Pencil, Plus, Trash, X } from '../../ui/icons.ts';
import { Input, Select } from '../../ui/input.tsx';
import { StageMark } from '../../ui/stage-mark.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import styles from './workflows.module.css';

const workflowsQuery = queryOptions({
  queryKey: ['workflows'],
  queryFn: ({ signal }) => request('GET workflows', { signal }),
});
type Answer = AnswerOf<'GET workflows'>;
const RIGHT = 'admin::review-workflows';
/** The colors that new stages get, one after the other. */
const COLORS = ['#4945FF', '#9736E8', '#EE5E52', '#328048', '#0C75AF', '#D9822F'];

export function WorkflowsPage(): ReactNode {
  const t = useText();
  const { rights } = useSession();
  const may = permits(rights, `${RIGHT}.read`);
  const { data } = useQuery({ ...workflowsQuery, enabled: may });
  /** The id of the workflow that is edited; null for a new one. */
  const [edited, setEdited] = useState<number | null>();
  useTitle(may ? t('workflows.title') : undefined);
  if (!may) return <Missing />;
  const mayCreate = permits(rights, `${RIGHT}.create`);
  return (
    <>
      <PageHead title={t('workflows.title')} {...(data ? { count: data.data.length } : {})}>
        {mayCreate && (
          <Button look="primary" icon={Plus} onClick={() => setEdited(null)}>
            {t('workflows.new')}
          </Button>
        )}
      </PageHead>
      <div className={styles['page']}>
        {data === undefined && <Skeleton width="40%" />}
        {data?.data.length === 0 && edited !== null && (
          <EmptyState icon={Columns3} title={t('workflows.none')} text={t('workflows.none.text')} />
        )}
        {data && edited === null && (
          <WorkflowForm answer={data} workflow={undefined} onClose={() => setEdited(undefined)} />
        )}
        {data?.data.map((workflow) =>
          workflow.id === edited ? (
            <WorkflowForm key={workflow.id} answer={data} workflow={workflow} onClose={() => setEdited(undefined)} />
          ) : (
            <Shown key={workflow.id} workflow={workflow} answer={data} onEdit={() => setEdited(workflow.id)} />
          ),
        )}
      </div>
    </>
  );
}

function Shown({
  workflow,
  answer,
  onEdit,
}: {
  readonly workflow: Workflow;
  readonly answer: Answer;
  readonly onEdit: () => void;
}): ReactNode {
  const t = useText();
  const { rights } = useSession();
  const client = useQueryClient();
  const [removes, setRemoves] = useState(false);
  const remove = useMutation({
    mutationFn: () => request('DELETE workflows/:id', { params: { id: String(workflow.id) } }),
    onSuccess: (data) => client.setQueryData(workflowsQuery.queryKey, data),
  });
  const { name, stages, required, types, file } = workflow;
  const roleNames = (ids: readonly number[]): string =>
    answer.meta.roles
      .filter(({ id }) => ids.includes(id))
      .map((role) => role.name)
      .join(', ') || t('workflows.superOnly');
  return (
    <section className={styles['workflow']} aria-label={name}>
      <header className={styles['head']}>
        <h2 dir="auto">{name}</h2>
        {file === null && permits(rights, `${RIGHT}.update`) && (
          <IconButton icon={Pencil} label={t('workflows.edit', { name })} onClick={onEdit} />
        )}
        {file === null && permits(rights, `${RIGHT}.delete`) && (
          <IconButton icon={Trash} label={t('workflows.remove', { name })} onClick={() => setRemoves(true)} />
        )}
      </header>
      {file !== null && (
        <p className={shared['quiet']}>
          {t('workflows.file')} <code>{file}</code>
        </p>
      )}
      <p>{types.length === 0 ? t('workflows.noTypes') : types.map(({ displayName }) => displayName).join(', ')}</p>
      <ol className={styles['stages']}>
        {stages.map((stage, index) => (
          <li key={stage.id}>
            <StageMark {...stage} />
            <span className={shared['quiet']}>
              {t('workflows.roles', { from: roleNames(stage.from), to: roleNames(stage.to) })}
            </span>
            {required === index && <span className={styles['required']}>{t('board.required')}</span>}
          </li>
        ))}
      </ol>
      <Dialog
        open={removes}
        onOpenChange={setRemoves}
        title={t('workflows.remove', { name })}
        text={t('workflows.remove.text')}
        actions={
          <>
            <Button onClick={() => setRemoves(false)}>{t('cancel')}</Button>
            <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
              {t('workflows.remove.do')}
            </Button>
          </>
        }
      >
        <FormError error={remove.error === null ? undefined : failureText(t, remove.error)} />
      </Dialog>
    </section>
  );
}

interface StageDraft {
  readonly key: number;
  readonly id: number | undefined;
  readonly name: string;
  readonly color: string;
  readonly from: readonly number[];
  readonly to: readonly number[];
}

function WorkflowForm({
  answer,
  workflow,
  onClose,
}: {
  readonly answer: Answer;
  /** Undefined for a new one. */
  readonly workflow: Workflow | undefined;
  readonly onClose: () => void;
}): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const next = useRef(1_000_000);
  const blank = (index: number): StageDraft => ({
    key: next.current++,
    id: undefined,
    name: '',
    color: COLORS[index % COLORS.length]!,
    from: [],
    to: [],
  });
  const [name, setName] = useState(workflow?.name ?? '');
  const [stages, setStages] = useState<readonly StageDraft[]>(
    () => workflow?.stages.map((stage) => ({ ...stage, key: stage.id })) ?? [blank(0)],
  );
  const [required, setRequired] = useState<number | undefined>(() =>
    workflow?.required == null ? undefined : workflow.stages[workflow.required]?.id,
  );
  const [types, setTypes] = useState<readonly string[]>(workflow?.types.map(({ uid }) => uid) ?? []);
  const save = useMutation({
    mutationFn: () => {
      const index = stages.findIndex(({ key }) => key === required);
      const body: WorkflowBody = {
        name: name.trim(),
        stages: stages.map(({ key: _, id, ...stage }) => ({ ...stage, ...(id === undefined ? {} : { id }) })),
        required: index < 0 ? null : index,
        types,
      };
      if (!workflow) return request('POST workflows', { body });
      return request('PUT workflows/:id', { params: { id: String(workflow.id) }, body });
    },
    onSuccess: async (data) => {
      client.setQueryData(workflowsQuery.queryKey, data);
      onClose();
      await client.invalidateQueries({ queryKey: ['review'] });
    },
  });
  const fields = save.error instanceof RefusedError ? save.error.fields : [];
  const errorAt = (...path: readonly (string | number)[]): string | undefined => {
    const found = fields.find((one) => one.path.map(String).join('.') === path.join('.'));
    return found && refusalText(t, found);
  };
  const set = (key: number, some: Partial<StageDraft>): void =>
    setStages(stages.map((stage) => (stage.key === key ? { ...stage, ...some } : stage)));
  const swap = (index: number, by: number): void => {
    const moved = [...stages];
    const [one, other] = [moved[index]!, moved[index + by]!];
    moved[index] = other;
    moved[index + by] = one;
    setStages(moved);
  };
  // A type has one workflow: choosing it takes it from the other.
  const takenBy = (uid: string): string | undefined =>
    answer.data.find((other) => other.id !== workflow?.id && other.types.some((type) => type.uid === uid))?.name;
  return (
    <form
      className={styles['form']}
      aria-label={workflow ? t('workflows.edit', { name: workflow.name }) : t('workflows.new')}
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending) save.mutate();
      }}
    >
      <FormError error={save.error !== null && fields.length === 0 ? failureText(t, save.error) : undefined} />
      <Field label={t('workflows.name')} error={errorAt('name')} required>
        <Input value={name} maxLength={255} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Field label={t('workflows.stages')} error={errorAt('stages')} group>
        <ol className={styles['drafts']}>
          {stages.map((stage, index) => {
            const number = index + 1;
            return (
              <li key={stage.key} className={styles['draft']}>
                <div className={styles['line']}>
                  <input
                    type="color"
                    className={styles['color']}
                    aria-label={t('workflows.color', { number })}
                    value={stage.color.length === 4 ? longColor(stage.color) : stage.color}
                    onChange={({ target }) => set(stage.key, { color: target.value })}
                  />
                  <Field label={t('workflows.stageName', { number })} error={errorAt('stages', index, 'name')}>
                    <Input
                      value={stage.name}
                      maxLength={255}
                      onChange={({ target }) => set(stage.key, { name: target.value })}
                    />
                  </Field>
                  <IconButton
                    icon={ArrowUp}
                    label={t('workflows.up', { number })}
                    disabled={index === 0}
                    onClick={() => swap(index, -1)}
                  />
                  <IconButton
                    icon={ArrowDown}
                    label={t('workflows.down', { number })}
                    disabled={index === stages.length - 1}
                    onClick={() => swap(index, 1)}
                  />
                  <IconButton
                    icon={X}
                    label={t('workflows.removeStage', { number })}
                    disabled={stages.length === 1}
                    onClick={() => setStages(stages.filter(({ key }) => key !== stage.key))}
                  />
                </div>
                <div className={styles['sides']}>
                  {(['to', 'from'] as const).map((side) => (
                    <fieldset key={side} className={styles['roles']}>
                      <legend>{t(`workflows.${side}`)}</legend>
                      {answer.meta.roles
                        .filter(({ code }) => code !== 'strapi-super-admin')
                        .map((role) => (
                          <Checkbox
                            key={role.id}
                            label={role.name}
                            checked={stage[side].includes(role.id)}
                            onValue={(value) =>
                              set(stage.key, {
                                [side]: value ? [...stage[side], role.id] : stage[side].filter((id) => id !== role.id),
                              })
                            }
                          />
                        ))}
                    </fieldset>
                  ))}
                </div>
              </li>
            );
          })}
        </ol>
        <div>
          <Button icon={Plus} onClick={() => setStages([...stages, blank(stages.length)])}>
            {t('workflows.addStage')}
          </Button>
        </div>
      </Field>
      <Field label={t('workflows.required')} hint={t('workflows.required.hint')} error={errorAt('required')}>
        <Select
          value={String(required ?? '')}
          options={[
            { value: '', label: t('workflows.required.none') },
            ...stages.map(({ key, name: own }, index) => ({
              value: String(key),
              label: own || t('workflows.stageName', { number: index + 1 }),
            })),
          ]}
          onValue={(value) => setRequired(value === '' ? undefined : Number(value))}
        />
      </Field>
      <Field label={t('workflows.types')} error={errorAt('types')} group>
        <div className={styles['roles']}>
          {answer.meta.types.map(({ uid, displayName }) => {
            const other = takenBy(uid);
            return (
              <Checkbox
                key={uid}
                label={displayName}
                {...(other !== undefined && { hint: t('workflows.taken', { name: other }) })}
                checked={types.includes(uid)}
                onValue={(value) => setTypes(value ? [...types, uid] : types.filter((one) => one !== uid))}
              />
            );
          })}
        </div>
      </Field>
      <div className={shared['actions']}>
        <Button onClick={onClose}>{t('cancel')}</Button>
        <Button type="submit" look="primary" busy={save.isPending}>
          {t('save')}
        </Button>
      </div>
    </form>
  );
}

/** `#rrggbb` of `#rgb`, which a color input needs. */
const longColor = (color: string): string => `#${[...color.slice(1)].map((digit) => digit + digit).join('')}`;
