/** The columns of a list: the data that each requests, and its cells. */
import type { ReactNode } from 'react';
import type { Listed, ListPage, States } from '../../../contract/lists.ts';
import type { ContentType, Schema } from '../../../contract/schema.ts';
import { type WhenKind, whenText, wholeWhenText } from '../../language/date-format.ts';
import { namedBy } from '../../language/document-name.ts';
import { Moment, useLocale } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { type ContentState, DocumentName, StateMark } from '../../ui/bits.tsx';
import type { Column } from '../../ui/data-column.ts';
import { Check } from '../../ui/icons.ts';
import { type ListField, personOf } from './fields.ts';
import styles from './list.module.css';
import { WithPlanned } from './planned.tsx';

/** A row with the states of its document. */
export interface Row {
  readonly document: Listed;
  readonly states: States[string] | undefined;
  /** An action that has been requested and is not done yet. */
  readonly intent: 'publish' | 'unpublish' | 'delete' | undefined;
  /** The place of the search text in the document. */
  readonly match: Match | undefined;
}

type Match = ListPage['meta']['matches'][string];

export interface ColumnsContext {
  readonly schema: Schema;
  readonly type: ContentType;
  readonly fields: readonly ListField[];
  /** The locale of the list; empty if the type has no locales. */
  readonly locale: string;
  /** The locale of the reader, for numbers. */
  readonly region: string;
  readonly t: Text;
  /** The address of a document. */
  readonly hrefOf: (documentId: string) => string;
}

/** Columns that are not fields. */
export const MARKS = ['state', 'locales'] as const;

/** Adds the fields and relations of columns to a query. */
export function addColumns(
  query: URLSearchParams,
  names: readonly string[],
  { type, fields }: Pick<ColumnsContext, 'type' | 'fields'>,
): void {
  const requested = new Set(['documentId', type.layout.mainField]);
  for (const name of names) {
    const field = fields.find((one) => one.name === name);
    if (!field) continue;
    if (field.kind === 'person') query.set(`populate[${name}][fields]`, 'firstname,lastname,username');
    else if ((field.kind === 'relation' || field.kind === 'media') && field.isMany) {
      query.set(`populate[${name}][count]`, 'true');
    } else if (field.kind === 'relation')
      query.set(`populate[${name}][fields]`, field.target?.mainField ?? 'documentId');
    else if (field.kind === 'media') query.set(`populate[${name}][fields]`, 'name');
    else requested.add(name);
  }
  query.set('fields', [...requested].join(','));
}

/** The columns of the table. */
export function columnsOf(names: readonly string[], context: ColumnsContext): readonly Column<Row>[] {
  const { type, fields, t, schema, locale, hrefOf } = context;
  const seconds = new Set([
    'updatedAt',
    type.draftAndPublish ? 'state' : (names.find((name) => name !== type.layout.mainField) ?? ''),
  ]);
  return names.flatMap((name): Column<Row>[] => {
    const narrow = seconds.has(name) ? 'second' : 'wide';
    if (name === 'state' && !type.draftAndPublish) return [];
    if (name === 'state') {
      return [
        {
          id: name,
          label: t('lists.state'),
          width: '108px',
          narrow,
          cell: (row) => <State state={stateOf(row, locale)} t={t} />,
        },
      ];
    }
    if (name === 'locales') {
      const codes = schema.locales.map(({ code }) => code);
      const width = `${Math.min(260, 20 + codes.length * 44)}px`;
      return [
        {
          id: name,
          label: t('lists.locales'),
          width,
          narrow: 'wide',
          cell: (row) => <Locales row={row} codes={codes} own={locale} hasStates={type.draftAndPublish} />,
        },
      ];
    }
    const field = fields.find((one) => one.name === name);
    if (name === type.layout.mainField) {
      const label = field?.label ?? t('lists.name');
      const isSortable = field?.isSortable === true;
      return [
        {
          id: name,
          label,
          width: 'minmax(180px, 3fr)',
          narrow: 'title',
          sortable: isSortable,
          href: ({ document }) => hrefOf(document.documentId),
          cell: ({ document, match }) => (
            <>
              <WithPlanned documentId={document.documentId}>
                <DocumentName {...namedBy(name, document)} />
              </WithPlanned>
              {match && match.field !== name && <Found match={match} context={context} />}
            </>
          ),
        },
      ];
    }
    if (!field) return [];
    const isFigure = field.kind === 'number' || name === 'updatedAt';
    return [
      {
        id: name,
        label: field.label,
        width: widthOf(field),
        narrow,
        sortable: field.isSortable,
        ...(isFigure ? { align: 'end' as const } : {}),
        cell: ({ document }) => cellOf(field, document[name], context),
      },
    ];
  });
}

