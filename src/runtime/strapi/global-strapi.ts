/** `strapi` as a name: a global one, which packages that code uses may look for, and that of files which others load. */

/** The loaders of the project's files. */
interface Files {
  readonly giveStrapi: (strapi: object) => void;
}

export class GlobalStrapi {
  readonly #strapi: object;
  /** The previous value, of a project that stays served if this one fails to start. */
  #before: unknown;

  constructor(strapi: object, files: readonly (Files | undefined)[]) {
    this.#strapi = strapi;
    for (const loaded of files) loaded?.giveStrapi(strapi);
    this.#before = named();
    define(strapi);
  }

  /** The project is served: the one before is not named again. */
  keep(): void {
    this.#before = undefined;
  }

  /** Takes the name away, unless another project has it by now. */
  remove(): void {
    if (named() !== this.#strapi) return;
    if (this.#before === undefined) Reflect.deleteProperty(globalThis, 'strapi');
    else define(this.#before);
  }
}

const named = (): unknown => (globalThis as { strapi?: unknown }).strapi;

function define(value: unknown): void {
  Object.defineProperty(globalThis, 'strapi', { value, configurable: true, writable: true });
}
