/** What a relation is written as: every form that names documents, and some that do not. */
import type { RelationAttribute } from '../../../src/schema/catalog.ts';
import type { Random } from '../../model/random.ts';
import { ABSENT } from './names.ts';
import { rowOf } from './step.ts';

type Entry = Record<string, unknown>;

/** Documents that an attribute may lead to, by name. */
export interface Targets {
  /** Types, more than one for relations to any type. */
  readonly uids: readonly string[];
  documentsOf(uid: string): readonly string[];
}

export const toMany = ({ relation }: RelationAttribute): boolean => /Many$/.test(relation);

export class Links {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A payload of one of the forms. `flawed` ones name what is not there, or in a way that is none. */
  payload(attribute: RelationAttribute, targets: Targets, flawed: boolean): unknown {
    const random = this.#random;
    if (flawed) return this.#flawed(attribute, targets);
    const entries = random
      .some(this.#known(targets), toMany(attribute) ? 3 : 1)
      .map((name) => this.#entry(name, attribute));
    if (attribute.target === undefined) return this.#polymorphic(attribute, targets);
    switch (random.below(6)) {
      case 0:
        return toMany(attribute) ? [] : null;
      case 1:
        return toMany(attribute) ? entries : (entries[0] ?? null);
      case 2:
        return { set: entries };
      case 3:
        return { disconnect: entries };
      default: {
        const leaving = random.chance(0.3)
          ? { disconnect: [this.#entry(random.pick(this.#known(targets)), attribute)] }
          : {};
        return { connect: this.#positioned(entries, attribute, targets), ...leaving };
      }
    }
  }

  #known({ uids, documentsOf }: Targets): readonly string[] {
    const known = uids.flatMap((uid) => documentsOf(uid));
    return known.length === 0 ? [ABSENT] : known;
  }

  #entry(name: string, _attribute: RelationAttribute): unknown {
    const random = this.#random;
    switch (random.below(8)) {
      case 0:
        return { documentId: name };
      case 1:
        return rowOf(name);
      case 2:
        return { id: rowOf(name) };
      default:
        return name;
    }
  }

  /** Entries with a place, which only lists have. */
  #positioned(entries: readonly unknown[], attribute: RelationAttribute, targets: Targets): unknown[] {
    if (!toMany(attribute)) return [...entries];
    return entries.map((entry) => {
      if (typeof entry !== 'string' || !this.#random.chance(0.5)) return entry;
      return { ...this.#identified(entry), position: this.#position(targets) };
    });
  }

  #identified = (entry: string): Entry => (entry.startsWith('@row') ? { id: entry } : { documentId: entry });

  #position(targets: Targets): Entry {
    const random = this.#random;
    const known = this.#known(targets);
    const choice = random.below(4);
    if (choice === 0) return { start: true };
    if (choice === 1) return { end: true };
    return { [choice === 2 ? 'before' : 'after']: random.pick(known) };
  }

  #polymorphic({ relation }: RelationAttribute, { uids, documentsOf }: Targets): unknown {
    const random = this.#random;
    const entry = (): Entry => {
      const uid = random.pick(uids.filter((one) => documentsOf(one).length > 0));
      return { __type: uid, documentId: random.pick(documentsOf(uid)) };
    };
    if (relation === 'morphToOne') return random.chance(0.2) ? null : entry();
    const entries = Array.from({ length: 1 + random.below(2) }, entry);
    switch (random.below(4)) {
      case 0:
        return entries;
      case 1:
        return { set: entries };
      case 2:
        return { disconnect: entries };
      default:
        return { connect: entries };
    }
  }

  #flawed(attribute: RelationAttribute, targets: Targets): unknown {
    const random = this.#random;
    const name = random.pick(this.#known(targets));
    const identified = attribute.target === undefined ? { __type: targets.uids[0] } : {};
    return random.pick<() => unknown>([
      () => ABSENT,
      () => [name, ABSENT],
      () => ({ connect: [{ ...identified, documentId: ABSENT }] }),
      () => ({ disconnect: [{ ...identified, documentId: ABSENT }] }),
      () => ({ connect: [{ ...identified, documentId: name, position: { before: ABSENT } }] }),
      () => ({ connect: [{ ...identified, documentId: name, position: { nowhere: true } }] }),
      () => ({ connect: [{ ...identified, documentId: name, surplus: 1 }] }),
      () => ({ surplus: [name] }),
      () => ({ set: [{ name: 'none' }] }),
      () => 987654,
      () => [987654],
      () => true,
      () => 'not an id',
      () => ({}),
      () => ({ set: null }),
    ])();
  }
}
