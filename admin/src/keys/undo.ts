/**
 * Taking back and doing again in what has the focus alone. A browser keeps one list of what was written for a whole page:
 * asked where nothing is left to take back, such as after the field with the focus has gone, it changes another field, out
 * of sight, and the draft would be saved like that.
 */
const TAKES_BACK: ReadonlySet<string> = new Set(['historyUndo', 'historyRedo']);

/** Keeps what has no focus as it is. Gives what ends that. */
export function keepUndoInPlace(): () => void {
  const onInput = (event: InputEvent): void => {
    if (!TAKES_BACK.has(event.inputType)) return;
    if (event.target instanceof Node && !event.target.contains(document.activeElement)) event.preventDefault();
  };
  addEventListener('beforeinput', onInput, { capture: true });
  return () => removeEventListener('beforeinput', onInput, { capture: true });
}
