/** Explains reads of a running server, and creates the indexes that they lack. */
import { refusal, validation } from '../../errors.ts';
import { programText } from '../../own-files.ts';
import { isIndexable, isSearched } from '../../schema/layout/column-types.ts';
import { ROWS_OF_STATUS } from '../../schema/layout/model-indexes.ts';
import { KeyedLock } from '../../semaphore.ts';
import { hasRoom, type TableIndex } from '../indexes/index-learner.ts';
import { columnsOf } from '../indexes/learned-indexes.ts';
import { equalIndex, makeIndex } from '../indexes/made-indexes.ts';
import { existingIndexes, named } from '../indexes/stored-indexes.ts';
import type { Finding, MissingIndex, ReadTuning } from '../interface/read-tuning.ts';
import { type ExaminedRead, type ExaminingPlace, examineRead } from './examined-read.ts';

/** The most columns of an index. */
const MOST_COLUMNS = 8;

/** One index is built at a time. */
const building = new KeyedLock<'index'>();

/** @param place the database and the layout of the project. */
export function readTuning(place: ExaminingPlace): ReadTuning {
  return {
    explain: async (read, answer) => {
      const examined = await examineRead(place, read, answer);
      const { sql, parameters, engine, times, findings = [] } = examined;
      const { lines: plan, scans, sorts } = engine;
      const known: Finding[] = [];
      for (const finding of findings) known.push(await withoutExisting(place, finding));
      return { sql, parameters, plan, times, scans, sorts, findings: known, uses: usedBy(examined) };
    },
    described: (missing) => {
      const wanted = definitionOf(missing);
      return { name: named(wanted, 'learned').name, columns: columnsOf(wanted.index, place.engine) };
    },
    create: (missing) => building.run('index', () => create(place, missing)),
  };
}

/** The indexes that a plan names. */
function usedBy({ engine, existing }: Pick<ExaminedRead, 'engine' | 'existing'>) {
  const words = new Set(engine.lines.flatMap((line) => line.split(/[^\w$]+/)));
  return [...existing.values()].flatMap(({ name: table, indexes }) =>
    indexes.filter(({ name }) => words.has(name)).map(({ name: index }) => ({ table, index })),
  );
}

/** A finding that suggests no index which exists, under any name: the database does not use that one. */
async function withoutExisting(place: ExaminingPlace, { index, ...finding }: Finding): Promise<Finding> {
  if (!index) return finding;
  const wanted = definitionOf(index);
  const existing = await equalIndex(place, { table: wanted.table, index: named(wanted, 'learned') });
  if (existing === undefined) return { ...finding, index };
  return { ...finding, kind: 'unused', table: index.table, unused: existing };
}

function definitionOf({ table, columns, descending, ordered, rows, search }: MissingIndex): TableIndex {
  if (search) return { table, index: { columns, unique: false, search: true } };
  return { table, index: { columns, descending, ordered, unique: false, ...(rows ? ROWS_OF_STATUS[rows] : {}) } };
}

async function create(place: ExaminingPlace, missing: MissingIndex) {
  check(place, missing);
  const { database } = place;
  const wanted = definitionOf(missing);
  const index = named(wanted, 'learned');
  const tables = (await existingIndexes(database))
    .filter((one) => one.index.name !== index.name)
    .map(({ table }) => table);
  if (!hasRoom(tables, missing.table)) {
    throw refusal(`There are too many learned and created indexes; ${programText()} index drop removes one`);
  }
  const created = await makeIndex(place, { table: wanted.table, index, reads: 0, milliseconds: 0 });
  if ('failure' in created) throw refusal(created.failure);
  if ('equal' in created) return { name: created.equal, existed: true, milliseconds: 0 };
  return { name: index.name, existed: false, milliseconds: created.milliseconds };
}

/** @throws ContentError 400 for an index that reads of the layout cannot lack. */
function check({ layout }: ExaminingPlace, { table, columns, descending, ordered, rows, search }: MissingIndex): void {
  const known = layout.tables.find(({ name }) => name === table);
  if (!known) throw validation(`${table} is not a table of the schema`);
  const types = new Map(known.columns.map(({ name, type }) => [name, type]));
  const fits = search ? isSearched : isIndexable;
  const isFit = columns.every((name) => types.has(name) && fits(types.get(name)!));
  const isShort = columns.length > 0 && columns.length <= MOST_COLUMNS && new Set(columns).size === columns.length;
  const isWithin = [...descending, ...ordered].every((name) => columns.includes(name));
  if (!isFit || !isShort || !isWithin)
    throw validation(`The index of ${table} must name columns that an index can have`);
  if (search ? descending.length + ordered.length > 0 || rows !== null : columns.at(-1) !== 'id') {
    throw validation('An index of values ends with the id, and a search index has only columns');
  }
  if (rows !== null && !types.has('published_at')) throw validation(`${table} has no drafts`);
}
