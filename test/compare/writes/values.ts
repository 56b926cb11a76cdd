/** Values of scalar attributes: such as a schema allows, and such as it does not. */
import type { ScalarAttribute } from '../../../src/schema/catalog.ts';
import type { Random } from '../../model/random.ts';

/** Texts that patterns of schemas may ask for. */
const CANDIDATES = ['ABC-12', 'XYZ-7', 'FR', 'DE', 'US', 'abc', 'Abc', '12', 'a-b', 'a@example.org'];
const WORDS = ['amber', 'Birch', 'cedar', 'Ärger', '日本', 'x y', '100%_'];

/** A value that the attribute takes, in one of the forms that stand for it. */
export function valid(random: Random, attribute: ScalarAttribute): unknown {
  const number = () => within(attribute, random.below(50));
  switch (attribute.type) {
    case 'string':
    case 'text':
    case 'richtext':
      return text(random, attribute);
    case 'email':
      return `${random.pick(['ann', 'bob'])}${random.below(9)}@example.org`;
    case 'password':
      return `secret-${random.below(9)}`;
    case 'uid':
      return `slug-${random.below(30)}`;
    case 'enumeration':
      return random.pick(attribute.enum);
    case 'integer':
      return random.pick([number(), String(number())]);
    case 'biginteger':
      return random.pick([number(), String(number()), '007', '-12', '9007199254740991']);
    case 'float':
      return random.pick([number(), number() + 0.5, `${number()}.25`]);
    case 'decimal':
      return random.pick([number(), number() + 0.25, `${number()}.5`]);
    case 'boolean':
      return random.pick([true, false, 'true', 'false', 1, 0]);
    case 'date':
      return `2024-0${1 + random.below(9)}-1${random.below(10)}`;
    case 'time':
      return random.pick(['07:08:09', '23:59:59.5', '00:00:00.000']);
    case 'datetime':
    case 'timestamp':
      return random.pick(['2024-05-06T07:08:09.000Z', '2024-05-06T09:08:09+02:00', 1714979289000, '1714979289000']);
    case 'json':
      return random.pick<unknown>([{ a: [1, { b: null }] }, [1, 'two', null], 'words', 7, {}, []]);
    case 'blocks':
      return [{ type: 'paragraph', children: [{ type: 'text', text: random.pick(WORDS) }] }];
  }
}

function text(random: Random, { regex, minLength = 0, maxLength = 255 }: ScalarAttribute): string {
  if (regex !== undefined) {
    const matching = CANDIDATES.filter((candidate) => new RegExp(regex).test(candidate));
    return matching.length === 0 ? 'no candidate' : random.pick(matching);
  }
  const value = `${random.pick(WORDS)} ${random.below(40)}`;
  return value.padEnd(minLength, '.').slice(0, maxLength);
}

const within = ({ min, max }: ScalarAttribute, value: number): number =>
  Math.min(Number(max ?? value), Math.max(Number(min ?? value), value));

/** Values that are of no use for a type; some of them are drafts' business. */
const INVALID: Readonly<Record<ScalarAttribute['type'], readonly unknown[]>> = {
  string: [7, true, {}, ['a'], 'x'.repeat(256), ''],
  text: [7, {}, [], ''],
  richtext: [7, {}, ['a']],
  email: ['nobody', '', 'a@b', 7],
  password: [7, {}],
  uid: ['not a slug!', '', 'ä', 7],
  enumeration: ['nothing', '', 7, ['a']],
  integer: [1.5, 'seven', '', true, {}, [], '1e3', ' 7 ', -1, 100000],
  biginteger: ['1.5', 'seven', '', true, {}],
  float: ['', 'seven', true, {}, 'NaN'],
  decimal: ['', 'seven', true, {}, -1],
  boolean: ['yes', 2, '', {}, []],
  date: ['2024-13-01', 'yesterday', '2024-02-30', '', 7, true, {}, '06.05.2024'],
  time: ['25:00:00', '7:00', 'noon', '', 7, true, {}],
  datetime: ['2024-13-01T00:00:00Z', 'now', '', true, {}, 'x1'],
  timestamp: ['now', '', {}],
  json: ['{"a":', ''],
  blocks: [[{ type: 'nothing' }], [{ type: 'paragraph' }], [{ type: 'paragraph', children: [{ type: 'text' }] }]],
};

/** A value that the attribute does not take, or only in a draft. */
export const invalid = (random: Random, attribute: ScalarAttribute): unknown => random.pick(INVALID[attribute.type]);
