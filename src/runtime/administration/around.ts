/**
 * Code of a project around operations of administrators: as in Strapi's panel, their reads and writes of documents run
 * document middlewares and lifecycles.
 */
import type { ModuleLoader } from '../../config/modules/loader.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { AROUND_WRITES, type DocumentAction, type OwnOperation, type Row } from '../documents/document-actions.ts';
import type { ProjectDocuments } from '../documents/documents.ts';
import type { Params } from '../documents/lifecycles.ts';
import { CodeError } from '../registry.ts';
import { refusalOf } from '../requests/strapi-errors.ts';

export class Around {
  readonly #documents: ProjectDocuments;
  readonly #loader: () => ModuleLoader;

  constructor(documents: ProjectDocuments, loader: () => ModuleLoader) {
    this.#documents = documents;
    this.#loader = loader;
  }

  /** Whether code stands around reads of a type, of lists or of one document. */
  reads({ uid }: ContentType): boolean {
    return this.#documents.isTouched(uid, 'FindMany', 'FindOne', 'Count');
  }

  /** Whether code stands around writes of a type. */
  writes({ uid }: ContentType): boolean {
    return this.#documents.isTouched(uid, ...AROUND_WRITES);
  }

  /**
   * Runs an operation with the code around it.
   *
   * @param own the read or write, which the code may prevent.
   * @throws ContentError also if the code refuses the operation; CodeError for any other error of the code.
   */
  async run(type: ContentType, action: DocumentAction, params: Params, own: OwnOperation): Promise<unknown> {
    try {
      return await this.#documents.run(type, action, params, own);
    } catch (error) {
      const purpose = `${action} of ${type.uid} in the administration`;
      throw refusalOf(error) ?? new CodeError(error, purpose, this.#loader());
    }
  }

  /** Versions of a document as code knows them. */
  rows(type: ContentType, params: Params): Promise<readonly Row[]> {
    return this.#documents.rows(type, params);
  }
}
