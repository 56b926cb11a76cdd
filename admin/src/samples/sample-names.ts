/** Invented names for samples and tests. */
export const SAMPLE_TITLES = [
  'Smoke, patience, honey',
  'What the tide leaves',
  'A winter on the pilot boat',
  'The last ropewalk',
  'Salt, and how to keep it',
  'Letters to the harbour master',
  'How fog is measured',
  'Bread for forty, every morning',
  'Night watch at the lock',
  'Charts nobody drew',
] as const;
export const SAMPLE_AUTHORS = ['Jonas Abt', 'Ines Ferro', 'Sami Oja'] as const;
