/**
 * Values that objects have without anybody seeing them: a WeakMap whose values are collected with their keys, while both are
 * young. A value of a WeakMap that leads to its key, or is as short-lived, outlives collections of young objects.
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
  has(object: object): boolean;
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

    static has(object: object): boolean {
      return #value in object;
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
