/**
 * Conditions of attributes (`conditions.visible`): which attributes of a row are shown. A condition is evaluated on the
 * future values of the row: the written, else the stored, else the default value.
 */
import type { WrittenRow } from '../../access/permitted.ts';
import type { Attribute, Model } from '../../schema/catalog.ts';
import { holds } from '../../schema/json-logic.ts';

/** A row to be written, with its stored values. */
export interface RowState {
  readonly written: WrittenRow;
  /** The row that the write changes, with everything in it; undefined where there is none, or where it was not read. */
  readonly stored?: WrittenRow | undefined;
  /** Whether attributes that are neither written nor stored take their default. */
  readonly creating: boolean;
}

/**
 * Whether an attribute is hidden. If the stored row was not read, all attributes with conditions count as hidden:
 * nothing that depends on unread values is validated.
 */
export function isHidden({ visibility }: Attribute, row: RowState): boolean {
  if (!visibility) return false;
  if (!row.stored && !row.creating) return true;
  return !holds(visibility.condition, plainRow(row, visibility.dependsOn));
}

/** The names of the attributes of a whole row that are hidden. */
export function hiddenOf(written: WrittenRow): ReadonlySet<string> {
  const hidden = [...written.model.attributes.values()].filter((one) => isHidden(one, { written, creating: true }));
  return new Set(hidden.map(({ name }) => name));
}

/** The stored form of an entry that is merged into a stored one; undefined where it is a new one. */
export function storedEntry(
  stored: WrittenRow | undefined,
  attribute: string,
  { model }: WrittenRow,
  id: number | undefined,
): WrittenRow | undefined {
  if (!stored || id === undefined) return undefined;
  const entries = stored.components.get(attribute)?.entries ?? [];
  const match = entries.find((entry) => entry.kind === 'row' && entry.id === id && entry.row.model.uid === model.uid);
  return match?.kind === 'row' ? match.row : undefined;
}

/** Values of a row in the form of JSON. @param only these attributes; all when left out. */
function plainRow(row: RowState, only?: ReadonlySet<string>): Readonly<Record<string, unknown>> {
  const { model } = row.written;
  const names = only ?? model.attributes.keys();
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const attribute = model.attributes.get(name);
    if (attribute) values[name] = plainValue(attribute, row);
  }
  return values;
}

/** Stands for any linked document: conditions only ask whether there is one. */
const LINKED = Object.freeze({});

function plainValue(attribute: Attribute, row: RowState): unknown {
  const { name } = attribute;
  const { written, stored, creating } = row;
  switch (attribute.type) {
    case 'relation':
      return links(/Many$/.test(attribute.relation), isLinked(row, name));
    case 'media': {
      const files = written.media.get(name) ?? stored?.media.get(name) ?? [];
      return links(attribute.multiple, files.length > 0);
    }
    case 'component':
    case 'dynamiczone': {
      const { entries } = written.components.get(name) ?? stored?.components.get(name) ?? {};
      const rows = (entries ?? []).flatMap((entry) => {
        if (entry.kind !== 'row') return [];
        const merged = creating ? undefined : storedEntry(stored, name, entry.row, entry.id);
        return [{ ...namedAs(entry.row.model), ...plainRow({ written: entry.row, stored: merged, creating }) }];
      });
      return attribute.type === 'dynamiczone' || attribute.repeatable ? rows : (rows[0] ?? null);
    }
    case 'password':
      return null;
    default: {
      const own = written.scalars.has(name) ? written.scalars.get(name) : stored?.scalars.get(name);
      return plainScalar(attribute.type, own === undefined && creating ? attribute.default : own);
    }
  }
}

const namedAs = (model: Model) => (model.modelType === 'component' ? { __component: model.uid } : {});

const links = (many: boolean, isLinked: boolean): unknown =>
  many ? (isLinked ? [LINKED] : []) : isLinked ? LINKED : null;

/** Whether a relation will link something. That a list loses its last link by `disconnect` is not counted here. */
function isLinked({ written, stored }: RowState, name: string): boolean {
  const edit = written.relations.get(name);
  if (edit?.kind === 'set') return edit.entries.length > 0;
  if (edit && edit.connect.length > 0) return true;
  const before = stored?.relations.get(name);
  return before?.kind === 'set' && before.entries.length > 0;
}

const TRUE: readonly unknown[] = [true, 1, '1', 'true'];
const FALSE: readonly unknown[] = [false, 0, '0', 'false'];

/** A scalar in the form of answers, whether it comes from a body or, in the form of an engine, from the database. */
function plainScalar(type: string, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'boolean':
      return TRUE.includes(value) ? true : FALSE.includes(value) ? false : value;
    case 'integer':
    case 'float':
    case 'decimal':
      return typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    case 'biginteger':
      return typeof value === 'object' ? value : String(value);
    case 'datetime':
    case 'timestamp':
      return plainTime(value);
    default:
      return value;
  }
}

function plainTime(value: unknown): unknown {
  if (typeof value !== 'number' && typeof value !== 'string' && !(value instanceof Date)) return value;
  const time = new Date(typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value);
  return Number.isNaN(time.getTime()) ? value : time.toISOString();
}
