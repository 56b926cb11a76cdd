/** The names of an episode's documents on either side: ids that the servers drew are made equal by their names. */
import type { Answer, Request } from '../servers.ts';

/** Looks up what a name like `@row …` or `@part …` stands for. */
export type Lookup = (name: string) => unknown;

/** A document id that no document has. */
export const ABSENT = 'absentabsentabsentabsent';

export class Names {
  readonly #ids = new Map<string, string>();
  readonly #origin: ReadonlySet<string>;

  /** `origin` holds the ids that are the same on both sides. */
  constructor(origin: ReadonlySet<string>) {
    this.#origin = origin;
  }

  /** Remembers that a name stands for a document id. */
  set(name: string, documentId: string): void {
    this.#ids.set(name, documentId);
  }

  /** Whether a document id has a name, or is its own. */
  knows(documentId: string): boolean {
    return this.#origin.has(documentId) || [...this.#ids.values()].includes(documentId);
  }

  /** The document id behind a name. */
  idOf(name: string): string {
    return name.startsWith('@') ? (this.#ids.get(name) ?? ABSENT) : name;
  }

  /** The request with ids in place of names. */
  bind(request: Request, lookup: Lookup): Request {
    const path = request.path.replace(/@\d+$/, (name) => this.idOf(name));
    return { ...request, path, ...(request.body === undefined ? {} : { body: this.#bound(request.body, lookup) }) };
  }

  #bound(value: unknown, lookup: Lookup): unknown {
    if (typeof value === 'string') {
      if (/^@\d+$/.test(value)) return this.idOf(value);
      return value.startsWith('@') ? lookup(value) : value;
    }
    if (Array.isArray(value)) return value.map((item) => this.#bound(item, lookup));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#bound(item, lookup)]));
  }

  /** The answer with names in place of the ids that this side drew. */
  named({ status, body }: Answer): Answer {
    let text = JSON.stringify(body) ?? 'null';
    for (const [name, id] of this.#ids) text = text.replaceAll(id, name);
    return { status, body: JSON.parse(text) };
  }
}
