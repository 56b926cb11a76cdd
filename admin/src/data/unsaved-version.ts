/** What is unsaved of a version of a document. */
export interface Unsaved {
  /** When it was written last, in milliseconds. */
  readonly at: number;
  /** The entity tag of the version that it was written into; null for a new one. */
  readonly tag: string | null;
  /** The attributes that differ from that version. */
  readonly values: Readonly<Record<string, unknown>>;
}
