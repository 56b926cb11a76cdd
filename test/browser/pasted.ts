/** Pasting and dropping files. */
import type { Locator } from 'playwright-core';

/** Names, types and contents of files. */
export type GivenFiles = readonly (readonly [name: string, type: string, text: string])[];

/** Pastes or drops files on an element. */
export async function give(to: Locator, how: 'paste' | 'drop', files: GivenFiles): Promise<void> {
  await to.evaluate(
    (element, { how: event, files: list }) => {
      const data = new DataTransfer();
      for (const [name, type, text] of list) data.items.add(new File([text], name, { type }));
      const { left, top } = element.getBoundingClientRect();
      const init = { bubbles: true, cancelable: true, clientX: left + 5, clientY: top + 20 };
      element.dispatchEvent(
        event === 'paste'
          ? new ClipboardEvent('paste', { ...init, clipboardData: data })
          : new DragEvent('drop', { ...init, dataTransfer: data }),
      );
    },
    { how, files },
  );
}
