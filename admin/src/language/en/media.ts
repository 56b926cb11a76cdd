/** Words of the library of files in English. */
export const media = {
  'picker.title': 'Choose a file',
  'picker.titleSeveral': 'Choose files',
} as const;