/** The place of the search text, unless it is the name of the document. */
function Found({
  match: { field, text },
  context,
}: {
  readonly match: Match;
  readonly context: ColumnsContext;
}): ReactNode {
  const { type, t } = context;
  const [before, found, after] = text;
  const label = type.attributes.find(({ name }) => name === field)?.label ?? field;
  return (
    <small className={styles['match']}>
      {t('lists.match', { field: label })} {before}
      <mark>{found}</mark>
      {after}
    </small>
  );
}

const WIDTHS: Readonly<Partial<Record<ListField['kind'], string>>> = {
  number: '96px',
  flag: '84px',
  date: '112px',
  moment: '164px',
  time: '96px',
};

const widthOf = (field: ListField): string =>
  field.kind === 'moment' && !isOwn(field) ? '128px' : (WIDTHS[field.kind] ?? 'minmax(90px, 1fr)');

/** Whether the field is content, and not a property of every document. */
const isOwn = ({ attribute }: ListField): boolean => attribute !== undefined;

/** The future state in the locale of the list. */
export function stateOf({ states, intent }: Row, locale: string): ContentState {
  if (intent === 'publish') return 'published';
  if (intent === 'unpublish') return 'draft';
  return states?.[locale] ?? 'draft';
}

function State({ state, t }: { readonly state: ContentState; readonly t: Text }): ReactNode {
  return <StateMark state={state} label={t(`state.${state}`)} />;
}

interface LocalesProps {
  readonly row: Row;
  readonly codes: readonly string[];
  /** The locale of the list. */
  readonly own: string;
  /** Whether versions have states. */
  readonly hasStates: boolean;
}

/** A mark for each locale with a version. */
function Locales({ row, codes, own, hasStates }: LocalesProps): ReactNode {
  return (
    <span className={styles['locales']}>
      {codes.map((code) => {
        const known = row.states?.[code];
        const state = known && code === own ? stateOf(row, own) : known;
        return (
          <span key={code} className={styles[state ? 'locale' : 'noLocale']}>
            {state && hasStates && <StateMark state={state} small />}
            {code}
          </span>
        );
      })}
    </span>
  );
}

/** A date or time of the content. */
function When({ kind, value }: { readonly kind: WhenKind; readonly value: string }): ReactNode {
  const locale = useLocale();
  return (
    <time dateTime={value} title={wholeWhenText(kind, value, locale)}>
      {whenText(kind, value, locale)}
    </time>
  );
}

function cellOf(field: ListField, value: unknown, { region, t }: ColumnsContext): ReactNode {
  if (value === null || value === undefined || value === '') return null;
  switch (field.kind) {
    case 'person':
      return personOf(value);
    case 'flag':
      return value === true ? (
        <span role="img" aria-label={t('lists.yes')}>
          <Check size={14} />
        </span>
      ) : (
        t('lists.no')
      );
    case 'number':
      // An id is not a quantity, so it has no separators.
      return typeof value === 'number' && isOwn(field) ? value.toLocaleString(region) : String(value);
    case 'date':
    case 'time':
    case 'moment':
      // Properties of documents have relative times; content has dates and times.
      return isOwn(field) ? <When kind={field.kind} value={String(value)} /> : <Moment at={String(value)} />;
    case 'relation':
    case 'media': {
      if (typeof value !== 'object') return null;
      const linked = value as Readonly<Record<string, unknown>>;
      if (!field.isMany) return <DocumentName {...namedBy(field.target?.mainField ?? 'name', linked)} />;
      const count = Number(linked['count'] ?? 0);
      return count > 0 ? count.toLocaleString(region) : null;
    }
    default:
      return String(value);
  }
}
