/** The unsaved part of a version of a document. */
export interface Unsaved {
  /** The time of the last change, in milliseconds. */
  readonly at: number;
  /** The entity tag of the version that was edited; null for a new one. */
  readonly tag: string | null;
  /** The id with which a new document was or would be created: the request may have succeeded. */
  readonly newId?: string;
  /** Whether `values` holds all fields of the form, because the edited version was deleted. */
  readonly isWhole?: boolean;
  /** The attributes that differ from the edited version, without passwords. */
  readonly values: Readonly<Record<string, unknown>>;
}
