/** Those who listen to changes: who they are, and where they are written to. */
import type { Viewer } from '../access/view.ts';
import type { Asked, Audience } from './audience.ts';

/** Where a listener is written to. */
export interface Sink {
  /** Bytes that wait to be taken. */
  readonly waiting: number;
  /** Whether nothing can be written any more. */
  readonly isClosed: boolean;
  write(frames: Buffer): void;
  /** Ends the stream: the listener may come back. */
  end(): void;
  /** Cuts the connection off. */
  destroy(): void;
}

export interface NewListener {
  readonly authorization: string | undefined;
  /** Whose it is, for limits. */
  readonly account: string;
  readonly asked: Asked;
  /** The number behind which it goes on; undefined: it begins. */
  readonly after: number | undefined;
}

export interface Listener {
  readonly authorization: string | undefined;
  readonly asked: Asked;
  /** Of what it has asked for. */
  readonly askedKey: string;
  readonly sink: Sink;
  readonly leave: () => void;
  viewer: Viewer;
  /** Of what it may see. */
  viewKey: string;
  expiresAt: number | null;
  /** Its place: what it has been told of the recent changes. */
  place: number;
  /** Those with whom it is told; undefined while it is told by itself, and once it has gone. */
  group: Group | undefined;
}

/** An audience with those who are in it, and their place: all of them have been told what is before it, or are being. */
export interface Group {
  readonly key: string;
  readonly audience: Audience;
  readonly members: Set<Listener>;
  place: number;
  isBusy: boolean;
}
