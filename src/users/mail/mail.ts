/** A mail, ready to be sent. */
export interface Mail {
  readonly to: string;
  /** Undefined: the configured sender. */
  readonly from: { readonly name: string; readonly address: string } | undefined;
  readonly replyTo: string | undefined;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}
