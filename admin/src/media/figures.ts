/** How sizes of files are written. */

/** Kilobytes of 1,000 bytes as one reads them: `90 byte`, `14.2 kB`, `3.1 MB`. */
export function sizeText(kilobytes: number, language: string): string {
  const [value, unit] =
    kilobytes < 0.1
      ? [kilobytes * 1000, 'byte']
      : kilobytes < 1000
        ? [kilobytes, 'kilobyte']
        : [kilobytes / 1000, 'megabyte'];
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    maximumFractionDigits: value < 100 && unit !== 'byte' ? 1 : 0,
  }).format(value);
}
