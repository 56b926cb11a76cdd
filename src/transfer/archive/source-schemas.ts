/** The schemas of an archive, compared with those of the project. */

import { isObject, type JsonObject, objectOrEmpty } from '../../plain-values.ts';
import { type Catalog, type ContentType, isScalar, type Model } from '../../schema/catalog.ts';
import type { ReportFinding } from '../rows.ts';

/** The options of a content type that decide which rows its documents have. */
export interface Switches {
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
}

export class SourceSchemas {
  readonly #catalog: Catalog;
  readonly #schemas = new Map<string, JsonObject>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  add(schema: JsonObject): void {
    if (typeof schema.uid === 'string') this.#schemas.set(schema.uid, schema);
  }

  get isEmpty(): boolean {
    return this.#schemas.size === 0;
  }

  /** The options of the content types in the archive that the project has as well. */
  get switches(): ReadonlyMap<string, Switches> {
    const own = [...this.#schemas].filter(([uid]) => this.#catalog.contentTypes.has(uid));
    return new Map(own.map(([uid, schema]) => [uid, switchesOf(schema)]));
  }

  /** Reports a content type with rows whose options differ. */
  compare(type: ContentType, place: string, report: ReportFinding): void {
    const schema = this.#schemas.get(type.uid);
    if (!schema) return;
    const theirs = switchesOf(schema);
    const pairs = [
      ['drafts', 'draftAndPublish'],
      ['locales', 'localized'],
    ] as const;
    for (const [name, option] of pairs) {
      if (theirs[option] === type[option]) continue;
      const [source, own] = [theirs[option] ? 'on' : 'off', type[option] ? 'on' : 'off'];
      const message = `${name} are ${source} in the archive and ${own} in the project: the rows are taken as they are`;
      report({ kind: 'changed-type', place, type: type.uid, attribute: option, count: 0, message });
    }
  }

  /** The attributes of a model that the archive lacks. */
  missingIn(model: Model): string[] {
    const attributes = this.#schemas.get(model.uid)?.attributes;
    if (!isObject(attributes)) return [];
    const wanted = [...model.attributes.values()].filter((one) => !one.managed && (isScalar(one) || isOwn(one)));
    return wanted.map(({ name }) => name).filter((name) => !Object.hasOwn(attributes, name));
  }
}

const isOwn = (attribute: { readonly type: string; readonly owner?: boolean }): boolean =>
  attribute.type !== 'relation' || attribute.owner === true;

function switchesOf({ options, pluginOptions }: JsonObject): Switches {
  const { i18n } = objectOrEmpty(pluginOptions);
  return {
    draftAndPublish: objectOrEmpty(options).draftAndPublish === true,
    localized: objectOrEmpty(i18n).localized === true,
  };
}
