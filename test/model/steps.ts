/** Random steps from a seed, each as a request and as a change of the model. */
import { Random } from './random.ts';
import { type Data, DEFAULT_LOCALE, type Edit, type Entry, type PartData, remove, write } from './rules.ts';
import type { ComponentPart, Model, RelationPart } from './schema.ts';
import { type Part, type Row, refOf, type World } from './world.ts';

/** A request, and what it does. Documents are named `$name` in the body, component entries `#key`. */
export interface Step {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly uid: string;
  /** The model's name of the document; a POST makes it. */
  readonly doc: string;
  readonly query: string;
  readonly data: unknown;
  /** Undefined: the request is refused and changes nothing. */
  readonly apply: (() => void) | undefined;
}

export const LOCALES = ['en', 'fr'];
/** Documents of one type: few, so that steps meet. */
const DOCUMENTS = 5;

/** The step that a seed stands for in a world; undefined when there is nothing that it could do. */
export function plan(world: World, seed: number): Step | undefined {
  const random = new Random(seed);
  const types = [...world.schema.values()].filter((model) => !model.isComponent);
  const model = random.pick(types);
  const docs = [...new Set([...world.rows.values()].flatMap((row) => (row.uid === model.uid ? [row.doc] : [])))];
  const dice = random.next();
  if (docs.length === 0 || (dice < 0.25 && docs.length < (model.single ? 1 : DOCUMENTS))) {
    return new Planner(world, random, model, seed).create();
  }
  const doc = random.pick(docs);
  const planner = new Planner(world, random, model, seed);
  if (dice > 0.93) return planner.delete(doc);
  return planner.update(doc, dice > 0.87);
}

class Planner {
  readonly #world: World;
  readonly #random: Random;
  readonly #model: Model;
  readonly #seed: number;

  constructor(world: World, random: Random, model: Model, seed: number) {
    this.#world = world;
    this.#random = random;
    this.#model = model;
    this.#seed = seed;
  }

  create(): Step {
    const { uid, localized, single } = this.#model;
    const doc = `${uid.split('.').at(-1)}${this.#seed}`;
    const locale = localized ? this.#locale() : '';
    return this.#write(single ? 'PUT' : 'POST', doc, locale, undefined, false);
  }

  update(doc: string, wrong: boolean): Step {
    const { uid, localized } = this.#model;
    const locale = localized ? this.#locale() : '';
    return this.#write('PUT', doc, locale, this.#world.written(uid, doc, locale), wrong);
  }

  delete(doc: string): Step {
    const { uid, localized } = this.#model;
    const locale = localized && this.#random.chance(0.6) ? this.#locale() : undefined;
    return {
      method: 'DELETE',
      uid,
      doc,
      query: locale ? `locale=${locale}` : '',
      data: undefined,
      apply: () => remove(this.#world, uid, doc, locale ? [locale] : undefined),
    };
  }

  #locale(): string {
    return this.#random.chance(0.6) ? DEFAULT_LOCALE : this.#random.pick(LOCALES);
  }

  #write(method: 'POST' | 'PUT', doc: string, locale: string, row: Row | undefined, wrong: boolean): Step {
    const { uid, drafts, localized } = this.#model;
    const publish = drafts && this.#random.chance(0.5);
    const version = row === undefined && this.#world.rowsOf(uid, doc).length > 0;
    // `PUT {}` publishes the draft as it is
    const empty = row !== undefined && this.#random.chance(publish ? 0.4 : 0.05);
    const { data, body } = empty
      ? { data: { scalars: new Map(), relations: new Map(), parts: new Map() }, body: {} }
      : this.#data(this.#model, row, row, locale, version);
    const query = [
      ...(localized && locale !== DEFAULT_LOCALE ? [`locale=${locale}`] : []),
      ...(drafts && !publish ? ['status=draft'] : []),
    ];
    if (wrong && this.#spoil(body, row)) {
      return { method, uid, doc, query: query.join('&'), data: body, apply: undefined };
    }
    const apply = () => write(this.#world, { uid, doc, locale, publish, data });
    return { method, uid, doc, query: query.join('&'), data: body, apply };
  }

