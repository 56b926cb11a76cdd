/** Random episodes: writes that follow one another, made before any of them is sent, so that a seed repeats them. */
import type { Catalog, ContentType } from '../../../src/schema/catalog.ts';
import type { Random } from '../../model/random.ts';
import { typesOf } from '../samples.ts';
import { type Known, Payloads } from './payloads.ts';
import { fullPopulate } from './state.ts';
import { createdBy, type Episode, LOCALES, type Step } from './step.ts';

export class Episodes {
  readonly #catalog: Catalog;
  readonly #origin: Known;
  readonly #random: Random;

  constructor(catalog: Catalog, origin: Known, random: Random) {
    this.#catalog = catalog;
    this.#origin = origin;
    this.#random = random;
  }

  next(length: number): Episode {
    const documents = new Map([...this.#origin.documents].map(([uid, names]) => [uid, [...names]]));
    const payloads = new Payloads(this.#catalog, this.#random, { documents, files: this.#origin.files });
    // writes of a few types and documents meet more often
    const types = this.#random.some(typesOf(this.#catalog), 4);
    if (types.length === 0) types.push(this.#random.pick(typesOf(this.#catalog)));
    for (const [uid, names] of documents) documents.set(uid, this.#random.some(names, 4));
    return Array.from({ length }, (_, number) => {
      const step = this.#step(number, this.#random.pick(types), documents, payloads);
      if (step.method === 'POST') documents.get(step.type.uid)?.push(createdBy(number));
      return step;
    });
  }

  #step(number: number, type: ContentType, documents: ReadonlyMap<string, string[]>, payloads: Payloads): Step {
    const random = this.#random;
    const single = type.kind === 'singleType';
    const names = documents.get(type.uid) ?? [];
    const choice = random.below(10);
    const method = choice === 0 ? 'DELETE' : !single && (choice <= 3 || names.length === 0) ? 'POST' : 'PUT';
    const document =
      method === 'POST' || single
        ? {}
        : { document: random.chance(0.98) && names.length > 0 ? random.pick(names) : 'nosuchdocumentnosuchdocu' };
    const params = [...this.#status(type), ...this.#locale(type)];
    if (method === 'DELETE') return { number, method, type, ...document, params };
    const data = this.#data(type, method, params, payloads);
    return { number, method, type, ...document, params: [...params, ...this.#answer(type)], data };
  }

  #data(
    type: ContentType,
    method: 'POST' | 'PUT',
    params: readonly string[],
    payloads: Payloads,
  ): Record<string, unknown> {
    const random = this.#random;
    const extent = method === 'POST' ? { chance: 0.5, whole: true } : { chance: 0.2, whole: false };
    // another version takes localized attributes alone when it is made
    const version = type.localized && method === 'PUT' && params.some((param) => /^locale=(fr|de)/.test(param));
    const only = version && random.chance(0.7) ? { only: ({ localized }: { localized: boolean }) => localized } : {};
    const data = payloads.of(type, { ...extent, ...(version ? { whole: true } : {}), ...only }, method === 'PUT');
    // of two mistakes either may be told
    return !params.includes('locale[0]=en') && random.chance(0.15) ? payloads.flawed(type, data) : data;
  }

  #status({ draftAndPublish }: ContentType): string[] {
    const random = this.#random;
    const choice = random.below(20);
    if (choice === 0) return [`status=${random.pick(['', 'nothing', 'Published'])}`];
    if (choice < (draftAndPublish ? 10 : 3)) return ['status=draft'];
    return choice < 14 ? ['status=published'] : [];
  }

  #locale({ localized }: ContentType): string[] {
    const random = this.#random;
    if (!localized) return random.chance(0.05) ? [`locale=${random.pick(LOCALES)}`] : [];
    if (random.chance(0.04)) return [random.pick(['locale=', 'locale=xx', 'locale=*', 'locale[0]=en'])];
    return random.chance(0.5) ? [`locale=${random.pick(LOCALES)}`] : [];
  }

  /** What the answer is to show. */
  #answer(type: ContentType): string[] {
    const random = this.#random;
    if (random.chance(0.4)) return [];
    return random.chance(0.5) ? ['populate=*'] : fullPopulate(this.#catalog, type, 'populate');
  }
}
