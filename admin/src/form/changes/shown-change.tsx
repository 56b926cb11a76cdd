/** A read-only value beside the one that it is compared with, with marks at the differences. */
import { Fragment, type ReactNode, useMemo } from 'react';
import { ShownBlocks } from '../blocks/shown-blocks.tsx';
import { useHost } from '../host.ts';
import styles from '../read-only-value.module.css';
import { isEmpty, ReadOnlyValue } from '../read-only-value.tsx';
import { useTextDirection } from '../text-direction.ts';
import { isEqual, pairRows } from '../values/differences.ts';
import {
  type Attribute,
  componentOf,
  entriesOf,
  isValues,
  type Model,
  type Schema,
  type Values,
} from '../values/model.ts';
import { rowKey } from '../values/new-values.ts';
import { partsOf, type Range } from '../values/text-parts.ts';
import { blockTexts, changedRanges, rangesOfNodes } from './ranges.ts';

/** `del` and `ins` if one value replaces the other, `mark` if both have equal rank. */
export type Mark = 'del' | 'ins' | 'mark';

interface Props {
  readonly attribute: Attribute;
  readonly value: unknown;
  /** The value that it is compared with. */
  readonly other: unknown;
  /** The side of this value. */
  readonly side: 'before' | 'after';
  readonly mark: Mark;
}

const TEXTS: ReadonlySet<Attribute['type']> = new Set(['string', 'text', 'richtext', 'email', 'uid']);

export function ShownChange(props: Props): ReactNode {
  const { attribute, value, other } = props;
  const { type } = attribute;
  if (isEmpty(value)) return <ReadOnlyValue attribute={attribute} value={value} />;
  if (TEXTS.has(type) && typeof value === 'string') return <ChangedText {...props} />;
  if (type === 'blocks') return <ChangedBlocks {...props} />;
  const hasRows = type === 'component' || type === 'dynamiczone';
  return hasRows && !isEmpty(other) ? (
    <ChangedRows {...props} />
  ) : (
    <ReadOnlyValue attribute={attribute} value={value} />
  );
}

function rangesBeside(value: string, other: string, side: Props['side']): readonly Range[] {
  return side === 'before' ? changedRanges(value, other).before : changedRanges(other, value).after;
}

function ChangedText({ attribute, value, other, side, mark: Tag }: Props): ReactNode {
  const writing = useTextDirection();
  const isPlain = attribute.type === 'uid' || attribute.type === 'email';
  const parts = useMemo(() => {
    const [text, beside] = [String(value), typeof other === 'string' ? other : ''];
    return partsOf(text, beside === '' ? [] : rangesBeside(text, beside, side));
  }, [value, other, side]);
  return (
    <p {...(isPlain ? { dir: 'auto' } : writing)} className={styles['text']}>
      {parts.map(({ at, text, isWithin }) =>
        isWithin ? <Tag key={at}>{text}</Tag> : <Fragment key={at}>{text}</Fragment>,
      )}
    </p>
  );
}

function ChangedBlocks({ value, other, side, mark }: Props): ReactNode {
  const ranges = useMemo(() => {
    const [own, beside] = [blockTexts(value), blockTexts(other)];
    return beside.text === '' ? undefined : rangesOfNodes(own, rangesBeside(own.text, beside.text, side));
  }, [value, other, side]);
  return <ShownBlocks value={value} mark={mark} {...(ranges && { ranges })} />;
}

/** For each row, the row that it is compared with; undefined for a row that only this side has. */
function partnersOf(schema: Schema, { attribute, value, other, side }: Props): readonly (Values | undefined)[] {
  const [rows, others] = [entriesOf(value), entriesOf(other)];
  if (side === 'after') {
    return pairRows(schema, attribute, rows, others).map((place) => (place === undefined ? undefined : others[place]));
  }
  const pairs = pairRows(schema, attribute, others, rows);
  return rows.map((_, place) => others[pairs.indexOf(place)]);
}

function ChangedRows(props: Props): ReactNode {
  const { schema } = useHost();
  const { attribute, value, side, mark: Tag } = props;
  const partners = partnersOf(schema, props);
  return entriesOf(value).map((row, index) => {
    const model = componentOf(schema, attribute, row);
    const partner = partners[index];
    const key = rowKey(row, index);
    const isNamed = attribute.type === 'dynamiczone';
    if (partner)
      return <ChangedRow key={key} model={model} row={row} partner={partner} {...{ side, mark: Tag, isNamed }} />;
    return (
      <Tag key={key} className={styles['whole']}>
        <ReadOnlyValue attribute={attribute} value={isValues(value) ? row : [row]} />
      </Tag>
    );
  });
}

interface RowProps extends Pick<Props, 'side' | 'mark'> {
  readonly model: Model | undefined;
  readonly row: Values;
  readonly partner: Values;
  readonly isNamed: boolean;
}

function ChangedRow({ model, row, partner, isNamed, side, mark: Tag }: RowProps): ReactNode {
  const { schema } = useHost();
  const seen = model?.attributes.filter(
    ({ name, readable }) => readable && !(isEmpty(row[name]) && isEmpty(partner[name])),
  );
  const shown = (attribute: Attribute): ReactNode => {
    const { name, type } = attribute;
    const [value, other] = [row[name], partner[name]];
    if (isEqual(schema, attribute, value, other, 'shown')) return <ReadOnlyValue attribute={attribute} value={value} />;
    const change = <ShownChange attribute={attribute} value={value} other={other} side={side} mark={Tag} />;
    const hasMarks = TEXTS.has(type) || type === 'blocks' || type === 'component' || type === 'dynamiczone';
    return hasMarks && !isEmpty(value) && !isEmpty(other) ? change : <Tag className={styles['whole']}>{change}</Tag>;
  };
  return (
    <section className={styles['row']}>
      {isNamed && <p className={styles['kind']}>{model?.displayName}</p>}
      <dl>
        {seen?.map((attribute) => (
          <div key={attribute.name}>
            <dt>{attribute.label}</dt>
            <dd>{shown(attribute)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
