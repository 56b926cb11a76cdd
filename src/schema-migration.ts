/**
 * Brings the content of a database to changed schema files: plans what moves, which values do not fit and what the
 * operator has to decide, and does it while servers use the database. `galley migrate` and `galley dev` do the same.
 */

import { completeRows } from './content/doctor/complete-rows.ts';
import { endDrafts, withdrawEndingDrafts } from './content/doctor/end-drafts.ts';
import { defaultLocale } from './content/locales/locales.ts';
import { removeAllEntries, removeLinksOf } from './content/rows/component-rows.ts';
import { createDocumentId } from './content/rows/document-rows.ts';
import type { WriteContext } from './content/rows/write-context.ts';
import {
  checked,
  type Examined,
  examineValues,
  type Misfit,
  storeValues,
  type ValueChange,
} from './content/schema-change/values.ts';
import { counted } from './counted.ts';
import { execute, query } from './db/interface/statements.ts';
import type { Transaction } from './db/interface/transaction.ts';
import { dropPlace, leftoverPlaces } from './db/migration/dropped-content.ts';
import { addMissing, migrate } from './db/migration/migrate.ts';
import type { ExistingTable } from './db/migration/schema-engine.ts';
import { countRows, dropSearchIndexes } from './db/migration/schema-moves.ts';
import { readRecord, storeRecord } from './db/migration/schema-record.ts';
import type { Engine } from './engine.ts';
import { UsageError } from './errors.ts';
import { choices } from './nearest.ts';
import { commandText } from './own-files.ts';
import { checkedBy, type ProjectFiles } from './project.ts';
import type { SchemaRecord } from './schema/built-in.ts';
import { isScalar, type Model, type ScalarAttribute } from './schema/catalog.ts';
import type { EditEffect } from './schema/editing/editing.ts';
import { isSameJson } from './schema/editing/json-text.ts';
import { type Move, movesOf, takenNames } from './schema/editing/moves.ts';
import {
  columnIn,
  type FormerNames,
  formerName,
  formerUid,
  isCarried,
  keptAttributes,
  modelIn,
  type Place,
  placeOf,
  type SchemaVersion,
} from './schema/editing/places.ts';
import { formerSchemas, recordOf } from './schema/editing/record.ts';
import { layoutOf } from './schema/layout/layout.ts';
import { MAX_NAME_LENGTH } from './schema/layout/naming.ts';
import type { ColumnDefinition } from './schema/layout/table.ts';
import { effectsOf, leftoverNames, moveContent, switchedIn, versionOf } from './schema-effects.ts';
import type { Alone } from './schema-holds.ts';
import { compileColumn } from './sql/ddl.ts';
import {
  compileClearLocale,
  compileDropColumn,
  compileIntoExisting,
  compileLastId,
  compileNewComponents,
  compileNewTies,
  compileOtherLocales,
  compileSharedValues,
  type IntoComponent,
} from './sql/schema-changes.ts';

/** What the operator has decided, by the names of the plan: `article.bio`, `article`. */
export interface Decisions {
  readonly drop: readonly string[];
  readonly keep: readonly string[];
  readonly publish: readonly string[];
  readonly defaults: ReadonlyMap<string, string>;
}

export const NO_DECISIONS: Decisions = { drop: [], keep: [], publish: [], defaults: new Map() };

/** A column of a table. */
type Column = readonly [table: string, name: string];

/** A change in the plan. */
export interface PlannedChange {
  /** `article.title`, `article`. */
  readonly name: string;
  readonly text: string;
  /** Further lines, such as values that do not fit. */
  readonly details: readonly string[];
  /** The decisions of which one is missing; empty if nothing has to be decided. */
  readonly choices: readonly string[];
}

/** Values that get another column, or a substitute for missing ones. */
interface Storing {
  readonly change: ValueChange;
  /** A new column that takes the values; undefined: the column of the values itself. */
  readonly prepared: ColumnDefinition | undefined;
  /** A column that the table may lack. */
  readonly added: ColumnDefinition | undefined;
  readonly onlyMissing: boolean;
}

export interface MigrationPlan {
  readonly changes: readonly PlannedChange[];
  /** What makes the migration impossible. */
  readonly obstacles: readonly string[];
  readonly steps: Steps;
}

interface Steps {
  /** The schemas to which the content belongs; undefined if none are recorded. */
  readonly recorded: SchemaRecord | undefined;
  readonly before: SchemaVersion;
  readonly names: FormerNames;
  readonly moves: readonly Move[];
  readonly storing: readonly Storing[];
  readonly intoComponents: readonly IntoComponent[];
  readonly dropped: readonly Dropped[];
  /** Types that lose their locales. */
  readonly localesOff: readonly string[];
  readonly effects: readonly EditEffect[];
}

/** Content that is dropped, at its place after the moves. */
interface Dropped {
  readonly place: Place;
  readonly uid: string;
}

/** Whether a plan leaves the database as it is. */
export const isEmpty = ({ changes, obstacles }: MigrationPlan): boolean => changes.length + obstacles.length === 0;

