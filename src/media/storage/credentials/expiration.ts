/** When temporary keys end. */

export const isDate = (date: Date): boolean => !Number.isNaN(date.getTime());

export const noDate = (): Error => new Error('The credentials have an expiration that is not a date');

/**
 * Reads an expiration as services, programs and variables write it.
 *
 * @throws Error for what is not a date.
 */
export function expirationOf(text: string): Date {
  const date = new Date(text);
  if (!isDate(date)) throw noDate();
  return date;
}
