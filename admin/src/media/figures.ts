/** How sizes of files are written. */

/** Kilobytes of 1,000 bytes as one reads them: `14.2 kB`, `3.1 MB`. Less is not stored exactly, and told as `< 1 kB`. */
export function sizeText(kilobytes: number, locale: string): string {
  const [value, unit] = kilobytes < 1000 ? [kilobytes, 'kilobyte'] : [kilobytes / 1000, 'megabyte'];
  const numbers = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    maximumFractionDigits: value < 100 ? 1 : 0,
  });
  return value < 1 ? `< ${numbers.format(1)}` : numbers.format(value);
}
