/** Random reads, made of the names and values of a project. */
import { fieldsOf } from '../../src/access/fields.ts';
import { type Attribute, type Catalog, type ContentType, type Model, modelOf } from '../../src/schema/catalog.ts';
import type { Random } from '../model/random.ts';
import { pathOf, type Samples, targetOf, typesOf } from './samples.ts';
import type { Request } from './servers.ts';

const TEXT_OPERATORS = [
  '$eq',
  '$eqi',
  '$ne',
  '$nei',
  '$lt',
  '$lte',
  '$gt',
  '$gte',
  '$in',
  '$notIn',
  '$between',
  '$contains',
  '$notContains',
  '$containsi',
  '$notContainsi',
  '$startsWith',
  '$startsWithi',
  '$endsWith',
  '$endsWithi',
  '$null',
  '$notNull',
];
const VALUE_OPERATORS = ['$eq', '$ne', '$lt', '$lte', '$gt', '$gte', '$in', '$notIn', '$between', '$null', '$notNull'];
const COHORTS = [
  'never-published',
  'has-published-version',
  'modified',
  'unmodified',
  'never-published-document',
  'has-published-version-document',
  'published-without-draft',
  'published-with-draft',
];
const LOCALES = ['en', 'fr', 'de', '*', 'xx', ''];
/** How deep relations are entered. */
const DEPTH = 3;

type Kind = 'text' | 'value' | 'boolean' | 'document';

/** Of the other side of a relation to any type the reference gives no count. */
const isCounted = (attribute: Attribute | undefined): boolean =>
  attribute?.type === 'relation' && !attribute.relation.startsWith('morph');

export class Reads {
  readonly #catalog: Catalog;
  readonly #samples: Samples;
  readonly #random: Random;

  constructor(catalog: Catalog, samples: Samples, random: Random) {
    this.#catalog = catalog;
    this.#samples = samples;
    this.#random = random;
  }