  /** Makes a body one that is refused as a whole. */
  #spoil(body: Record<string, unknown>, row: Row | undefined): boolean {
    for (const attribute of this.#world.attributesOf(this.#model.uid)) {
      if (attribute.kind === 'relation' && attribute.target && this.#random.chance(0.3)) {
        const missing = { documentId: 'nowherenowherenowherenow' };
        body[attribute.name] = this.#random.pick([{ connect: [missing] }, { disconnect: [missing] }, [missing]]);
        return true;
      }
      if (attribute.kind === 'parts' && row && attribute.many && this.#random.chance(0.3)) {
        const known = attribute.zone ? { __component: attribute.components[0] } : {};
        body[attribute.name] = [{ ...known, id: 999_999_999 }];
        return true;
      }
    }
    return false;
  }

  /** `stored` is the row or component that is written, when it is there already. */
  #data(
    model: Model,
    row: Row | undefined,
    stored: Part | undefined,
    locale: string,
    localizedOnly: boolean,
  ): { data: Data; body: Record<string, unknown> } {
    const scalars = new Map<string, unknown>();
    const relations = new Map<string, Edit>();
    const parts = new Map<string, readonly PartData[]>();
    const body: Record<string, unknown> = {};
    for (const attribute of model.attributes.values()) {
      const { name } = attribute;
      if (attribute.kind === 'relation') {
        if (!this.#random.chance(0.35)) continue;
        const written = this.#relation(attribute, stored, locale);
        if (!written) continue;
        relations.set(name, written.edit);
        body[name] = written.body;
        continue;
      }
      if (localizedOnly && attribute.shared) continue;
      const needed = attribute.required && stored === undefined;
      if (!needed && !this.#random.chance(0.35)) {
        if (attribute.kind === 'scalar' && stored === undefined) scalars.set(name, null);
        continue;
      }
      if (attribute.kind === 'scalar') {
        const value =
          attribute.fixed ??
          (!attribute.required && this.#random.chance(0.1) ? null : `v${this.#seed}.${this.#random.below(1e6)}`);
        scalars.set(name, value);
        body[name] = value;
      } else {
        const written = this.#parts(attribute, row, stored, locale);
        parts.set(name, written.entries);
        body[name] = written.body;
      }
    }
    return { data: { scalars, relations, parts }, body };
  }

  #parts(
    attribute: ComponentPart,
    row: Row | undefined,
    stored: Part | undefined,
    locale: string,
  ): { entries: PartData[]; body: unknown } {
    const there = stored?.parts.get(attribute.name) ?? [];
    const entry = (keep: number | undefined): { entry: PartData; body: Record<string, unknown> } => {
      const part = keep === undefined ? undefined : there[keep]!;
      const uid = part?.uid ?? this.#random.pick(attribute.components);
      const { data, body } = this.#data(this.#world.model(uid), row, part, locale, false);
      const named = attribute.zone ? { __component: uid } : {};
      return { entry: { ...data, uid, keep }, body: { ...named, ...(part ? { id: `#${part.key}` } : {}), ...body } };
    };
    if (!attribute.many) {
      if (!attribute.required && this.#random.chance(0.2)) return { entries: [], body: null };
      const one = entry(there.length > 0 && this.#random.chance(0.6) ? 0 : undefined);
      return { entries: [one.entry], body: one.body };
    }
    const kept = this.#random.some(
      there.map((_, index) => index),
      attribute.max,
    );
    const made: (number | undefined)[] = [...kept];
    const added = Math.min(this.#random.below(kept.length > 1 ? 2 : 3), attribute.max - kept.length);
    for (let i = 0; i < added; i += 1) made.splice(this.#random.below(made.length + 1), 0, undefined);
    const written = made.map(entry);
    const body = written.length === 0 && this.#random.chance(0.5) ? null : written.map((one) => one.body);
    return { entries: written.map((one) => one.entry), body };
  }

  #relation(
    attribute: RelationPart,
    stored: Part | undefined,
    locale: string,
  ): { edit: Edit; body: unknown } | undefined {
    const candidates = this.#candidates(attribute, locale);
    const holder = stored?.key ?? '';
    const linked = this.#world.list(holder, attribute.name).map(refOf);
    const perStatus =
      !this.#model.drafts &&
      !attribute.inverse &&
      attribute.many &&
      attribute.target !== undefined &&
      this.#world.model(attribute.target).drafts;
    const named = (most: number) =>
      this.#random.some(candidates, most).map((entry): Entry => {
        if (!perStatus || !this.#random.chance(0.2)) return entry;
        // a status that is asked for must be there (docs/differences.md)
        const rows = this.#world.rowsOf(entry.uid, entry.doc).filter((row) => row.locale === entry.locale);
        const isPublished = rows.some(({ state }) => state === 'published');
        return { ...entry, status: isPublished ? this.#random.pick(['draft', 'published'] as const) : 'draft' };
      });
    const dice = this.#random.next();
    if (dice < 0.12) return { edit: { kind: 'set', entries: [] }, body: this.#random.pick(this.#empty(attribute)) };
    if (dice < 0.45 || attribute.target === undefined) return this.#set(attribute, named(3));
    const disconnect = this.#random.some(candidates, 2);
    const connect = this.#positioned(named(attribute.many ? 3 : 2), attribute, linked, disconnect);
    const body: Record<string, unknown> = {};
    if (connect.length > 0 || this.#random.chance(0.5)) body['connect'] = connect.map((one) => this.#form(one, true));
    if (disconnect.length > 0) body['disconnect'] = disconnect.map((one) => this.#form(one, false));
    return { edit: { kind: 'edit', connect, disconnect }, body };
  }

  #empty(attribute: RelationPart): unknown[] {
    return attribute.target === undefined ? [[], null] : [[], null, { set: [] }];
  }

  #set(attribute: RelationPart, entries: Entry[]): { edit: Edit; body: unknown } {
    const forms = entries.map((entry) => this.#form(entry, false));
    const edit: Edit = { kind: 'set', entries };
    if (attribute.target === undefined) return { edit, body: attribute.many ? forms : forms.slice(-1) };
    if (!attribute.many && entries.length === 1 && this.#random.chance(0.5)) return { edit, body: forms[0] };
    return { edit, body: this.#random.chance(0.5) ? forms : { set: forms } };
  }

  /** Gives some entries positions, each beside a document that is linked when its turn comes. */
  #positioned(
    entries: readonly Entry[],
    { many }: RelationPart,
    linked: readonly { readonly doc: string; readonly locale: string }[],
    cut: readonly Entry[],
  ): Entry[] {
    if (!many) return [...entries];
    return entries.map((entry, index) => {
      const dice = this.#random.next();
      if (dice < 0.3 || entry.status) return entry;
      if (dice < 0.5) return { ...entry, position: this.#random.pick(['start', 'end'] as const) };
      const standing = linked.filter(
        ({ doc, locale }) => locale === entry.locale && doc !== entry.doc && !cut.some((other) => other.doc === doc),
      );
      // of what is not linked only later entries: no circle can arise
      const later = entries.slice(index + 1).filter(({ status }) => !status);
      const beside = [...new Set([...standing, ...later].map(({ doc }) => doc))];
      if (beside.length === 0) return entry;
      const doc = this.#random.pick(beside);
      return { ...entry, position: this.#random.chance(0.5) ? { before: doc } : { after: doc } };
    });
  }

  /** An entry as it may be written. */
  #form(entry: Entry, positioned: boolean): unknown {
    const { uid, doc, locale, status, position } = entry;
    const typed = this.#anyType ? { __type: uid } : {};
    const crossLocale = locale !== '' && !this.#model.localized && locale !== DEFAULT_LOCALE ? { locale } : {};
    const placed = positioned && position !== undefined ? { position: this.#position(position) } : {};
    const extra = { ...typed, ...crossLocale, ...placed, ...(status ? { status } : {}) };
    if (Object.keys(extra).length === 0 && this.#random.chance(0.4)) return `$${doc}`;
    if (this.#random.chance(0.15)) {
      // a row stands for its document, whichever of its rows it is
      const rows = this.#world.rowsOf(uid, doc).filter((row) => row.locale === locale);
      return { id: `#${this.#random.pick(rows).key}`, ...extra };
    }
    return { documentId: `$${doc}`, ...extra };
  }

  #anyType = false;

  #position(position: NonNullable<Entry['position']>): unknown {
    if (typeof position === 'string') return { [position]: true };
    return 'before' in position ? { before: `$${position.before}` } : { after: `$${position.after}` };
  }

  /** Documents that can be linked: those with a row in the locale that the link leads to. */
  #candidates({ target }: RelationPart, locale: string): Entry[] {
    this.#anyType = target === undefined;
    const types = [...this.#world.schema.values()].filter(
      (model) => !model.isComponent && !model.single && (target === undefined || model.uid === target),
    );
    return types.flatMap((model) => {
      const docs = new Set([...this.#world.rows.values()].flatMap((row) => (row.uid === model.uid ? [row.doc] : [])));
      const wanted = !model.localized ? '' : this.#model.localized ? locale : this.#otherLocale();
      return [...docs].flatMap((doc) =>
        this.#world.written(model.uid, doc, wanted) ? [{ uid: model.uid, doc, locale: wanted }] : [],
      );
    });
  }

  #otherLocale(): string {
    return this.#random.chance(0.7) ? DEFAULT_LOCALE : this.#random.pick(LOCALES);
  }
}
