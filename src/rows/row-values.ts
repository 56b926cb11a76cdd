/** Turns the cells of rows into the data of writes, and collects what is wrong in each. */
import type { Viewer } from '../access/view.ts';
import type { DocumentReader } from '../content/reading/reader.ts';
import { ContentError, cut } from '../errors.ts';
import { because, failureLimits, type Sentence } from '../failures.ts';
import { type Reason, reasonOfFailure } from '../reasons.ts';
import { type ContentType, isScalar, isToMany } from '../schema/catalog.ts';
import { keyOfText, textOfOne, textsOfCell, unescapeFormula, valueOfText, WrongCell } from './cells.ts';
import { linkedType } from './columns.ts';
import { type Found, FoundDocuments } from './found-documents.ts';
import type { RowProblem } from './imports.ts';
import type { ImportOptions, Target, Targets } from './mapping.ts';
import { type FileRow, fileLimits } from './reading.ts';

/** A row with its data, unless it has problems. */
export interface ValuedRow {
  readonly row: number;
  /** The value by which its document is found; undefined without one. */
  readonly key: string | undefined;
  /** Undefined on types without locales. */
  readonly locale: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  readonly problems: readonly RowProblem[];
}

type Link = Extract<Target, { kind: 'link' }>;

export class RowValues {
  readonly #type: ContentType;
  readonly #targets: Targets;
  readonly #options: ImportOptions;
  readonly #locale: string | undefined;
  readonly #isTyped: boolean;
  readonly #hasLocale: (code: string) => boolean | Promise<boolean>;
  readonly #viewer: Viewer;
  readonly #finders = new Map<string, FoundDocuments>();
  readonly #reader: DocumentReader;

  /**
   * @param viewer finds linked documents.
   * @param locale of rows that name none; undefined on types without locales.
   * @param isTyped whether cells are values of JSON, and not texts.
   */
  constructor(
    context: {
      readonly reader: DocumentReader;
      readonly hasLocale: (code: string) => boolean | Promise<boolean>;
    },
    {
      type,
      targets,
      options,
      locale,
      isTyped,
    }: {
      readonly type: ContentType;
      readonly targets: Targets;
      readonly options: ImportOptions;
      readonly locale: string | undefined;
      readonly isTyped: boolean;
    },
    viewer: Viewer,
  ) {
    this.#reader = context.reader;
    this.#hasLocale = context.hasLocale;
    this.#type = type;
    this.#targets = targets;
    this.#options = options;
    this.#locale = locale;
    this.#isTyped = isTyped;
    this.#viewer = viewer;
  }

