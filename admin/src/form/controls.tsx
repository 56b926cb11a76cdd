/** The controls of attributes. Large ones are loaded when a form needs them. */
import { type ComponentType, lazy, Suspense } from 'react';
import { Skeleton } from '../ui/bits.tsx';
import { BooleanControl, EnumerationControl } from './controls/choices.tsx';
import { ColorControl } from './controls/color.tsx';
import { DateControl, DatetimeControl, TimeControl } from './controls/dates.tsx';
import { NumberControl } from './controls/numbers.tsx';
import { LongTextControl, PasswordControl, TextControl } from './controls/texts.tsx';
import { UidControl } from './controls/uid.tsx';
import type { ControlProps } from './host.ts';
import { MediaControl } from './links/media.tsx';
import { RelationControl } from './links/relation.tsx';
import { ComponentControl } from './rows/component.tsx';
import { RowsControl } from './rows/rows.tsx';
import type { Attribute } from './values/model.ts';

type Control = ComponentType<ControlProps>;

const MarkdownControl = lazy(async () => ({ default: (await import('./text/markdown-control.tsx')).MarkdownControl }));
const JsonControl = lazy(async () => ({ default: (await import('./text/json-control.tsx')).JsonControl }));
const BlocksControl = lazy(async () => ({ default: (await import('./blocks/blocks-control.tsx')).BlocksControl }));

/** Shows a placeholder while a control is loading. */
function lately(Late: Control): Control {
  return (props) => (
    <Suspense
      fallback={
        <div data-late>
          <Skeleton height="120px" />
        </div>
      }
    >
      <Late {...props} />
    </Suspense>
  );
}

const CONTROLS: Readonly<Record<Attribute['type'], Control>> = {
  string: TextControl,
  email: TextControl,
  text: LongTextControl,
  richtext: lately(MarkdownControl),
  blocks: lately(BlocksControl),
  password: PasswordControl,
  uid: UidControl,
  enumeration: EnumerationControl,
  boolean: BooleanControl,
  integer: NumberControl,
  biginteger: NumberControl,
  float: NumberControl,
  decimal: NumberControl,
  date: DateControl,
  time: TimeControl,
  datetime: DatetimeControl,
  timestamp: DatetimeControl,
  json: lately(JsonControl),
  relation: RelationControl,
  media: MediaControl,
  component: ComponentControl,
  dynamiczone: RowsControl,
};

/** The controls of custom fields. Others have the control of their type. */
const CUSTOM: Readonly<Record<string, Control>> = {
  'plugin::color-picker.color': ColorControl,
};

export function controlOf({ type, customField }: Attribute): Control {
  return (customField === undefined ? undefined : CUSTOM[customField]) ?? CONTROLS[type];
}

const GROUPS: ReadonlySet<Attribute['type']> = new Set([
  'boolean',
  'richtext',
  'blocks',
  'json',
  'relation',
  'media',
  'component',
  'dynamiczone',
]);

/** Whether a control consists of more than one element, so that a single label cannot name it. */
export function isGroup({ type }: Attribute): boolean {
  return GROUPS.has(type);
}