/** Whether a plan can be applied. */
export const isDecided = ({ changes, obstacles }: MigrationPlan): boolean =>
  obstacles.length === 0 && changes.every(({ choices }) => choices.length === 0);

/** The lines of a plan, one for each change, with what has to be decided. */
export function planLines({ changes, obstacles }: MigrationPlan): string[] {
  const width = Math.min(40, Math.max(0, ...changes.map(({ name }) => name.length)));
  const lines = changes.flatMap(({ name, text, details, choices }) => [
    `  ${name.padEnd(width)}  ${text}`,
    ...details.map((line) => `  ${' '.repeat(width)}    ${line}`),
    ...(choices.length > 0 ? [`  ${' '.repeat(width)}    decide: ${choices.join(', or ')}`] : []),
  ]);
  return ['changes of the schema files since the content was stored:', ...lines, ...obstacles.map((one) => `  ${one}`)];
}

/** Plans the migration of a database to schema files. Only reads. @throws UsageError for a decision about nothing. */
export async function planMigration(
  engine: Engine,
  files: ProjectFiles,
  decisions: Decisions = NO_DECISIONS,
): Promise<MigrationPlan> {
  const { database, schema } = engine;
  const existing = await schema.introspect(database);
  const now = recordOf(files.catalog);
  const recorded = await readRecord(database, existing, now);
  const { record, names, moved } = formerSchemas(recorded, now);
  const before = versionOf(checkedBy(files.config)({ ...files.schemas, record }).partial);
  const after: SchemaVersion = { catalog: files.catalog, layout: files.layout };
  const isSame = recorded !== undefined && isSameJson(recorded, now);
  const renamed = isSame ? [] : movesOf(before, after, names, existing);
  const obstacles = Array.from(
    takenNames(after, renamed, existing.keys()),
    ([uid, table]) => `${uid}: the database has another table ${table}`,
  );
  const { effects, restored } = isSame
    ? { effects: [], restored: [] }
    : await effectsOf(engine, before, after, names, { existing, renamed, isRight: true });
  const planner = new Planner(engine, { before, after, names, existing, decisions });
  const intoComponents = moved.flatMap((one) => planner.intoComponent(one));
  for (const { uid, kind, count } of effects) if (kind === 'unpublishedLost') planner.unpublished(uid, count ?? 0);
  for (const effect of effects) await planner.note(effect);
  const moves = await planner.values([...renamed, ...restored], isSame);
  if (decisions.drop.length > 0) planner.dropLeftovers(await leftoverNames(database, schema, after));
  planner.refuseUnused();
  const { changes, storing, dropped } = planner;
  const localesOff = effects.filter(({ kind }) => kind === 'localesOff').map(({ uid }) => uid);
  return {
    changes,
    obstacles: [...obstacles, ...planner.obstacles],
    steps: { recorded, before, names, moves, storing, intoComponents, dropped, localesOff, effects },
  };
}

interface Planning {
  readonly before: SchemaVersion;
  readonly after: SchemaVersion;
  readonly names: FormerNames;
  readonly existing: ReadonlyMap<string, ExistingTable>;
  readonly decisions: Decisions;
}

/** Kinds of effects that `values` describes with the values themselves. */
const OF_VALUES: ReadonlySet<string> = new Set(['valuesRemoved', 'rulesTightened']);
/** Kinds that concern no content. */
const SILENT: ReadonlySet<string> = new Set(['optionsChanged', 'orderChanged', 'tableRenamed', 'unpublishedLost']);

class Planner {
  readonly #engine: Engine;
  readonly #planning: Planning;
  readonly changes: PlannedChange[] = [];
  readonly obstacles: string[] = [];
  readonly storing: Storing[] = [];
  readonly dropped: Dropped[] = [];
  readonly #used = new Set<string>();
  /** Former attributes whose values move into a component, by uid and name. */
  readonly #moved = new Map<string, string>();
  readonly #unpublished = new Map<string, number>();

  constructor(engine: Engine, planning: Planning) {
    this.#engine = engine;
    this.#planning = planning;
  }