  /** The data of some rows, whose links are looked up together. */
  async of(rows: readonly FileRow[]): Promise<ValuedRow[]> {
    const valued: { row: ValuedRow; links: { link: Link; column: number; texts: readonly string[] }[] }[] = [];
    for (const row of rows) valued.push(await this.#valued(row));
    const found = new Map<string, ReadonlyMap<string, Found>>();
    const all = valued.flatMap(({ links, row }) => links.map((one) => ({ ...one, locale: row.locale })));
    for (const [name, same] of Map.groupBy(all, ({ link, locale }) => this.#nameOf(link, locale))) {
      const { link, locale } = same[0]!;
      const finder = this.#finderOf(link);
      if (finder)
        found.set(
          name,
          await finder.of(
            same.flatMap(({ texts }) => texts),
            this.#localeOf(link, locale),
          ),
        );
    }
    return valued.map(({ row, links }) => {
      const problems = [...row.problems];
      const data = { ...row.data };
      for (const { link, column, texts } of links) {
        const { name } = link.attribute;
        const ids = texts.flatMap((text) => {
          const documents = found.get(this.#nameOf(link, row.locale))?.get(text);
          if (documents instanceof ContentError) {
            problems.push(problemOf(column, documents.message, link.name, text));
            return [];
          }
          if (documents?.length === 1) return [documents[0]!];
          if (!documents && this.#isById(link)) return [text];
          const code = documents && documents.length > 1 ? 'linkSeveral' : 'linkUnknown';
          const value = cut(text, failureLimits.quotation);
          const said =
            code === 'linkSeveral' ? `several documents have the value ${value}` : `no document has the value ${value}`;
          problems.push(problemOf(column, because(said, code, { value })));
          return [];
        });
        if (ids.length > 1 && !isMany(this.#type, link)) {
          problems.push(problemOf(column, `${name} links only one document`));
        }
        data[name] = linkValue(this.#type, link, ids);
      }
      return { ...row, data, problems };
    });
  }

  async #valued({ row, cells, isBroken }: FileRow) {
    const problems: RowProblem[] = [];
    const data: Record<string, unknown> = {};
    const links: { link: Link; column: number; texts: readonly string[] }[] = [];
    let key: string | undefined;
    let locale = this.#locale;
    if (isBroken) problems.push(problemOf(null, 'The row has no values that belong to the columns'));
    for (const [column, target] of this.#targets.entries()) {
      const cell = cells[column];
      if (target === null || cell === undefined) continue;
      try {
        const { clears, key: ofDocument } = this.#options;
        const isEmpty = cell === null || (typeof cell === 'string' && cell.trim() === '');
        if (typeof cell === 'string' && cell.length > fileLimits.cell) {
          const limit = fileLimits.cell;
          throw new WrongCell(
            because((label) => `${label} must have at most ${limit} characters`, 'cellLong', { limit }),
          );
        }
        if (target.kind === 'documentId') key = isEmpty ? undefined : textOfOne(cell).trim();
        else if (target.kind === 'locale') {
          if (!isEmpty) locale = await this.#localeIn(textOfOne(cell).trim());
        } else if (isEmpty && !clears) continue;
        else if (target.kind === 'link') links.push({ link: target, column, texts: this.#textsOf(target, cell) });
        else data[target.attribute.name] = this.#valueOf(target, cell);
        if (target.name === ofDocument && target.kind === 'field') {
          if (isEmpty) throw new WrongCell(because('The row needs a value to find its document by', 'keyMissing'));
          key = textOfOne(data[target.attribute.name]);
        }
      } catch (error) {
        if (!(error instanceof WrongCell)) throw error;
        problems.push(problemOf(column, error.sentence, target.name, cell));
      }
    }
    return { row: { row, key, locale, data, problems }, links };
  }

  #valueOf(target: Extract<Target, { kind: 'field' | 'part' }>, cell: unknown): unknown {
    if (typeof cell !== 'string' || this.#isTyped) return cell;
    const { attribute } = target;
    if (target.kind === 'field') return valueOfText(target.attribute, cell, this.#options);
    if (attribute.type === 'media') return textsOfCell(cell).map(Number);
    return valueOfText({ type: 'json' }, unescapeFormula(cell), this.#options);
  }

  #textsOf({ attribute, by }: Link, cell: unknown): readonly string[] {
    if (typeof cell !== 'string') return textsOfCell(cell);
    if (this.#isTyped) return [cell];
    const field = linkedType(this.#viewer.view, attribute)?.attributes.get(by);
    const texts = textsOfCell(unescapeFormula(cell.trim()));
    return field && isScalar(field) ? texts.map((text) => keyOfText(field, text, this.#options)) : texts;
  }

  async #localeIn(code: string): Promise<string> {
    if (await this.#hasLocale(code)) return code;
    throw new WrongCell(because(`The locale ${cut(code, failureLimits.quotation)} does not exist`, 'localeOther'));
  }

  #isById({ by }: Link): boolean {
    return by === 'documentId' || by === 'id';
  }

  #nameOf({ name }: Link, locale: string | undefined): string {
    return `${name} ${locale ?? ''}`;
  }

  /** The locale in which linked documents are found. */
  #localeOf({ attribute, by }: Link, locale: string | undefined): string | undefined {
    const type = linkedType(this.#viewer.view, attribute);
    return type?.localized && type.attributes.get(by)?.localized ? locale : undefined;
  }

  #finderOf(link: Link): FoundDocuments | undefined {
    const { attribute, by, name } = link;
    const { view } = this.#viewer;
    const type = attribute.type === 'media' ? undefined : linkedType(view, attribute);
    // the writer looks for what is hidden from the administrator
    if (!type || !view.of(type).isSeen) return undefined;
    const known = this.#finders.get(name) ?? new FoundDocuments(this.#reader, this.#viewer, type, by);
    this.#finders.set(name, known);
    return known;
  }
}

const isMany = (type: ContentType, { attribute }: Link): boolean => isToMany(type, attribute.name);

function linkValue(type: ContentType, link: Link, ids: readonly string[]): unknown {
  if (link.attribute.type === 'relation') return { set: ids.map((documentId) => ({ documentId })) };
  const files = ids.map((id) => (/^\d{1,15}$/.test(id) ? Number(id) : id));
  return isMany(type, link) ? files : (files[0] ?? null);
}

/** A problem of a cell. @param name of the target, as the label of the message. */
export function problemOf(column: number | null, sentence: Sentence, name = '', cell?: unknown): RowProblem {
  const { said, why } = typeof sentence === 'object' ? sentence : { said: sentence, why: undefined };
  const message = cut(typeof said === 'string' ? said : said(name), failureLimits.value);
  const value = typeof cell === 'string' ? cell : cell === undefined ? undefined : JSON.stringify(cell);
  return { column, message, ...shown(why, value) };
}

const shown = (reason: Reason | undefined, value: string | undefined) => ({
  ...(reason && { reason }),
  ...(value !== undefined && { value: cut(value, failureLimits.quotation) }),
});

/** The problems of a row that a write has refused, each with its column. */
export function problemsOf(error: ContentError, targets: Targets, cells: readonly unknown[]): RowProblem[] {
  const failures = error.details?.['errors'];
  const columnOf = (name: unknown): number | null => {
    const index = targets.findIndex((target) => target?.name.split('.')[0] === name);
    return index < 0 ? null : index;
  };
  const valueAt = (column: number | null): string | undefined => {
    const cell = column === null ? undefined : cells[column];
    return cell === undefined || cell === null ? undefined : typeof cell === 'string' ? cell : JSON.stringify(cell);
  };
  if (!Array.isArray(failures) || failures.length === 0) {
    const path = error.details?.['path'] ?? error.details?.['key'] ?? error.reason?.path;
    const column = typeof path === 'string' ? columnOf(path.split('.')[0]) : null;
    return [{ column, message: cut(error.message, failureLimits.value), ...shown(error.reason, valueAt(column)) }];
  }
  return failures.map((failure: { readonly path?: readonly unknown[]; readonly message?: unknown }) => {
    const column = columnOf(failure.path?.[0]);
    const message = cut(String(failure.message ?? error.message), failureLimits.value);
    return { column, message, ...shown(reasonOfFailure(failure), valueAt(column)) };
  });
}
