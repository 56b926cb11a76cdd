/** Reads the size of an SVG drawing from its root element as text. Nothing is run, rendered or fetched. */

/** Pixels per unit at 72 dots per inch, as in the reference's renderer; a bare number means pixels. */
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  pt: 1,
  pc: 12,
  in: 72,
  cm: 72 / 2.54,
  mm: 72 / 25.4,
  // of the renderer's default font
  em: 12,
  ex: 6,
};
const LARGEST = 2 ** 31 - 1;

export interface DrawingSize {
  readonly width: number | null;
  readonly height: number | null;
}

/**
 * The size of a drawing: its `width` and `height`; if one is missing or relative, it follows from the proportions of
 * `viewBox`. Undefined for other files; null values if there is no size.
 */
export function drawingSize(prefix: Buffer): DrawingSize | undefined {
  const root = rootElement(decodeText(prefix));
  if (root === undefined) return undefined;
  const [, , boxWidth, boxHeight] = (root.get('viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const box = boxWidth! > 0 && boxHeight! > 0 ? { width: boxWidth!, height: boxHeight! } : undefined;
  let width = lengthOf(root.get('width'));
  let height = lengthOf(root.get('height'));
  if (box) {
    if (width === undefined && height === undefined) ({ width, height } = box);
    width ??= (height! * box.width) / box.height;
    height ??= (width * box.height) / box.width;
  }
  return { width: pixels(width), height: pixels(height) };
}

function pixels(length: number | undefined): number | null {
  if (length === undefined) return null;
  const rounded = Math.round(length);
  return rounded >= 1 && rounded <= LARGEST ? rounded : null;
}

function lengthOf(text: string | undefined): number | undefined {
  const match = /^\+?(\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+)\s*([a-z]*)$/i.exec((text ?? '').trim());
  const unit = match ? UNITS[match[2]!.toLowerCase()] : undefined;
  const length = unit === undefined ? 0 : Number(match![1]) * unit;
  return length > 0 ? length : undefined;
}

function decodeText(prefix: Buffer): string {
  if (prefix[0] === 0xff && prefix[1] === 0xfe) return prefix.toString('utf16le', 2);
  return prefix.toString('utf8').replace(/^\ufeff/, '');
}

/** The attributes of the root element if it is `svg`; declarations before it are skipped. */
function rootElement(text: string): Map<string, string> | undefined {
  let at = 0;
  for (;;) {
    while (/\s/.test(text[at] ?? '')) at++;
    const end = text.startsWith('<?', at)
      ? after(text, '?>', at)
      : text.startsWith('<!--', at)
        ? after(text, '-->', at)
        : text.startsWith('<!DOCTYPE', at)
          ? afterDoctype(text, at)
          : undefined;
    if (end === undefined) break;
    at = end;
  }
  const name = /^<(?:[\w.-]+:)?svg(?=[\s/>])/.exec(text.slice(at, at + 100));
  if (!name) return undefined;
  const attributes = new Map<string, string>();
  const attribute = /\s+([^\s=/>"'<]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
  attribute.lastIndex = at + name[0].length;
  for (let match = attribute.exec(text); match; match = attribute.exec(text)) {
    if (!attributes.has(match[1]!)) attributes.set(match[1]!, match[2] ?? match[3]!);
  }
  return attributes;
}

/** The position after the next `mark`; the end of the text if there is none. */
function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found + mark.length;
}

/** A document type ends at the first `>` outside of its internal subset. */
function afterDoctype(text: string, from: number): number {
  const close = after(text, '>', from);
  const subset = text.indexOf('[', from);
  if (subset < 0 || subset > close) return close;
  return after(text, '>', after(text, ']', subset));
}
