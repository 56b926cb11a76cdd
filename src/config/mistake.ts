/** Mistakes of single values of the configuration, with what would have to be left out to read on without them. */
import { UsageError } from '../errors.ts';

/** Where a wrong value stands: a dotted path in a file, or variables of the environment. */
export type ConfigPlace = { readonly file: string; readonly path: string } | { readonly variables: readonly string[] };

export class ConfigMistake extends UsageError {
  readonly place: ConfigPlace;

  constructor(message: string, place: ConfigPlace) {
    super(message);
    this.place = place;
  }
}

/** The error for a variable of the environment, with its value. */
export function wrongVariable(name: string, value: string, expected: string): ConfigMistake {
  return new ConfigMistake(`${name} must be ${expected}, not ${JSON.stringify(value)}`, { variables: [name] });
}

/** The same for one whose value may contain a password, as addresses do: it is not shown. */
export function wrongAddress(name: string, expected: string): ConfigMistake {
  return new ConfigMistake(`${name} must be ${expected}`, { variables: [name] });
}