  /** The name of a type or attribute in the plan and in decisions. */
  #nameOf(uid: string, attribute: string | null = null): string {
    const { after, before } = this.#planning;
    const short = uid.slice(uid.lastIndexOf('.') + 1);
    const all = [...after.catalog.contentTypes.keys(), ...before.catalog.contentTypes.keys()];
    const same = new Set(all.filter((one) => one.startsWith('api::') && one.endsWith(`.${short}`)));
    const type = uid.startsWith('api::') && same.size === 1 ? short : uid;
    return attribute === null ? type : `${type}.${attribute}`;
  }

  #isDecided(kind: 'drop' | 'keep' | 'publish', name: string): boolean {
    if (!this.#planning.decisions[kind].includes(name)) return false;
    this.#used.add(`${kind} ${name}`);
    return true;
  }

  #default(name: string): string | undefined {
    const value = this.#planning.decisions.defaults.get(name);
    if (value !== undefined) this.#used.add(`default ${name}`);
    return value;
  }

  #add(name: string, text: string, details: readonly string[] = [], open: readonly string[] = []): void {
    this.changes.push({ name, text, details, choices: open });
  }

  /** Notes values that move into a component, and returns the statements' places. */
  intoComponent({ uid, attribute, from }: { uid: string; attribute: string; from: ReadonlyMap<string, string> }) {
    const { before, after, names } = this.#planning;
    const model = modelIn(after, uid)!;
    const former = modelIn(before, formerUid(names, uid))!;
    const own = model.attributes.get(attribute);
    if (own?.type !== 'component') return [];
    const layout = layoutOf(after.layout, uid);
    const component = layoutOf(after.layout, own.component);
    const columns: [string, string][] = [];
    for (const [to, one] of from) {
      const [target, source] = [modelIn(after, own.component)?.attributes.get(to), former.attributes.get(one)];
      const [place, origin] = [
        target && placeOf(after, modelIn(after, own.component)!, target),
        source && placeOf(before, former, source),
      ];
      if (place?.kind !== 'column' || origin?.kind !== 'column' || place.type !== origin.type) {
        const name = this.#nameOf(uid, one);
        this.obstacles.push(
          `${name}: only values of one type of column move into a component; change the type before, or afterwards`,
        );
        continue;
      }
      columns.push([place.column, origin.column]);
      this.#moved.set(`${former.uid}#${one}`, `${attribute}.${to}`);
    }
    if (columns.length === 0) return [];
    const move: IntoComponent = {
      ...{ table: layout.table, ties: layout.componentsTable!, field: attribute, component: own.component },
      ...{ components: component.table, columns, isRepeatable: own.repeatable },
    };
    return [move];
  }

  /** Describes an effect. */
  async note(effect: EditEffect): Promise<void> {
    const { uid, attribute, kind, from, to, count } = effect;
    const name = this.#nameOf(uid, attribute);
    const documents = counted(count ?? 0, this.#isComponent(uid) ? 'component' : 'document');
    const has = (count ?? 0) > 0;
    switch (kind) {
      case 'typeAdded': {
        this.#add(name, 'is new');
        return;
      }
      case 'attributeAdded': {
        this.#add(name, 'is new');
        return;
      }
      case 'attributeRestored': {
        this.#add(name, `is new, and has the values that an earlier attribute left: ${documents}`);
        return;
      }
      case 'typeRenamed': {
        this.#add(name, `was ${from}: ${documents}`);
        return;
      }
      case 'attributeRenamed': {
        this.#add(name, `was ${from}: ${documents}`);
        return;
      }
      case 'archiveReplaced': {
        this.#add(name, `values that an earlier attribute of this name left get another name: ${documents}`);
        return;
      }
      case 'typeRemoved':
        return this.#removed(effect, documents);
      case 'attributeRemoved':
        return this.#removed(effect, documents);
      case 'typeChanged':
      case 'relationChanged':
        if (this.#isOfValues(effect)) return;
        return this.#unused(effect, name, `${from} becomes ${to}`, documents);
      case 'componentChanged':
      case 'componentsRemoved':
        return this.#unused(effect, name, `no longer contains ${from}`, documents, ['keep']);
      case 'multipleOff':
        if (has)
          this.obstacles.push(`${name}: ${documents} have several, and the schema permits one: remove the others`);
        else this.#add(name, 'permits one instead of several');
        return;
      case 'kindChanged':
        if (effect.severity === 'loss') {
          this.obstacles.push(`${name}: ${documents}, and a single type has one: delete the others`);
        } else this.#add(name, `${from} becomes ${to}`);
        return;
      case 'draftsOn': {
        this.#add(name, `gets drafts: ${documents} get a draft that is equal`);
        return;
      }
      case 'draftsOff':
        return this.#draftsOff(effect, name, documents);
      case 'localesOn': {
        this.#add(name, `gets locales: ${documents} get the default locale`);
        return;
      }
      case 'localesOff':
        return this.#localesOff(name, documents, has);
      case 'requiredAdded':
        return this.#required(effect, name, documents);
      case 'uniqueAdded':
        return this.#unique(effect, name, documents);
      case 'localizedOn': {
        this.#add(name, 'has a value of its own in each locale from now on');
        return;
      }
      case 'localizedOff': {
        this.#add(name, 'has one value for all locales from now on; galley doctor lists values that differ');
        return;
      }
      case 'pathChanged': {
        this.#add(name, `its address ends in ${to} instead of ${from}`);
        return;
      }
      default:
        if (!SILENT.has(kind) && !OF_VALUES.has(kind)) this.#add(name, `${kind}: ${documents}`);
    }
  }

  #isComponent(uid: string): boolean {
    return !uid.includes('::');
  }

  /** Whether both attributes have columns of values. */
  #isOfValues({ uid, attribute }: EditEffect): boolean {
    const { before, after, names } = this.#planning;
    const own = modelIn(after, uid)?.attributes.get(attribute!);
    const former = modelIn(before, formerUid(names, uid))?.attributes.get(formerName(names, uid, attribute!));
    return own !== undefined && former !== undefined && isScalar(own) && isScalar(former);
  }

  #removed({ uid, attribute, count }: EditEffect, documents: string): void {
    const { before, after, names } = this.#planning;
    const name = this.#nameOf(uid, attribute);
    const formerOf = attribute === null ? uid : formerUid(names, uid);
    const target = attribute === null ? undefined : this.#moved.get(`${formerOf}#${attribute}`);
    const model = modelIn(before, formerOf)!;
    const own = attribute === null ? undefined : model.attributes.get(attribute);
    if (target !== undefined) this.#add(name, `moves into ${target}: ${documents}`);
    if (attribute !== null && this.#isDecided('drop', name)) {
      const place = own && placeOf(before, model, own);
      if (place) this.dropped.push({ place: this.#placeAfter(place, uid), uid });
      if (target === undefined) this.#add(name, `is removed, and its content is dropped: ${documents}`);
      return;
    }
    if (target !== undefined) return;
    const isKept = this.#isDecided('keep', name);
    const candidates = isKept || !count ? [] : this.#successors(uid, attribute, before, after);
    const stays = attribute === null ? 'its table stays' : 'its content stays in the database, without use';
    const drop = attribute === null ? [] : [`--drop ${name}`];
    const open = candidates.map((one) => `"renamedFrom": ${JSON.stringify(attribute ?? uid)} in ${one}`);
    this.#add(
      name,
      count ? `is removed, and ${stays}: ${documents}` : 'is removed',
      [],
      open.length === 0 ? [] : [...open, ...drop, `--keep ${name}`],
    );
  }

  /** The place of content after the tables have their new names. */
  #placeAfter(place: Place, uid: string): Place {
    const { before, after, names } = this.#planning;
    const [former, own] = [before.layout.models.get(formerUid(names, uid)), after.layout.models.get(uid)];
    if (!former || !own || place.table !== former.table) return place;
    return { ...place, table: own.table } as Place;
  }

  /** What may be the new name of something that is removed. */
  #successors(uid: string, attribute: string | null, before: SchemaVersion, after: SchemaVersion): string[] {
    const { names } = this.#planning;
    if (attribute === null) {
      const model = modelIn(before, uid)!;
      const all = [...after.catalog.contentTypes.values(), ...after.catalog.components.values()];
      const added = all.filter(
        (one) => one.modelType === model.modelType && !modelIn(before, formerUid(names, one.uid)),
      );
      return added.map((one) => this.#nameOf(one.uid));
    }
    const model = modelIn(after, uid)!;
    const former = modelIn(before, formerUid(names, uid))!;
    const place = placeOf(before, former, former.attributes.get(attribute)!);
    if (!place) return [];
    return [...model.attributes.values()].flatMap((one) => {
      const isNew = !former.attributes.has(formerName(names, uid, one.name));
      const target = isNew ? placeOf(after, model, one) : undefined;
      return target && isCarried(place, target, names) ? [this.#nameOf(uid, one.name)] : [];
    });
  }

  /** Content that the next schema does not find. */
  #unused(
    effect: EditEffect,
    name: string,
    text: string,
    documents: string,
    kinds: readonly ('drop' | 'keep')[] = ['drop', 'keep'],
  ): void {
    const isLost = effect.severity === 'loss';
    if (!isLost) {
      this.#add(name, `${text}: ${documents}`);
      return;
    }
    if (kinds.includes('drop') && this.#isDecided('drop', name)) {
      const { before, names } = this.#planning;
      const model = modelIn(before, formerUid(names, effect.uid))!;
      const place = placeOf(before, model, model.attributes.get(formerName(names, effect.uid, effect.attribute!))!);
      if (place) this.dropped.push({ place: this.#placeAfter(place, effect.uid), uid: effect.uid });
      this.#add(name, `${text}, and its content is dropped: ${documents}`);
      return;
    }
    const isKept = this.#isDecided('keep', name);
    const open = isKept ? [] : kinds.map((kind) => `--${kind} ${name}`);
    this.#add(name, `${text}, and its content stays in the database, without use: ${documents}`, [], open);
  }

  #draftsOff({ uid }: EditEffect, name: string, documents: string): void {
    const unpublished = this.#unpublished.get(uid) ?? 0;
    if (unpublished === 0) {
      this.#add(name, `loses its drafts: ${documents}`);
      return;
    }
    const isDecided = this.#isDecided('publish', name);
    const drafts = `${counted(unpublished, 'document')} with a draft that is not published`;
    this.#add(name, `loses its drafts: ${documents}`, [drafts], isDecided ? [] : [`--publish ${name}`]);
  }

  /** Notes the number of documents whose drafts are not published. */
  unpublished(uid: string, count: number): void {
    this.#unpublished.set(uid, count);
  }

  #localesOff(name: string, documents: string, has: boolean): void {
    const place = `${name}.locale`;
    const isDropped = has && this.#isDecided('drop', place);
    const text = has
      ? `loses its locales: ${documents} with several, of which the default one stays`
      : 'loses its locales';
    this.#add(name, text, [], has && !isDropped ? [`--drop ${place}`] : []);
  }

  #required({ uid, attribute, count }: EditEffect, name: string, documents: string): void {
    if (!count) {
      this.#add(name, 'is required');
      return;
    }
    const own = modelIn(this.#planning.after, uid)!.attributes.get(attribute!)!;
    const given = this.#default(name);
    const value = isScalar(own) ? this.#substitute(own, name, given) : undefined;
    if (value !== undefined) {
      this.#add(name, `is required: ${documents} get ${JSON.stringify(value)}`);
      return;
    }
    const isKept = this.#isDecided('keep', name);
    const defaults = isScalar(own) && !own.unique && own.type !== 'password' ? [`--default ${name}=VALUE`] : [];
    const open = isKept ? [] : [...defaults, `--keep ${name}`];
    this.#add(name, `is required: ${documents} without a value`, [], open);
  }

  /** The value for documents without one. @throws UsageError for a value that breaks the rules of the attribute. */
  #substitute(own: ScalarAttribute, name: string, given = this.#planning.decisions.defaults.get(name)): unknown {
    if (given === undefined) return own.required && !own.unique ? (own.default ?? undefined) : undefined;
    const value = ['string', 'text', 'richtext', 'email', 'uid', 'enumeration'].includes(own.type)
      ? given
      : parsed(given);
    if (own.unique || own.type === 'password' || checked(own, value) === undefined) {
      throw new UsageError(`--default ${name}: ${given} is not a value that several documents can have there`, 1);
    }
    return value;
  }

  async #unique({ uid, attribute }: EditEffect, name: string, documents: string): Promise<void> {
    const { before, names } = this.#planning;
    const former = modelIn(before, formerUid(names, uid))!;
    const place = placeOf(before, former, former.attributes.get(formerName(names, uid, attribute!))!);
    if (place?.kind !== 'column' || !this.#hasColumn(place.table, place.column)) return this.#add(name, 'is unique');
    const isDocument = former.modelType === 'contentType';
    const select = compileSharedValues(place.table, place.column, isDocument);
    const shared = await query(this.#engine.database, select, [SHOWN]);
    if (shared.length === 0) return this.#add(name, 'is unique');
    const details = shared.map(
      ([value, number]) =>
        `${JSON.stringify(String(value))}: ${counted(Number(number), isDocument ? 'document' : 'component')}`,
    );
    const isKept = this.#isDecided('keep', name);
    this.#add(
      name,
      `is unique: ${documents} with a value that others have too`,
      details,
      isKept ? [] : [`--keep ${name}`],
    );
  }

  #hasColumn(table: string, column: string): boolean {
    return this.#planning.existing.get(table)?.columns.some(({ name }) => name === column) ?? false;
  }

  /**
   * Plans the values of attributes whose type or rules have changed.
   *
   * @returns the moves, in which columns of another type are prepared beforehand.
   */
  async values(moves: readonly Move[], isSame: boolean): Promise<Move[]> {
    if (isSame) return [...moves];
    const { before, after, names } = this.#planning;
    const result = [...moves];
    for (const { model, former, attribute, formerAttribute, place, formerPlace } of keptAttributes(
      before,
      after,
      names,
    )) {
      if (!isScalar(attribute) || !isScalar(formerAttribute)) continue;
      if (place?.kind !== 'column' || formerPlace?.kind !== 'column') continue;
      if (!this.#hasColumn(formerPlace.table, formerPlace.column)) continue;
      const { table, column: source } = formerPlace;
      const name = this.#nameOf(model.uid, attribute.name);
      const isRetyped = formerPlace.type !== place.type;
      const isStricter = RULES.some((rule) => !isSameJson(attribute[rule], formerAttribute[rule]));
      const isPassword = attribute.type === 'password' && formerAttribute.type === 'password';
      if (!isRetyped && (isPassword || (attribute.type === formerAttribute.type && !isStricter))) {
        await this.#fill(model, former, attribute, { table, source }, formerAttribute);
        continue;
      }
      const plain: ValueChange = { table, source, from: formerAttribute, to: attribute, substitute: undefined };
      const found = await examineValues(this.#engine.database, plain, former.modelType === 'contentType');
      const given = this.#default(name);
      const substitute = isRetyped || given !== undefined ? this.#substitute(attribute, name, given) : undefined;
      this.#noteValues(model, name, formerAttribute, attribute, found, isRetyped, substitute);
      const change = { ...plain, substitute };
      if (!isRetyped) {
        if (substitute === undefined) await this.#fill(model, former, attribute, { table, source }, formerAttribute);
        else this.storing.push({ change, prepared: undefined, added: undefined, onlyMissing: false });
        continue;
      }
      const column = columnIn(after.layout, place.table, place.column);
      const prepared = {
        name: `${place.column.slice(0, MAX_NAME_LENGTH - PREPARED.length)}${PREPARED}`,
        type: column.type,
      };
      this.storing.push({ change, prepared, added: undefined, onlyMissing: false });
      const at = result.findIndex(
        (move) => move.kind === 'type' && move.table === place.table && move.column.name === column.name,
      );
      const move: Move = {
        kind: 'type',
        table: place.table,
        from: source,
        column,
        copies: false,
        prepared: prepared.name,
      };
      if (at === -1) result.push(move);
      else result[at] = move;
      if (found.misfits > 0 && this.#isDecided('drop', name)) {
        this.dropped.push({ place: { ...formerPlace, table: place.table }, uid: model.uid });
      }
    }
    for (const model of [...after.catalog.contentTypes.values(), ...after.catalog.components.values()]) {
      const former = modelIn(before, formerUid(names, model.uid));
      if (!former) continue;
      for (const attribute of model.attributes.values()) {
        if (!isScalar(attribute) || former.attributes.has(formerName(names, model.uid, attribute.name))) continue;
        const layout = layoutOf(after.layout, model.uid);
        const column = columnIn(after.layout, layout.table, layout.columns.get(attribute.name)!);
        const { table } = layoutOf(before.layout, former.uid);
        await this.#fill(model, former, attribute, { table, source: column.name, added: column });
      }
    }
    return result;
  }

  /** Plans that missing values of a required attribute get its default. */
  async #fill(
    model: Model,
    former: Model,
    attribute: ScalarAttribute,
    { table, source, added }: { table: string; source: string; added?: ColumnDefinition },
    before?: ScalarAttribute,
  ): Promise<void> {
    if (!attribute.required || before?.required || !this.#planning.existing.has(table)) return;
    if (model.uid !== former.uid && added && this.#hasColumn(table, source)) return;
    const name = this.#nameOf(model.uid, attribute.name);
    const substitute = this.#substitute(attribute, name);
    if (substitute === undefined) return;
    // of an attribute without a default it is a decision, which is noted
    if (added && attribute.default !== undefined) {
      const rows = counted(await countRows(this.#engine.database, table), 'row');
      this.#add(name, `is required: ${rows} get ${JSON.stringify(substitute)}`);
    }
    const change = { table, source, from: attribute, to: attribute, substitute };
    this.storing.push({ change, prepared: undefined, added, onlyMissing: true });
  }

  #noteValues(
    { uid }: Model,
    name: string,
    from: ScalarAttribute,
    to: ScalarAttribute,
    { values, missing, misfits, examples }: Examined,
    isRetyped: boolean,
    substitute: unknown,
  ): void {
    const rows = counted(values, 'row');
    const text = from.type === to.type ? 'has other rules' : `${from.type} becomes ${to.type}`;
    // of an attribute that was not required they are described as documents
    const isFilled = missing > 0 && to.required && from.required && substitute !== undefined;
    const filled = isFilled ? [`${JSON.stringify(substitute)} for ${counted(missing, 'row')} without a value`] : [];
    if (misfits === 0) {
      this.#add(name, `${text}: ${rows}`, filled);
      return;
    }
    const details = [...filled, `${counted(misfits, 'value')} of ${rows} ${misfits === 1 ? 'does' : 'do'} not fit:`];
    details.push(...examples.map((one) => `  ${shownMisfit(one, this.#isComponent(uid))}`));
    if (misfits > examples.length) details.push(`  and ${misfits - examples.length} more`);
    const given = this.#planning.decisions.defaults.has(name);
    if (given) {
      details.push(`they become ${JSON.stringify(substitute)}`);
      this.#add(name, text, details);
      return;
    }
    if (!isRetyped) {
      const isKept = this.#isDecided('keep', name);
      details.push('they stay, and have to be corrected when their documents are saved');
      this.#add(name, text, details, isKept ? [] : [`--default ${name}=VALUE`, `--keep ${name}`]);
      return;
    }
    const isDropped = this.#isDecided('drop', name);
    const isKept = this.#isDecided('keep', name);
    if (isDropped) details.push('they are dropped');
    if (isKept) details.push('they stay in the database, without use');
    const defaults = to.unique || to.type === 'password' ? [] : [`--default ${name}=VALUE`];
    this.#add(name, text, details, isDropped || isKept ? [] : [...defaults, `--keep ${name}`, `--drop ${name}`]);
  }

  /** Plans to drop content that earlier changes have left. */
  dropLeftovers(leftovers: ReadonlySet<string>): void {
    const { after, decisions } = this.#planning;
    for (const name of decisions.drop) {
      if (this.#used.has(`drop ${name}`)) continue;
      const at = name.lastIndexOf('.');
      const [type, attribute] = [name.slice(0, at), name.slice(at + 1)];
      const model = [...after.catalog.contentTypes.values(), ...after.catalog.components.values()].find(
        ({ uid }) => uid === type || this.#nameOf(uid) === type,
      );
      if (!model || model.attributes.has(attribute)) continue;
      const { table } = layoutOf(after.layout, model.uid);
      const found = leftoverPlaces(table, model.uid, attribute).find(([leftover]) => leftovers.has(leftover));
      if (!found) continue;
      this.#used.add(`drop ${name}`);
      this.dropped.push({ place: found[1], uid: model.uid });
      this.#add(name, 'its content, which no attribute uses, is dropped');
    }
  }

  /** @throws UsageError for a decision that nothing in the plan asks for. */
  refuseUnused(): void {
    const { drop, keep, publish, defaults } = this.#planning.decisions;
    const all = [
      ...drop.map((name) => `drop ${name}`),
      ...keep.map((name) => `keep ${name}`),
      ...publish.map((name) => `publish ${name}`),
      ...[...defaults.keys()].map((name) => `default ${name}`),
    ];
    const known = [...new Set(this.changes.map((change) => change.name))];
    // a decision without effect is ignored if its change needs none any more; one that drops content is reported
    const isMoot = (one: string) => !one.startsWith('drop ') && known.includes(one.slice(one.indexOf(' ') + 1));
    const unused = all.find((one) => !this.#used.has(one) && !isMoot(one));
    if (unused === undefined) return;
    const [kind, name] = unused.split(' ') as [string, string];
    throw new UsageError(`--${kind} ${name}: the plan has nothing of this kind to decide${choices(name, known)}`, 1);
  }
}

const RULES = ['min', 'max', 'minLength', 'maxLength', 'regex', 'enum'] as const;
/** The ending of columns that are being filled. */
const PREPARED = '_galley_new';
/** Values that a change names. */
const SHOWN = 5;
/** Characters of a value. */
const LONGEST = 60;

function shownMisfit({ row, document, value }: Misfit, isComponent: boolean): string {
  const text = JSON.stringify(value) ?? String(value);
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return `${shown} (${isComponent ? 'component' : `document ${document}`}, row ${row})`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Applies a plan while servers use the database. @param context creates what writes of the next schema need. */
export async function applyMigration(
  engine: Engine,
  files: ProjectFiles,
  { steps }: MigrationPlan,
  context: (tx: Transaction) => WriteContext,
  alone: <T>(work: Alone<T>) => Promise<T>,
): Promise<void> {
  const { database, schema } = engine;
  // those that have nothing to do with content: the database may be one that only Strapi has used
  const own = { models: new Map(), tables: [] };
  await migrate(database, own, { engine: schema, createId: createDocumentId, isLive: true });
  await unprepare(engine, files, steps, []);
  const added: Column[] = [];
  try {
    await prepare(engine, steps, added);
    await dropSearchIndexes(database, schema, steps.moves);
    const leftovers = await leftoverNames(database, schema, steps.before);
    await alone((commit) =>
      retried(() =>
        database.transaction(async (tx) => {
          await schema.lock(tx, true);
          await change(tx, engine, files, steps, context(tx), leftovers);
          await commit(tx);
        }),
      ),
    );
  } catch (error) {
    await unprepare(engine, files, steps, added).catch(() => undefined);
    throw error;
  }
}

/** Attempts at a transaction that waits for tables only briefly, since the requests of others wait behind it. */
const ATTEMPTS = 5;

async function retried(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isLocked = (error as { name?: string }).name === 'ServiceUnavailableError';
      if (!isLocked || attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * Adds the columns that get values, and fills them, in short transactions beside the requests. Columns of the schema that is
 * served stay as they are: their values change in the last transaction only.
 *
 * @param added takes the columns of the next schema that the database did not have.
 */
async function prepare({ database, schema }: Engine, { storing }: Steps, added: Column[]): Promise<void> {
  for (const { change, prepared, added: ofSchema, onlyMissing } of storing) {
    const { table } = change;
    const column = prepared ?? ofSchema;
    if (!column) continue;
    await retried(() =>
      database.transaction(async (tx) => {
        await schema.lock(tx, true);
        const found = (await schema.introspect(tx, [table])).get(table);
        if (found?.columns.some(({ name }) => name === column.name)) return;
        for (const text of compileColumn(table, column, undefined, schema.ddl)) await tx.rows(text, []);
        tx.afterCommit(() => added.push([table, column.name]));
      }),
    );
    await storeValues(database, change, column.name, onlyMissing);
  }
}

/** Removes the columns of a migration that has not ended. @param added those of the next schema. */
async function unprepare(
  { database, schema }: Engine,
  files: ProjectFiles,
  { storing, recorded }: Steps,
  added: readonly Column[],
): Promise<void> {
  const prepared = storing.flatMap(({ change, prepared }): Column[] =>
    prepared ? [[change.table, prepared.name]] : [],
  );
  const columns = [...prepared, ...added];
  if (columns.length === 0) return;
  await database.transaction(async (tx) => {
    await schema.lock(tx, true);
    const existing = await schema.introspect(tx);
    if (!isSameJson(await readRecord(tx, existing, recordOf(files.catalog)), recorded)) return;
    for (const [table, column] of columns) {
      if (existing.get(table)?.columns.some(({ name }) => name === column)) {
        await execute(tx, compileDropColumn(table, column));
      }
    }
  });
}

/** The transaction of a migration. The caller holds the lock of the schema. */
async function change(
  tx: Transaction,
  engine: Engine,
  files: ProjectFiles,
  steps: Steps,
  context: WriteContext,
  leftovers: ReadonlySet<string>,
): Promise<void> {
  const { schema } = engine;
  const { catalog, layout } = files;
  const { recorded, before, names, moves, storing, intoComponents, dropped, localesOff, effects } = steps;
  // another process may have migrated since the plan
  const present = await readRecord(tx, { has: () => true }, recordOf(catalog));
  if (!isSameJson(present, recorded)) {
    throw new UsageError('another process has changed the schema of the database: try again', 1);
  }
  const { completed, ended } = switchedIn(effects, names);
  // values that were written since they were prepared
  for (const { change: one, prepared, onlyMissing } of storing) {
    await schema.stopWriters?.(tx, one.table);
    await storeValues(tx, one, prepared?.name ?? one.source, onlyMissing);
  }
  const { undo } = await moveContent(tx, schema, { moves, names, before, ended }, { catalog, layout }, leftovers);
  await addMissing(tx, layout, { engine: schema, createId: createDocumentId, isLive: true });
  for (const move of intoComponents) {
    for (const table of [move.table, move.components]) await schema.stopWriters?.(tx, table);
    for (const [to, from] of move.columns) await execute(tx, compileIntoExisting(move, to, from));
    const last = Number((await query(tx, compileLastId(move.components)))[0]![0]);
    await execute(tx, compileNewComponents(move, last));
    await execute(tx, compileNewTies(move, last));
  }
  if (intoComponents.length > 0) await schema.sequences?.advance(tx);
  for (const uid of localesOff) await endLocales(tx, context, uid);
  if (completed.size > 0) await completeRows(tx, context, { catalog, layout }, completed);
  const existing = await schema.introspect(tx);
  if (ended.length > 0) {
    await endDrafts(tx, context, existing);
    await withdrawEndingDrafts(tx, (uid) => ended.some((type) => type.uid === uid));
  }
  for (const { place } of dropped) await dropPlace(tx, schema, place, before, undo);
}

/** Rows that are removed together. */
const BATCH = 500;

/** Leaves one row of each version, the one in the default locale where there is one. */
async function endLocales(tx: Transaction, context: WriteContext, uid: string): Promise<void> {
  const type = context.catalog.contentTypes.get(uid)!;
  const { table } = layoutOf(context.layout, uid);
  const gone = (await query(tx, compileOtherLocales(table), [await defaultLocale(tx)])).map(([id]) => Number(id));
  for (let first = 0; first < gone.length; first += BATCH) {
    const ids = gone.slice(first, first + BATCH);
    await removeAllEntries(context, type, ids);
    await removeLinksOf(context, type, ids);
    await context.tables.delete(table, { id: ids });
  }
  await execute(tx, compileClearLocale(table));
}

/** Whether a plan changes content, or only adds places for it. */
const movesContent = ({ steps }: MigrationPlan): boolean => {
  const { moves, storing, intoComponents, localesOff, effects, names } = steps;
  const { completed, ended } = switchedIn(effects, names);
  return moves.length + storing.length + intoComponents.length + localesOff.length + completed.size + ended.length > 0;
};

/**
 * Applies the plan for a project that is about to be served for development, if nothing has to be decided.
 *
 * @returns the plan; undefined if there is nothing to do.
 */
export async function migrateIfDecided(
  engine: Engine,
  files: ProjectFiles,
  context: (tx: Transaction) => WriteContext,
  alone: <T>(work: Alone<T>) => Promise<T>,
): Promise<MigrationPlan | undefined> {
  const plan = await planMigration(engine, files);
  if (!movesContent(plan) && isDecided(plan)) return undefined;
  if (isDecided(plan)) await applyMigration(engine, files, plan, context, alone);
  return plan;
}

/** Kinds of effects about content that stays, as the notices of leftovers say. */
const REMOVALS: ReadonlySet<string> = new Set(['attributeRemoved', 'typeRemoved']);

/**
 * Records the schemas of a project that is about to be served, if the content of the database fits them. The database has
 * all tables.
 *
 * @returns the warning that a migration is necessary; undefined if it is not.
 */
export async function noteSchemas(engine: Engine, files: ProjectFiles): Promise<string | undefined> {
  const { database, schema } = engine;
  const now = recordOf(files.catalog);
  const recorded = await readRecord(database, { has: () => true }, now);
  if (recorded !== undefined && isSameJson(recorded, now)) return undefined;
  const existing = await schema.introspect(database);
  const { record, names } = formerSchemas(recorded, now);
  const before = versionOf(checkedBy(files.config)({ ...files.schemas, record }).partial);
  const after: SchemaVersion = { catalog: files.catalog, layout: files.layout };
  const { effects } = await effectsOf(engine, before, after, names, { existing, renamed: [], isRight: false });
  const open = effects.filter(({ severity, count }) => severity !== 'info' && (count ?? 0) > 0);
  if (open.length === 0) {
    // another server may have recorded the same, and a database that accepts no writes has nothing to record
    await database
      .transaction(async (tx) => {
        await schema.lock(tx, true);
        await storeRecord(tx, now);
      })
      .catch(() => undefined);
    return undefined;
  }
  const places = open
    .filter(({ kind }) => !REMOVALS.has(kind))
    .map(({ uid, attribute }) => (attribute === null ? uid : `${uid}.${attribute}`));
  if (places.length === 0) return undefined;
  const command = commandText('migrate', files.config.dir);
  return `the content of the database belongs to other schema files (${[...new Set(places)].slice(0, 5).join(', ')}): ${command} prints what changes, and nothing is lost until then`;
}
