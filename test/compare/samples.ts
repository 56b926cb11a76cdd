/** Values that a database holds, by model and field, so that random filters find something. */
import { type Catalog, type ContentType, FILE_UID, type Model, modelOf } from '../../src/schema/catalog.ts';
import type { Random } from '../model/random.ts';
import type { Side } from './servers.ts';

/** Types that requests are made of. */
export function typesOf(catalog: Catalog): ContentType[] {
  return [...catalog.contentTypes.values()].filter((type) => type.routed);
}

/** The path of a type's list, or of its only document. */
export const pathOf = (type: ContentType): string =>
  `/api/${type.kind === 'singleType' ? type.singularName : type.pluralName}`;

type Row = Readonly<Record<string, unknown>>;

export class Samples {
  readonly #values = new Map<string, unknown[]>();
  readonly #catalog: Catalog;

  private constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** Reads up to 100 rows of each type in each status, with everything one level deep. */
  static async of(catalog: Catalog, side: Side): Promise<Samples> {
    const samples = new Samples(catalog);
    for (const type of typesOf(catalog)) {
      for (const status of type.draftAndPublish ? ['draft', 'published'] : ['published']) {
        const params = [`status=${status}`, 'populate=*'];
        const list = type.kind === 'singleType' ? [] : ['locale=*', 'pagination[pageSize]=100'];
        const { body } = await side.send({ method: 'GET', path: pathOf(type), params: [...params, ...list] });
        const data = (body as { data?: unknown }).data ?? [];
        for (const row of [data].flat()) samples.#add(type, row as Row);
      }
    }
    const { body } = await side.send({ method: 'GET', path: '/api/upload/files', params: [] });
    for (const row of body as Row[]) samples.#add(modelOf(catalog, FILE_UID), row);
    return samples;
  }

  /** A value of a field, or a text that nothing holds where there is none. */
  pick(random: Random, model: Model, field: string): unknown {
    const values = this.#values.get(`${model.uid} ${field}`);
    return values === undefined ? 'nothing' : random.pick(values);
  }

  #add(model: Model, row: Row): void {
    for (const [key, value] of Object.entries(row)) {
      const attribute = model.attributes.get(key);
      const target = targetOf(attribute);
      if (attribute?.type === 'dynamiczone') {
        for (const part of value as Row[]) this.#add(modelOf(this.#catalog, String(part['__component'])), part);
      } else if (target !== undefined) {
        for (const item of [value].flat()) if (item) this.#add(modelOf(this.#catalog, target), item as Row);
      } else if (value !== null && typeof value !== 'object') {
        const name = `${model.uid} ${key}`;
        const known = this.#values.get(name);
        if (!known) this.#values.set(name, [value]);
        else if (known.length < 200) known.push(value);
      }
    }
  }
}

/** The single model that an attribute leads to; undefined for scalars, zones and relations to any type. */
export function targetOf(attribute: ReturnType<Model['attributes']['get']>): string | undefined {
  switch (attribute?.type) {
    case 'media':
      return FILE_UID;
    case 'component':
      return attribute.component;
    case 'relation':
      return attribute.target;
    default:
      return undefined;
  }
}
