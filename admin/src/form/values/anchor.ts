/** Where a value stands, found again after rows around it have moved: for what takes a while, such as an upload. */
import { isValues, type Path, type Values } from './model.ts';
import { rowKey } from './new-values.ts';
import { valueAt } from './path.ts';

/** A path in which rows are called by their names and not by their places. */
export type Anchor = readonly (string | { readonly row: string })[];

/** The rows of a path as they are called now. */
export function anchorOf(values: Values, path: Path): Anchor {
  return path.map((step, index) => {
    const list = valueAt(values, path.slice(0, index));
    if (!Array.isArray(list)) return String(step);
    const row: unknown = list[Number(step)];
    return { row: rowKey(isValues(row) ? row : {}, Number(step)) };
  });
}

/** Where that is by now; undefined where one of its rows is gone. */
export function pathOf(values: Values, anchor: Anchor): Path | undefined {
  const path: (string | number)[] = [];
  for (const step of anchor) {
    if (typeof step === 'string') {
      path.push(step);
      continue;
    }
    const list = valueAt(values, path);
    const place = Array.isArray(list)
      ? list.findIndex((row, index) => isValues(row) && rowKey(row, index) === step.row)
      : -1;
    if (place < 0) return undefined;
    path.push(place);
  }
  return path;
}
