/** Removes secrets from texts of other programs, such as their error messages, before anyone sees them. */
import { unescape as decoded } from 'node:querystring';

/** Characters of the shortest text that is removed: shorter ones occur everywhere. */
const SHORTEST = 6;
/** Keys of options whose values help to find a mistake and are no secrets. */
const OPEN = /^(?:host|hostname|domain|region|bucket|service|defaultfrom|defaultreplyto|from)$/i;

/** Replaces each of some texts by an ellipsis. */
export function withoutTexts(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((value) => value.length >= SHORTEST)
    .sort((a, b) => b.length - a.length)
    .reduce((rest, value) => rest.replaceAll(value, '…'), text);
}

/** All texts in options, except those under keys such as `host`. */
export function secretTexts(options: unknown, depth = 10): readonly string[] {
  if (typeof options === 'string') return [options];
  if (depth === 0 || typeof options !== 'object' || options === null) return [];
  if (Array.isArray(options)) return options.flatMap((entry) => secretTexts(entry, depth - 1));
  return Object.entries(options).flatMap(([key, value]) =>
    OPEN.test(key) && typeof value === 'string' ? [] : secretTexts(value, depth - 1),
  );
}

/** The user and the password in an address, as written, decoded, and as sent in an authorization. */
export function credentialTexts(address: string): readonly string[] {
  const { username = '', password = '' } = URL.parse(address) ?? {};
  if (password === '') return [];
  const [name, plain] = [decoded(username), decoded(password)];
  return [password, plain, name, `${name}:${plain}`, encoded(`${name}:${plain}`), encoded(plain)];
}

const encoded = (text: string): string => Buffer.from(text).toString('base64');
