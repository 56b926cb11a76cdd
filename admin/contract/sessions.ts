/** Sessions of administrators and of site users. */
import { flag, type Infer, moment, nullable, object, text } from './shape.ts';

/** What a browser said about itself. */
export const device = object({ browser: nullable(text), system: nullable(text), isPhone: flag });

const fields = {
  id: text,
  createdAt: moment,
  lastUsedAt: moment,
  /** Null if nothing is known. */
  device: nullable(device),
};

/** A session of a site user. */
export const siteUserSession = object(fields);

/** A session of an administrator. */
export const signedIn = object({ ...fields, /** Whether it is that of the request. */ current: flag });

export type Device = Infer<typeof device>;
export type SiteUserSession = Infer<typeof siteUserSession>;
export type SignedIn = Infer<typeof signedIn>;
