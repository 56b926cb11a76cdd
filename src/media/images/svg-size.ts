/**
 * The size that an SVG drawing names. Only its root element is read, as text: nothing of it is run, rendered or
 * fetched.
 */

/** Pixels of one unit at 72 dots an inch, as the reference's renderer counts; a bare number is pixels. */
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  pt: 1,
  pc: 12,
  in: 72,
  cm: 72 / 2.54,
  mm: 72 / 25.4,
  // of the renderer's own font
  em: 12,
  ex: 6,
};
const LARGEST = 2 ** 31 - 1;

export interface DrawingSize {
  readonly width: number | null;
  readonly height: number | null;
}

/**
 * The size of the drawing that begins so: its `width` and `height`, where one is missing or a share of the page the
 * proportions of its `viewBox`. Undefined when it is not a drawing; null when it has no size.
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

/** The attributes of the root element when that is `svg`; whatever may precede it is skipped. */
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

/** The place behind the next `mark`; the end of the text when there is none. */
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
