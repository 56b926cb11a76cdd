/**
 * Private values of any objects. A WeakMap would keep its values for longer: a collection of young objects alone does not
 * remove them, even if the key is unreachable.
 */

/** A constructor that gives the object it is called with, so that a class below it adds its fields to that object. */
class Given {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: fields are added to what a constructor returns
    return object;
  }
}

/** A field of any objects, which only its owner can read. */
export interface HiddenField<K extends object, V> {
  /** The object itself, or the nearest one that it inherits from, that has the field; undefined for a proxy of one. */
  holder(object: object): K | undefined;
  get(object: K): V | undefined;
  set(object: K, value: V): void;
}

export function hiddenField<K extends object, V>(): HiddenField<K, V> {
  return class Field extends Given {
    #value: V;

    constructor(object: K, value: V) {
      super(object);
      this.#value = value;
    }

    static holder(object: object): K | undefined {
      let holder: object | null = object;
      while (holder && !(#value in holder)) holder = Object.getPrototypeOf(holder) as object | null;
      return (holder ?? undefined) as K | undefined;
    }

    static get(object: K): V | undefined {
      return #value in object ? object.#value : undefined;
    }

    static set(object: K, value: V): void {
      if (#value in object) object.#value = value;
      else new Field(object, value);
    }
  };
}
