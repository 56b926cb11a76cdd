/** What an experiment is: something is done to a server, and figures tell how it stood it. */
import type { Trial } from './trial.ts';

export type EngineName = 'sqlite' | 'postgres';

export interface Experiment {
  readonly name: string;
  /** Both when left out. */
  readonly engines?: readonly EngineName[];
  /** Megabytes that the server and its children may hold; `MOST_MEMORY` when left out. */
  readonly mostMemory?: number;
  readonly run: (trial: Trial) => Promise<void>;
}

/** Megabytes that a server may hold under attack, children included. */
export const MOST_MEMORY = 400;
/** Milliseconds that `/_health` may take, without the time that the machine gave to other programs. */
export const LONGEST_HEALTH = 100;
