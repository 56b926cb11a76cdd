/** What is unsaved of a version of a document. */
export interface Unsaved {
  /** When it was written last, in milliseconds. */
  readonly at: number;
  /** The entity tag of the version that it was written into; null for a new one. */
  readonly tag: string | null;
  /** The id with which a new document was or would be sent: it may have arrived. */
  readonly newId?: string;
  /** Whether all values of the form are here: the version that it was written into is gone. */
  readonly isWhole?: boolean;
  /** The attributes that differ from that version; without passwords. */
  readonly values: Readonly<Record<string, unknown>>;
}
