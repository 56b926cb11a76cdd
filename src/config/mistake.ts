/** Mistakes of single values of the configuration, with what would have to be left out to read on without them. */
import { UsageError } from '../errors.ts';
import { nearest } from '../nearest.ts';

/** Where a wrong value stands: a dotted path in a file, or variables of the environment. */
export type ConfigPlace = { readonly file: string; readonly path: string } | { readonly variables: readonly string[] };

export class ConfigMistake extends UsageError {
  readonly place: ConfigPlace;

  constructor(message: string, place: ConfigPlace) {
    super(message);
    this.place = place;
  }
}

/**
 * The error for a setting that there is none of.
 *
 * @param path the setting with the objects that it is in, joined with dots.
 * @param known the settings that there are in the same place.
 */
export function unknownSetting(file: string, path: string, known: readonly string[]): ConfigMistake {
  const hint = nearest(path.slice(path.lastIndexOf('.') + 1), known);
  const meant = hint === undefined ? '' : ` (did you mean ${hint}?)`;
  const choice = `${known.slice(0, -1).join(', ')} or ${known.at(-1)}`;
  return new ConfigMistake(`${file}: there is no setting ${path}: use ${choice}${meant}`, { file, path });
}

/** The error for a variable of the environment, with its value. */
export function wrongVariable(name: string, value: string, expected: string): ConfigMistake {
  return new ConfigMistake(`${name} must be ${expected}, not ${JSON.stringify(value)}`, { variables: [name] });
}

/** The same for one whose value may contain a password, as addresses do: it is not shown. */
export function wrongAddress(name: string, expected: string): ConfigMistake {
  return new ConfigMistake(`${name} must be ${expected}`, { variables: [name] });
}
