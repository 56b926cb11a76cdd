/** Words of the library of files in German. */
export const media = {
  'picker.title': 'Datei auswählen',
  'picker.titleSeveral': 'Dateien auswählen',
} as const;
