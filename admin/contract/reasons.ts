/** The reasons that errors of the server have, besides their messages. */
import { anything, type Infer, list, object, optional, recordOf, text } from './shape.ts';

/** `values` are texts and numbers for the text of the code, `path` is that of an attribute. */
export const reason = object({ code: text, values: optional(recordOf(anything)), path: optional(text) });

/** The error of a value. */
export const fieldError = object({
  path: list(anything),
  message: text,
  name: text,
  value: optional(anything),
  reason: optional(reason),
});

export type Reason = Infer<typeof reason>;