  /** A list, a document, a single type, or files. */
  next(): Request {
    const random = this.#random;
    const type = random.pick(typesOf(this.#catalog));
    const single = type.kind === 'singleType';
    const one = !single && random.chance(0.2);
    const documentId = String(this.#samples.pick(random, type, 'documentId'));
    const params: string[] = [];
    if (random.chance(0.6)) params.push(...this.#filters(type, 'filters'));
    if (random.chance(0.3)) params.push(...this.#sort(type, 'sort'));
    if (random.chance(0.3)) params.push(...this.#fields(type, 'fields'));
    if (random.chance(0.5)) params.push(...this.#populate(type, 'populate', DEPTH));
    if (random.chance(0.3)) params.push(`status=${random.pick(['draft', 'published'])}`);
    if (random.chance(0.15)) params.push(`publicationFilter=${random.pick(COHORTS)}`);
    else if (random.chance(0.05)) params.push(`hasPublishedVersion=${random.pick(['true', 'false'])}`);
    if (type.localized && random.chance(0.4)) params.push(...this.#locale(single || one));
    if (random.chance(0.08)) params.push(`_q=${this.#term(type)}`);
    if (!single && !one && random.chance(0.3)) params.push(...this.#pagination());
    // one key twice would be a list
    const keys = new Map(params.map((param) => [param.split('=', 1)[0], param]));
    return { method: 'GET', path: one ? `${pathOf(type)}/${documentId}` : pathOf(type), params: [...keys.values()] };
  }

  #locale(one: boolean): string[] {
    const random = this.#random;
    if (!one && random.chance(0.2)) return ['locale[0]=en', `locale[1]=${random.pick(['fr', 'de'])}`];
    return [`locale=${random.pick(LOCALES)}`];
  }

  #pagination(): string[] {
    const random = this.#random;
    const number = () => random.pick([0, 1, 2, 3, 7, 100]);
    const count = random.chance(0.3) ? [`pagination[withCount]=${random.pick(['true', 'false', '1', '0'])}`] : [];
    if (random.chance(0.5)) return [`pagination[start]=${number()}`, `pagination[limit]=${number()}`, ...count];
    return [`pagination[page]=${number()}`, `pagination[pageSize]=${number()}`, ...count];
  }

  #term(type: ContentType): string {
    const fields = fieldsOf(type, false).readable.filter((name) => this.#kind(type, name) === 'text');
    const field = fields.length === 0 ? 'documentId' : this.#random.pick(fields);
    return this.#piece(String(this.#samples.pick(this.#random, type, field)));
  }

  /** Part of a text. */
  #piece(text: string): string {
    const characters = [...text];
    const start = this.#random.below(Math.max(1, characters.length - 2));
    return characters.slice(start, start + 1 + this.#random.below(5)).join('') || 'a';
  }

  #kind(model: Model, field: string): Kind {
    const type = model.attributes.get(field)?.type;
    if (field === 'documentId' || field === 'locale') return 'text';
    switch (type) {
      case 'json':
      case 'blocks':
        return 'document';
      case 'boolean':
        return 'boolean';
      case 'string':
      case 'text':
      case 'richtext':
      case 'email':
      case 'uid':
      case 'enumeration':
        return 'text';
      default:
        return 'value';
    }
  }

  /** Names that lead to rows of one model. */
  #steps(model: Model): string[] {
    return fieldsOf(model, false).populatable.filter((name) => name === 'localizations' || this.#behind(model, name));
  }

  #behind(model: Model, name: string): Model | undefined {
    if (fieldsOf(model, false).named(name).kind === 'localizations') return model;
    const target = targetOf(model.attributes.get(name));
    return target === undefined ? undefined : modelOf(this.#catalog, target);
  }

  #filters(model: Model, path: string, depth = DEPTH): string[] {
    const count = this.#random.chance(0.25) ? 2 : 1;
    return Array.from({ length: count }).flatMap(() => this.#filter(model, path, depth));
  }

  #filter(model: Model, path: string, depth: number): string[] {
    const random = this.#random;
    const steps = this.#steps(model);
    const choice = random.below(10);
    if (depth > 0 && choice === 0) return this.#filters(model, `${path}[$not]`, depth - 1);
    if (depth > 0 && choice <= 2) {
      const group = `${path}[${random.pick(['$and', '$or'])}]`;
      return [0, 1].flatMap((index) => this.#filters(model, `${group}[${index}]`, depth - 1));
    }
    if (depth > 0 && choice <= 5 && steps.length > 0) {
      const name = random.pick(steps);
      if (random.chance(0.15)) return [`${path}[${name}][${random.pick(['$null', '$notNull'])}]=true`];
      return this.#filters(this.#behind(model, name)!, `${path}[${name}]`, depth - 1);
    }
    return this.#test(model, path);
  }

  #test(model: Model, path: string): string[] {
    const random = this.#random;
    const field = random.pick(fieldsOf(model, false).readable);
    const kind = this.#kind(model, field);
    const value = () => String(this.#samples.pick(random, model, field));
    const not = random.chance(0.1) ? '[$not]' : '';
    const at = `${path}[${field}]${not}`;
    if (kind === 'document') return [`${at}[${random.pick(['$null', '$notNull'])}]=${random.pick(['true', 'false'])}`];
    if (kind === 'boolean') return [`${at}[${random.pick(['$eq', '$ne'])}]=${random.pick(['true', 'false'])}`];
    const operator = random.pick(kind === 'text' ? TEXT_OPERATORS : VALUE_OPERATORS);
    switch (operator) {
      case '$null':
      case '$notNull':
        return [`${at}[${operator}]=${random.pick(['true', 'false'])}`];
      case '$in':
      case '$notIn':
        return [`${at}[${operator}][0]=${value()}`, `${at}[${operator}][1]=${value()}`];
      case '$between':
        return [`${at}[${operator}][0]=${value()}`, `${at}[${operator}][1]=${value()}`];
      case '$eq':
        return [`${at}[$eq]=${value()}`];
      default:
        return [`${at}[${operator}]=${/tain|With/.test(operator) ? this.#piece(value()) : value()}`];
    }
  }

  #sort(model: Model, path: string): string[] {
    const random = this.#random;
    const order = () => random.pick(['', ':asc', ':desc']);
    const keys = Array.from({ length: 1 + random.below(2) }, () => {
      let at = model;
      const names: string[] = [];
      while (names.length < 2 && random.chance(0.3) && this.#steps(at).length > 0) {
        const name = random.pick(this.#steps(at));
        names.push(name);
        at = this.#behind(at, name)!;
      }
      return [...names, random.pick(fieldsOf(at, false).readable)].join('.') + order();
    });
    return keys.length === 1 ? [`${path}=${keys[0]}`] : keys.map((key, index) => `${path}[${index}]=${key}`);
  }

  #fields(model: Model, path: string): string[] {
    const names = this.#random.some(fieldsOf(model, false).readable, 3);
    return names.map((name, index) => `${path}[${index}]=${name}`);
  }

  #populate(model: Model, path: string, depth: number): string[] {
    const random = this.#random;
    const names = fieldsOf(model, false).populatable;
    if (names.length === 0) return [];
    const choice = random.below(4);
    if (choice === 0) return [`${path}=*`];
    if (choice === 1)
      return random.some(names, 3).map((name, index) => `${path}[${index}]=${this.#dotted(model, name)}`);
    return random.some(names, 2).flatMap((name) => this.#populated(model, name, `${path}[${name}]`, depth - 1));
  }

  #dotted(model: Model, name: string): string {
    const next = this.#behind(model, name);
    const names = next ? fieldsOf(next, false).populatable : [];
    return names.length > 0 && this.#random.chance(0.4) ? `${name}.${this.#random.pick(names)}` : name;
  }

  #populated(model: Model, name: string, path: string, depth: number): string[] {
    const random = this.#random;
    const attribute = model.attributes.get(name);
    if (attribute?.type === 'dynamiczone') {
      if (random.chance(0.3)) return [`${path}[populate]=*`];
      return random.some(attribute.components, 2).flatMap((uid) => {
        const options =
          depth > 0 ? this.#options(modelOf(this.#catalog, uid), `${path}[on][${uid}]`, depth, false) : [];
        return options.length > 0 ? options : [`${path}[on][${uid}]=true`];
      });
    }
    const next = this.#behind(model, name);
    if (!next || depth === 0 || random.chance(0.3)) return [`${path}=true`];
    const options = this.#options(next, path, depth, isCounted(attribute));
    return options.length > 0 ? options : [`${path}=true`];
  }

  #options(model: Model, path: string, depth: number, relation: boolean): string[] {
    const random = this.#random;
    if (relation && random.chance(0.08)) return [`${path}[count]=true`];
    return [
      ...(random.chance(0.4) ? this.#fields(model, `${path}[fields]`) : []),
      ...(random.chance(0.3) ? this.#filters(model, `${path}[filters]`, 1) : []),
      ...(random.chance(0.3) ? this.#sort(model, `${path}[sort]`) : []),
      ...(random.chance(0.4) ? this.#populate(model, `${path}[populate]`, depth) : []),
    ];
  }
}
