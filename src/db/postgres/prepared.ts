/** Which statements of a connection are prepared by name: those used most recently, and more than once. */
import type pg from 'pg';
import { KEPT_TEXT, Recent, textWeight } from '../../recent.ts';

/** Statements prepared on one connection. */
const STATEMENTS = 500;
/** Texts remembered as used once. */
const TEXTS = 2000;

/** pg's own record of a connection: name → text of what the server has parsed. */
interface Parsed {
  readonly connection: { readonly parsedStatements: Record<string, string | undefined> };
}

/** Texts that were used before, by any connection. */
export class Prepared {
  readonly #seen = new Recent<string, true>(
    TEXTS,
    textWeight((text) => text.length),
  );
  readonly #names = new WeakMap<pg.PoolClient, Recent<string, string>>();
  /** A name is never given twice, so that none can mean another text. */
  #next = 0;

  /** The name to run a text by on a connection; undefined: it is parsed for this one time. */
  nameOf(client: pg.PoolClient, text: string): string | undefined {
    if (text.length > KEPT_TEXT) return undefined;
    let names = this.#names.get(client);
    if (!names) {
      names = new Recent(
        STATEMENTS,
        textWeight((key) => key.length),
      );
      this.#names.set(client, names);
    }
    const known = names.get(text);
    if (known !== undefined) return known;
    if (!this.#seen.get(text)) {
      this.#seen.set(text, true);
      return undefined;
    }
    const name = `galley_${this.#next++}`;
    for (const old of names.set(text, name)) forget(client, old);
    return name;
  }
}

/** Ends a prepared statement, before whatever is asked of the connection next. */
function forget(client: pg.PoolClient, name: string): void {
  const { parsedStatements } = (client as unknown as Parsed).connection;
  // a statement that the server refused is not there: ending it would end the transaction
  if (parsedStatements[name] === undefined) return;
  client.query(`deallocate ${name}`).then(
    () => {
      delete parsedStatements[name];
    },
    () => {},
  );
}
