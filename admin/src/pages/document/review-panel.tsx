/** The stage of review of a document, and the person in charge. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { ContentType } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { assignTo, moveTo, peopleQuery, reviewQuery, stagesQuery, type VersionPlace } from '../../data/review.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Avatar } from '../../ui/bits.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { ChevronDown, X } from '../../ui/icons.ts';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { StageMark } from '../../ui/stage-mark.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { SINGLE } from './document-query.ts';
import panelStyles from './side.module.css';

export function ReviewPanel({
  model,
  server: { documentId, locale },
  isReviewed,
}: {
  readonly model: ContentType;
  readonly server: DocumentAnswer;
  /** Whether documents of the type have stages. */
  readonly isReviewed: boolean;
}): ReactNode {
  if (!isReviewed || documentId === null) return null;
  return <Review model={model} place={placeOf(model, documentId, locale)} />;
}

/** A document in requests for its review. */
export const placeOf = (model: ContentType, documentId: string, locale: string | null): VersionPlace => ({
  uid: model.uid,
  documentId: model.kind === 'singleType' ? SINGLE : documentId,
  locale,
});

function Review({ model, place }: { readonly model: ContentType; readonly place: VersionPlace }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const { data: workflow } = useQuery(stagesQuery(model.uid));
  const query = reviewQuery(place);
  const { data: review } = useQuery(query);
  const taken = async () => {
    await client.invalidateQueries({ queryKey: ['review', model.uid, 'board'] });
  };
  const onError = async (error: Error) => {
    show({ text: failureText(t, error), tone: 'danger' });
    await client.invalidateQueries({ queryKey: query.queryKey });
  };
  const move = useMutation({
    mutationFn: ({ to, from }: { readonly to: number; readonly from: number }) => moveTo(place, to, from),
    onSuccess: async (data, { to, from }) => {
      client.setQueryData(query.queryKey, data);
      const name = workflow?.stages.find(({ id }) => id === to)?.name ?? '';
      const undo = data.choices.includes(from) && { undo: () => move.mutate({ to: from, from: to }) };
      show({ text: t('review.moved', { stage: name }), ...(undo || {}) });
      await taken();
    },
    onError,
  });
  const assign = useMutation({
    mutationFn: (person: number | null) => assignTo(place, person),
    onSuccess: async (data) => {
      client.setQueryData(query.queryKey, data);
      await taken();
    },
    onError,
  });
  if (!workflow || !review) return null;
  const stage = workflow.stages.find(({ id }) => id === review.stage);
  if (!stage) return null;
  const required = workflow.stages.find(({ id }) => id === workflow.required);
  const choices = workflow.stages.filter(({ id }) => review.choices.includes(id));
  return (
    <section aria-labelledby="document-review">
      <h2 id="document-review" className={panelStyles['sideHead']}>
        {t('review.title')}
      </h2>
      <div className={panelStyles['review']}>
        {choices.length === 0 ? (
          <p>
            <StageMark {...stage} />
          </p>
        ) : (
          <Menu
            trigger={
              <Button busy={move.isPending} aria-label={t('review.stage', { stage: stage.name })}>
                <StageMark {...stage} />
                <ChevronDown />
              </Button>
            }
          >
            {choices.map((choice) => (
              <MenuItem key={choice.id} onSelect={() => move.mutate({ to: choice.id, from: stage.id })}>
                <StageMark {...choice} />
              </MenuItem>
            ))}
          </Menu>
        )}
        {required && required.id !== stage.id && (
          <p className={panelStyles['quiet']}>{t('review.required', { stage: required.name })}</p>
        )}
        <Assignee place={place} person={review.assignee} onChange={review.mayAssign ? assign.mutate : undefined} />
        {model.kind === 'collectionType' && (
          <Link
            to="/board/$uid"
            params={{ uid: model.uid }}
            search={place.locale === null ? {} : { locale: place.locale }}
            className={panelStyles['textButton']}
          >
            {t('board.open')}
          </Link>
        )}
      </div>
    </section>
  );
}

function Assignee({
  place,
  person,
  onChange,
}: {
  readonly place: VersionPlace;
  readonly person: { readonly id: number; readonly name: string } | null;
  /** Undefined if the administrator may not change it. */
  readonly onChange: ((person: number | null) => void) | undefined;
}): ReactNode {
  const t = useText();
  const [choosing, setChoosing] = useState(false);
  const [text, setText] = useState('');
  const { data = [], isPlaceholderData } = useQuery({ ...peopleQuery(place, text), enabled: choosing });
  const options = data.map(({ id, name }) => ({ value: String(id), label: name }));
  if (choosing) {
    return (
      <Combobox
        label={t('review.assignee')}
        value={null}
        options={options}
        onSearch={setText}
        isStale={isPlaceholderData}
        none={t('review.people.none')}
        placeholder={t('review.people.find')}
        onChoose={({ value }) => {
          setChoosing(false);
          onChange?.(Number(value));
        }}
      />
    );
  }
  return (
    <p className={panelStyles['assignee']}>
      {person ? (
        <>
          <Avatar name={person.name} />
          <span>{t('review.assigned', { name: person.name })}</span>
        </>
      ) : (
        <span className={panelStyles['quiet']}>{t('review.nobody')}</span>
      )}
      {onChange && (
        <button type="button" className={panelStyles['textButton']} onClick={() => setChoosing(true)}>
          {t(person ? 'review.reassign' : 'review.assign')}
        </button>
      )}
      {onChange && person && <IconButton icon={X} label={t('review.unassign')} onClick={() => onChange(null)} />}
    </p>
  );
}
