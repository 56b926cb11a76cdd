/** Reading and changing nested values, without modifying the originals. */
import { isValues, type Path, type Values } from './model.ts';
import { rowKey } from './new-values.ts';

/** The value at a path; undefined if there is none. */
export function valueAt(values: unknown, path: Path): unknown {
  let value = values;
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)];
    else if (isValues(value)) value = value[String(step)];
    else return undefined;
  }
  return value;
}

/**
 * The values with another one at a path. All other objects stay identical, so that their fields are not rendered again.
 * `undefined` removes the key.
 */
export function withValue(values: Values, path: Path, value: unknown): Values {
  return replaced(values, path, value) as Values;
}

function replaced(at: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(at) || typeof step === 'number') {
    const list = Array.isArray(at) ? [...at] : [];
    list[Number(step)] = replaced(list[Number(step)], rest, value);
    return list;
  }
  const object = isValues(at) ? at : {};
  const next = replaced(object[step], rest, value);
  if (next !== undefined) return { ...object, [step]: next };
  const { [step]: _gone, ...others } = object;
  return others;
}

/** A path as text, for comparison: the server returns indexes as texts. */
export function pathText(path: Path): string {
  return path.join('.');
}

/** Whether a path is equal to another one, or inside of it. */
export function isWithin(path: Path, place: Path): boolean {
  return place.every((step, index) => String(path[index]) === String(step));
}

/**
 * A path in which rows have keys instead of indexes, so that it stays valid when rows move, for example during an
 * upload.
 */
export type Anchor = readonly (string | { readonly row: string })[];

/** The anchor of a path. */
export function anchorOf(values: Values, path: Path): Anchor {
  return path.map((step, index) => {
    const list = valueAt(values, path.slice(0, index));
    if (!Array.isArray(list)) return String(step);
    const row: unknown = list[Number(step)];
    return { row: rowKey(isValues(row) ? row : {}, Number(step)) };
  });
}

/** The current path of an anchor; undefined if a row is gone. */
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
