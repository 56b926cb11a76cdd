/** How sizes of files are written. */

/** Kilobytes of 1,000 bytes as one reads them: `0.01 kB`, which is as exact as they are stored, `14.2 kB`, `3.1 MB`. */
export function sizeText(kilobytes: number, language: string): string {
  const [value, unit] = kilobytes < 1000 ? [kilobytes, 'kilobyte'] : [kilobytes / 1000, 'megabyte'];
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    maximumFractionDigits: value < 0.1 ? 2 : value < 100 ? 1 : 0,
  }).format(value);
}
