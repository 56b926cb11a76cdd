/** Random reads of all shapes: lists and documents, filters, sort keys, populated relations, search and pages. */
import { Random } from './random.ts';
import type { Attribute, Model, Schema } from './schema.ts';

const LOCALES = ['en', 'fr'];
/** The texts of the model's scalars are short: single letters find some of them. */
const TEXTS = ['a', 'b', 'c', 'e', 'x', '1', '2', 'ab', 'nothing'];

/** What a random read knows of a project. */
export interface ReadSource {
  readonly schema: Schema;
  /** The ids of documents, by type. */
  readonly documents: ReadonlyMap<string, readonly string[]>;
  /** Attributes that no read goes through. */
  readonly isLeftOut?: (model: Model, attribute: Attribute) => boolean;
}

/** The target of a random GET request, without a leading prefix. */
export function randomRead({ schema, documents, isLeftOut }: ReadSource, seed: number): string {
  const random = new Random(seed);
  const types = [...schema.values()].filter(({ isComponent }) => !isComponent);
  const attributesOf = (model: Model): Attribute[] =>
    [...model.attributes.values()].filter((attribute) => !isLeftOut?.(model, attribute));
  const parts: string[] = [];
  const add = (key: string, value: string): number => parts.push(`${key}=${value}`);

  /** A path of names to a scalar, through relations and components. */
  const path = (model: Model, depth: number): string[] => {
    const steps = attributesOf(model).flatMap((attribute): [string, Model][] => {
      if (attribute.kind === 'relation')
        return attribute.target ? [[attribute.name, schema.get(attribute.target)!]] : [];
      if (attribute.kind !== 'parts' || attribute.zone) return [];
      return [[attribute.name, schema.get(attribute.components[0]!)!]];
    });
    if (depth > 0 && steps.length > 0 && random.chance(0.65)) {
      const [name, next] = random.pick(steps);
      return [name, ...path(next, depth - 1)];
    }
    const scalars = attributesOf(model).filter(({ kind }) => kind === 'scalar');
    const system = model.isComponent ? ['id'] : ['documentId', 'createdAt'];
    return [scalars.length > 0 && random.chance(0.8) ? random.pick(scalars).name : random.pick(system)];
  };
  const operand = (names: readonly string[]): string => {
    const last = names.at(-1);
    if (last === 'createdAt') return '2020-01-01T00:00:00.000Z';
    if (last === 'documentId') return random.pick([...documents.values()].flat().concat('nowhere'));
    return random.pick(TEXTS);
  };
  const filter = (model: Model, prefix: string, depth: number): void => {
    const dice = random.next();
    if (depth > 0 && dice < 0.25) {
      const word = random.pick(['$and', '$or']);
      for (let n = 0; n < 2; n++) filter(model, `${prefix}[${word}][${n}]`, depth - 1);
      return;
    }
    if (depth > 0 && dice < 0.35) {
      filter(model, `${prefix}[$not]`, depth - 1);
      return;
    }
    const names = path(model, 3);
    const isText = !['id', 'createdAt'].includes(names.at(-1)!);
    const place = `${prefix}${names.map((name) => `[${name}]`).join('')}`;
    if (names.at(-1) === 'id' || random.chance(0.25)) {
      add(`${place}[${random.pick(['$null', '$notNull'])}]`, random.pick(['true', 'false']));
    } else if (isText && random.chance(0.5)) {
      add(`${place}[${random.pick(['$contains', '$containsi', '$startsWith', '$notContains'])}]`, operand(names));
    } else add(`${place}[${random.pick(['$eq', '$ne', '$gt', '$lte'])}]`, operand(names));
  };
  const populate = (model: Model, prefix: string, depth: number): void => {
    const open = attributesOf(model).filter(({ kind }) => kind !== 'scalar');
    if (open.length === 0) return;
    if (depth === 0 || random.chance(0.25)) {
      add(prefix, '*');
      return;
    }
    for (const attribute of random.some(open, 4)) {
      const place = `${prefix}[${attribute.name}]`;
      if (attribute.kind === 'relation' && attribute.target) {
        const target = schema.get(attribute.target)!;
        if (attribute.many && random.chance(0.15)) {
          add(`${place}[count]`, 'true');
          continue;
        }
        const before = parts.length;
        if (random.chance(0.5)) populate(target, `${place}[populate]`, depth - 1);
        if (random.chance(0.25)) filter(target, `${place}[filters]`, 1);
        if (random.chance(0.3)) add(`${place}[sort]`, `${path(target, 1).join('.')}:${random.pick(['asc', 'desc'])}`);
        if (parts.length === before) add(place, 'true');
      } else if (attribute.kind === 'parts' && !attribute.zone) {
        const before = parts.length;
        if (random.chance(0.7)) populate(schema.get(attribute.components[0]!)!, `${place}[populate]`, depth - 1);
        if (parts.length === before) add(place, 'true');
      } else if (attribute.kind === 'parts') {
        for (const uid of attribute.components) add(`${place}[on][${uid}][populate]`, '*');
      } else add(place, 'true');
    }
  };

  const model = random.pick(types);
  if (random.chance(0.8)) populate(model, 'populate', 3);
  if (model.localized && random.chance(0.5)) add('locale', random.pick(LOCALES));
  const ids = documents.get(model.uid) ?? [];
  if (model.single || (ids.length > 0 && random.chance(0.2))) {
    return `${model.path}${model.single ? '' : `/${random.pick(ids)}`}?${parts.join('&')}`;
  }
  if (model.localized && random.chance(0.3) && !parts.some((part) => part.startsWith('locale='))) add('locale', '*');
  if (random.chance(0.65)) filter(model, 'filters', 2);
  if (random.chance(0.15)) add('_q', random.pick(TEXTS));
  const sorts = random.chance(0.5) ? 1 + random.below(2) : 0;
  for (let n = 0; n < sorts; n++) {
    const key = random.chance(0.15) ? ['id'] : path(model, 2);
    add(`sort[${n}]`, `${key.join('.')}:${random.pick(['asc', 'desc'])}`);
  }
  if (random.chance(0.4)) {
    add('pagination[pageSize]', String(1 + random.below(4)));
    if (random.chance(0.4)) add('pagination[page]', '2');
  }
  if (random.chance(0.1)) add('pagination[withCount]', 'false');
  return `${model.path}?${parts.join('&')}`;
}
