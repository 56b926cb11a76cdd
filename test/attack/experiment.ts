/** The interface of an experiment: an attack on a server, and measurements of its effects. */
import type { Trial } from './trial.ts';

export type EngineName = 'sqlite' | 'postgres';

export interface Experiment {
  readonly name: string;
  /** Both when left out. */
  readonly engines?: readonly EngineName[];
  /** Megabytes that the server and its children may hold; `MOST_MEMORY` when left out. */
  readonly mostMemory?: number;
  /** Milliseconds that it may take on one engine; `MOST_TIME` when left out. */
  readonly mostTime?: number;
  readonly run: (trial: Trial) => Promise<void>;
}

/** Milliseconds that an experiment may take on one engine. */
export const MOST_TIME = 75_000;
/** Megabytes that a server may hold under attack, children included. */
export const MOST_MEMORY = 400;
/** Milliseconds that `/_health` may take, without the time that the machine gave to other programs. */
export const LONGEST_HEALTH = 100;
