/** What a client takes, by its `Accept…` headers (RFC 9110, section 12.5). */
import { lookup } from 'mime-types';

/** One entry of a header: `fr-CH;q=0.8`. */
interface Range {
  readonly name: string;
  /** Parameters of a content type, without its weight. */
  readonly parameters: readonly string[];
  /** Between 0, which refuses, and 1. */
  readonly weight: number;
}

/** How closely a range means a name, more where it says more; undefined where it does not. */
type Closeness = (range: Range, name: string) => number | undefined;

function rangesOf(header: string): Range[] {
  return header.split(',').flatMap((entry) => {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
    if (name === '') return [];
    const weight = parameters.find((one) => /^q=/i.test(one));
    const others = parameters.filter((one) => one !== weight).map((one) => one.toLowerCase());
    return [{ name, parameters: others, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 }];
  });
}

/** Which of some names are taken, those that are liked best first. */
function taken(ranges: readonly Range[], names: readonly string[], closeness: Closeness): string[] {
  const found = names.flatMap((name) => {
    const meant = ranges.flatMap((range, at) => {
      const close = closeness(range, name);
      return close === undefined ? [] : [{ name, close, weight: range.weight, at }];
    });
    // what says most of a name decides, even where it refuses
    const [first] = meant.sort((a, b) => b.close - a.close || b.weight - a.weight || a.at - b.at);
    return first && first.weight > 0 ? [first] : [];
  });
  return found.sort((a, b) => b.weight - a.weight || b.close - a.close || a.at - b.at).map(({ name }) => name);
}

/** The names of a header itself, those that are liked best first. */
const said = (ranges: readonly Range[]): string[] =>
  ranges
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ name }) => name);

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const byName: Closeness = ({ name: range }, name) => (isSame(range, name) ? 1 : range === '*' ? 0 : undefined);
const prefixOf = (language: string): string => language.split('-', 1)[0]!;

/** `en` means `en-US`, and is meant by it, less closely than itself. */
const byLanguage: Closeness = ({ name: range }, name) => {
  if (isSame(range, name)) return 4;
  if (isSame(prefixOf(range), name)) return 2;
  if (isSame(range, prefixOf(name))) return 1;
  return range === '*' ? 0 : undefined;
};

const byType: Closeness = ({ name: range, parameters }, type) => {
  const [whole = '', ...own] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const [[main, sub], [wantedMain, wantedSub]] = [whole.split('/'), range.toLowerCase().split('/')];
  if (!(wantedMain === main || wantedMain === '*') || !(wantedSub === sub || wantedSub === '*')) return undefined;
  if (!parameters.every((one) => own.includes(one))) return undefined;
  return (wantedMain === main ? 4 : 0) + (wantedSub === sub ? 2 : 0) + (parameters.length > 0 ? 1 : 0);
};

/** The best of some names, or all that a header has where none are asked for; false where none is taken. */
function bestOf(ranges: readonly Range[], names: readonly string[], closeness: Closeness): string | string[] | false {
  return names.length === 0 ? said(ranges) : (taken(ranges, names, closeness)[0] ?? false);
}

export function acceptedLanguages(header: string, names: readonly string[]): string | string[] | false {
  return bestOf(rangesOf(header || '*'), names, byLanguage);
}

export function acceptedCharsets(header: string, names: readonly string[]): string | string[] | false {
  return bestOf(rangesOf(header || '*'), names, byName);
}

/** What is not encoded is taken unless it is refused, and liked least. */
export function acceptedEncodings(header: string, names: readonly string[]): string | string[] | false {
  const ranges = rangesOf(header);
  const isNamed = ranges.some((range) => byName(range, 'identity') !== undefined);
  const least = Math.min(1, ...ranges.map(({ weight }) => weight || 1));
  return bestOf(isNamed ? ranges : [...ranges, { name: 'identity', parameters: [], weight: least }], names, byName);
}

/** @param types content types, or what stands for them: `json`, `.html`. */
export function acceptedTypes(header: string, types: readonly string[]): string | string[] | false {
  const ranges = rangesOf(header || '*/*');
  if (types.length === 0) return said(ranges);
  if (header === '') return types[0]!;
  const known = types.flatMap((type) => {
    const name = type.includes('/') ? type : lookup(type);
    return name === false ? [] : [{ type, name }];
  });
  const [best] = taken(
    ranges,
    known.map(({ name }) => name),
    byType,
  );
  return known.find(({ name }) => name === best)?.type ?? false;
}
