/** Names of files in the media library: a hash and an extension, and never a path. */

/** Whether a text is a file name, without folders and not hidden. */
export const isFileName = (name: string): boolean =>
  name !== '' && name.length <= 255 && !name.startsWith('.') && !/[/\\\0]/.test(name);
