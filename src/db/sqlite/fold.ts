/** Folds case; the two small sigmas are one letter. */
export function fold(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}
