/** What a gain map or a film needs of the XMP of an image (ISO 16684-1). */

/** One declaration, tag or text. */
const TOKEN = /<\?[^?]*\?>|<(\/?)([\w-]+):([\w-]+)((?:\s+[\w:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|[^<]+/y;
const ATTRIBUTE = /([\w-]+)(:[\w-]+)?\s*=\s*("[^"<]*"|'[^'<]*')/g;
/** Prefixes of elements and attributes that stay. */
const PREFIXES: ReadonlySet<string> = new Set('x rdf xmlns hdrgm Container Item GCamera HDRGainMap apdi'.split(' '));
/** Longer values are data of the camera. */
const VALUE_LENGTH = 100;
const NUMBERS = /^(?:[\s\d.,eE+-]*|\s*(?:true|false)\s*)$/i;

/**
 * The XMP without everything that does not describe a gain map or a film: it is never longer.
 *
 * @returns undefined for XMP that is not read here, of which nothing should stay.
 */
export function clearXmp(xmp: string): string | undefined {
  let cleared = '';
  // elements that are open inside of one that is dropped
  let dropped = 0;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < xmp.length) {
    const match = TOKEN.exec(xmp);
    if (!match) return undefined;
    const [token, closes, prefix, name, attributes = '', isEmpty] = match;
    if (prefix === undefined) {
      const stays = token.startsWith('<?xpacket') || NUMBERS.test(token);
      if (dropped === 0 && stays) cleared += token;
    } else if (dropped > 0 || !PREFIXES.has(prefix)) {
      if (!isEmpty) dropped += closes ? -1 : 1;
      if (dropped < 0) return undefined;
    } else {
      cleared += `<${closes}${prefix}:${name}${attributesOf(attributes)}${isEmpty}>`;
    }
  }
  return cleared.trimEnd();
}

function attributesOf(attributes: string): string {
  let kept = '';
  for (const [whole, prefix, , value] of attributes.matchAll(ATTRIBUTE)) {
    if (PREFIXES.has(prefix!) && prefix !== 'x' && value!.length <= VALUE_LENGTH) kept += ` ${whole}`;
  }
  return kept;
}
