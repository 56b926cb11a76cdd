/**
 * Folds case, each letter to one: the two small sigmas are one letter, and `İ` becomes an `i`, where JavaScript makes an `i` and
 * a dot above of it, which nobody writes who looks for it.
 */
export function fold(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ');
}
