/** Gives an item that waits another time. */
import { lazy, type ReactNode, Suspense } from 'react';
import type { ScheduledItem } from '../../../contract/schedule.ts';
import type { Schema } from '../../../contract/schema.ts';
import { useItemActions } from './use-item-actions.ts';

const ScheduleDialog = lazy(async () => ({ default: (await import('./schedule-dialog.tsx')).ScheduleDialog }));

interface Props {
  readonly schema: Schema;
  readonly item: ScheduledItem;
  readonly onClose: () => void;
}

export function ChangeTime({ schema, item, onClose }: Props): ReactNode {
  const { move } = useItemActions(item);
  return (
    <Suspense>
      <ScheduleDialog
        open
        schema={schema}
        model={schema.contentTypes.find(({ uid }) => uid === item.contentType)}
        locale={null}
        count={1}
        changes={item.at}
        onClose={onClose}
        onSchedule={async ({ at }) => {
          await move(at);
          onClose();
        }}
      />
    </Suspense>
  );
}
