/**
 * Types of what code asks of documents: conditions, fields, what is populated. They follow from the type of a document, in
 * which what is there only if it was populated may be missing. Nothing is known of a document of the type `any`, and then
 * anything goes.
 */

/** A value, or one of the values of a list. */
type Item<V> = NonNullable<V> extends readonly (infer E)[] ? E : NonNullable<V>;

/** What may be populated: relations, media, components and zones. */
export type Populatable<O> = string extends keyof O
  ? string
  : keyof { [K in keyof O as Partial<Pick<O, K>> extends Pick<O, K> ? K : never]: true } & string;

/** What may be named as a field. */
export type FieldOf<O> = string extends keyof O ? string : Exclude<keyof O & string, Populatable<O>>;

/** A document of which some attributes may be hidden, at every level. */
export type Seen<O> = { id: number; documentId: string } & SeenPart<O>;
type SeenPart<O> = { [K in keyof O]?: SeenValue<O[K]> };
type SeenValue<V> = V extends readonly (infer E)[]
  ? SeenValue<E>[]
  : V extends { __component: infer C; id: number }
    ? { __component: C; id: number } & SeenPart<V>
    : V extends { documentId: string }
      ? Seen<V>
      : V extends { id: number }
        ? { id: number } & SeenPart<V>
        : V;

/** A `Date`: by the one of its members that no editor proposes where an object is written. */
type Moment = Pick<Date, typeof Symbol.toPrimitive>;
type Plain = number | bigint | boolean | Moment | null;
/** Texts are compared with any, the literals being what an editor proposes. `X` is what other values are compared with, too. */
type Operand<V, X> = [V] extends [string]
  ? (string extends V ? never : V) | Plain | X | (string & Record<never, never>)
  : Plain | X;

type Flag = boolean | number | string;
interface Comparing<T> {
  $eq?: T | readonly T[];
  $ne?: T | readonly T[];
  $in?: T | readonly T[];
  $notIn?: T | readonly T[];
  $lt?: T | readonly T[];
  $lte?: T | readonly T[];
  $gt?: T | readonly T[];
  $gte?: T | readonly T[];
  $between?: readonly T[];
  $null?: Flag;
  $notNull?: Flag;
}
interface Operators<T> extends Comparing<T> {
  $eqi?: T | readonly T[];
  $nei?: T | readonly T[];
  $contains?: T | readonly T[];
  $notContains?: T | readonly T[];
  $containsi?: T | readonly T[];
  $notContainsi?: T | readonly T[];
  $startsWith?: T | readonly T[];
  $startsWithi?: T | readonly T[];
  $endsWith?: T | readonly T[];
  $endsWithi?: T | readonly T[];
  $and?: readonly Operators<T>[];
  $or?: readonly Operators<T>[];
  $not?: ValueTest<T>;
}
type ValueTest<T> = T | readonly T[] | Operators<T>;

interface Groups<C> {
  $and?: readonly C[];
  $or?: readonly C[];
  $not?: C;
}

/** Tests of a related row: of its fields, or of itself by its id. */
type RowConditions<O, X> = { [K in Testable<O>]?: Test<O[K], X> } & Comparing<Plain | X> & {
    $and?: readonly RowConditions<O, X>[];
    $or?: readonly RowConditions<O, X>[];
    $not?: RowTest<O, X>;
  };
type RowTest<O, X> = Plain | X | readonly (Plain | X)[] | RowConditions<O, X>;

/** All but zones and relations to any type. */
type Testable<O> = keyof { [K in keyof O as IsMixed<O[K]> extends true ? never : K]: true } & keyof O;
type IsMixed<V> = unknown extends V
  ? false
  : [Item<V>] extends [{ __component: string } | { __type: string }]
    ? true
    : false;
/** Of what has no type of its own anything is let through. */
type Test<V, X> = unknown extends V
  ? unknown
  : [Item<V>] extends [{ id: number }]
    ? RowTest<Item<V>, X>
    : [Item<V>] extends [object]
      ? unknown
      : ValueTest<Operand<NonNullable<V>, X>>;

/** A condition in the language of `filters` on documents of the type `O`. */
export type Condition<O, X> = { [K in Testable<O>]?: Test<O[K], X> } & Groups<Condition<O, X>>;

type Names<O, T> = Populatable<O> | `${Populatable<O>}${'.' | ','}${string}` | T;

/** As the parameter `populate`. `T` are texts that are let through whatever they name. */
export type Populate<O, T = never> =
  | '*'
  | ''
  | Names<O, T>
  | readonly Names<O, T>[]
  | { [K in Populatable<O>]?: boolean | '*' | PopulateOptions<K extends keyof O ? Item<O[K]> : unknown, T> };

type Fragments<E extends { __component: string }, T> = {
  [P in E as P['__component']]?: boolean | '*' | RelatedOptions<P, T>;
};

type PopulateOptions<E, T> = unknown extends E
  ? object
  : [E] extends [{ __component: string }]
    ? { on?: Fragments<E & { __component: string }, T>; populate?: '*' | ''; count?: boolean }
    : [E] extends [{ __type: string }]
      ? object
      : RelatedOptions<E, T>;

type Field<E, T> = '*' | FieldOf<E> | T;
interface RelatedOptions<E, T> {
  fields?: Field<E, T> | `${FieldOf<E>},${string}` | readonly Field<E, T>[];
  filters?: Condition<E, string | undefined>;
  sort?: string | readonly string[] | object;
  populate?: Populate<E, T>;
  count?: boolean;
}

/** A path from an account to a text, a number, a time or a choice: checked for a step, and open behind it. */
export type ValuePath<O> = string extends keyof O
  ? string
  : Leaf<O> | { [K in Step<O>]: `${K}.${Leaf<Item<O[K]>> | `${Step<Item<O[K]>>}.${string}`}` }[Step<O>];
type Leaf<O> = keyof {
  [K in keyof O as [NonNullable<O[K]>] extends [string | number | boolean] ? K : never]: true;
} &
  string;
/** What leads to rows of one type. */
type Step<O> = keyof { [K in keyof O as IsRow<Item<O[K]>> extends true ? K : never]: true } & keyof O & string;
type IsRow<E> = IsMixed<E> extends true ? false : [E] extends [{ id: number }] ? true : false;

/** Attributes that may be shown, those of components behind a dot. */
export type ReadName<O> = string extends keyof O
  ? string
  : OwnName<O> | { [K in Part<O>]: `${K}.${OwnName<Item<O[K]>> | `${Part<Item<O[K]>>}.${string}`}` }[Part<O>];
type OwnName<O> = Exclude<
  keyof O & string,
  'id' | 'documentId' | 'createdAt' | 'updatedAt' | 'publishedAt' | 'localizations'
>;

/** Attributes that may be written. `I` is what is written, which names all of them, and `O` tells what is a component. */
export type WriteName<O, I> = string extends keyof I
  ? string
  : (keyof I & string) | { [K in Part<O> & keyof I]: `${K}.${PartNames<Item<O[K]>, Item<I[K]>>}` }[Part<O> & keyof I];
type PartNames<O, I> = Exclude<keyof I & string, 'id'> | `${Part<O>}.${string}`;
/** What holds components of one kind. */
type Part<O> = keyof { [K in keyof O as IsPart<Item<O[K]>> extends true ? K : never]: true } & keyof O & string;
type IsPart<E> = [E] extends [{ documentId: string }] ? false : IsRow<E>;
