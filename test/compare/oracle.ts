/** The documents of a list, computed in memory from the content of the reference. */
import qs from 'qs';
import { type Catalog, type ContentType, FILE_UID, type Model } from '../../src/schema/catalog.ts';
import { pathOf, targetOf, typesOf } from './samples.ts';
import type { Request, Side } from './servers.ts';
import { type Row, truthOf, Unjudged } from './truth.ts';
import { fullPopulate } from './writes/state.ts';

const ALL = ['locale=*', 'pagination[pageSize]=100'];

export class Oracle {
  readonly #catalog: Catalog;
  /** Rows by `uid status`. */
  readonly #rows = new Map<string, readonly Row[]>();

  private constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** Reads every document of the reference, with everything in it down to the names of what it links. */
  static async of(catalog: Catalog, side: Side): Promise<Oracle> {
    const oracle = new Oracle(catalog);
    for (const type of typesOf(catalog)) {
      for (const status of ['draft', 'published']) {
        const params = [`status=${status}`, ...fullPopulate(catalog, type, 'populate')];
        const locales = type.kind === 'singleType' && type.localized ? ['en', 'fr', 'de'] : [undefined];
        const rows: Row[] = [];
        for (const locale of locales) {
          const more = type.kind === 'singleType' ? (locale ? [`locale=${locale}`] : []) : ALL;
          const { body } = await side.send({ method: 'GET', path: pathOf(type), params: [...params, ...more] });
          rows.push(...([(body as { data?: Row | Row[] | null }).data ?? []].flat() as Row[]));
        }
        oracle.#rows.set(`${type.uid} ${status}`, rows);
      }
    }
    const { body } = await side.send({ method: 'GET', path: '/api/upload/files', params: [] });
    for (const status of ['draft', 'published']) oracle.#rows.set(`${FILE_UID} ${status}`, body as Row[]);
    return oracle;
  }

  /**
   * What is wrong with the documents that Galley lists for the filters, locale and status of a request; undefined where
   * nothing is, or where the request is of no use here: single documents, search and cohorts.
   */
  async wrong(galley: Side, request: Request): Promise<string | undefined> {
    const type = typesOf(this.#catalog).find((one) => pathOf(one) === request.path && one.kind !== 'singleType');
    const isJudged = !request.params.some((param) => /^(_q|publicationFilter|hasPublishedVersion)\b/.test(param));
    if (!type || !isJudged || !request.params.some((param) => param.startsWith('filters'))) return undefined;
    const expected = this.#expected(type, request);
    if (expected === undefined) return undefined;
    const params = request.params.filter((param) => /^(filters|status|locale)\b/.test(param));
    const answer = await galley.send({ ...request, params: [...params, 'fields=id', 'pagination[pageSize]=100'] });
    if (answer.status !== 200) return `filters: Galley answers ${answer.status}`;
    const found = (answer.body as { data: { id: number }[] }).data.map(({ id }) => id);
    const [left, right] = [expected, found].map((ids) => [...ids].sort((a, b) => a - b).join(' '));
    return left === right ? undefined : `filters: rows ${left} are expected, and Galley lists ${right}`;
  }

  #expected(type: ContentType, { params }: Request): number[] | undefined {
    const query = qs.parse(params.map((param) => param.split('=').map(encodeURIComponent).join('=')).join('&'), {
      depth: 30,
      arrayLimit: 100,
    }) as { filters?: Row; status?: string; locale?: string | string[] };
    const { filters = {}, status = 'published', locale } = query;
    try {
      const rows = this.#rows.get(`${type.uid} ${status}`) ?? [];
      const locales = locale === '*' || 'locale' in filters ? undefined : [locale || 'en'].flat();
      const listed = type.localized && locales ? rows.filter((row) => locales.includes(String(row['locale']))) : rows;
      const behind = (model: Model, row: Row, name: string) => this.#behind(model, row, name, status);
      const through = listed.filter((row) => truthOf(this.#catalog, behind, type, filters, row) === true);
      return through.map(({ id }) => Number(id));
    } catch (error) {
      if (error instanceof Unjudged) return undefined;
      throw error;
    }
  }

  #behind(model: Model, row: Row, name: string, status: string): readonly Row[] {
    const inStatus = (uid: string) => this.#rows.get(`${uid} ${status}`) ?? [];
    if (name === 'localizations') {
      return inStatus(model.uid).filter(({ documentId }) => documentId === row['documentId']);
    }
    const items = [row[name] ?? []].flat() as Row[];
    if (model.attributes.get(name)?.type === 'component') return items;
    const target = targetOf(model.attributes.get(name))!;
    // what links a row of the other status leads nowhere in this one
    return items.flatMap((item) => inStatus(target).filter(({ id }) => id === item['id']));
  }
}
