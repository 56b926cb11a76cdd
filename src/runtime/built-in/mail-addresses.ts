/** Addresses of a mail as code writes them: texts with commas between addresses, objects, and lists of both. */
import type { MailAddress } from '../../users/mail/mail.ts';
import { isPlain } from '../documents/plain-params.ts';

/** Addresses that one mail may go to, in all. */
export const RECIPIENTS = 1000;
/** Characters of a text with addresses. */
export const TEXT_LENGTH = 100_000;
/** Characters of an address: the local part and the host name (RFC 5321, 4.5.3.1). */
const ADDRESS_LENGTH = 320;
/** Characters of a display name. */
const NAME_LENGTH = 255;

/**
 * The addresses of a field. Texts often come from visitors, so the cost is linear in their length, which is limited.
 *
 * @param field the name of the value in errors: `to`.
 * @throws Error for texts that are too long, too many, or no addresses.
 */
export function addressesOf(field: string, value: unknown): MailAddress[] {
  if (value === undefined || value === null) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > RECIPIENTS) tooMany();
  const found: MailAddress[] = [];
  for (const one of list) {
    for (const address of typeof one === 'string' ? ofText(field, one) : [ofObject(field, one)]) found.push(address);
    if (found.length > RECIPIENTS) tooMany();
  }
  return found;
}

/** @throws Error for more than one mail may go to. */
export function requireFewRecipients(...lists: readonly (readonly MailAddress[])[]): void {
  if (lists.reduce((count, list) => count + list.length, 0) > RECIPIENTS) tooMany();
}

function tooMany(): never {
  throw new Error(`a mail goes to at most ${RECIPIENTS} addresses`);
}

function ofObject(field: string, value: unknown): MailAddress {
  if (!isPlain(value) || typeof value['address'] !== 'string') throw new Error(`${field} of a mail has no address`);
  return checked(field, { name: String(value['name'] ?? ''), address: value['address'].trim() });
}

function ofText(field: string, text: string): MailAddress[] {
  if (text.length > TEXT_LENGTH) throw new Error(`${field} of a mail has at most ${TEXT_LENGTH} characters`);
  const parts = partsOf(text);
  if (!parts) throw new Error(`${field} of a mail has a quotation mark or a < that nothing closes`);
  return parts.map((part) => checked(field, addressOf(part)));
}

/** The parts between commas outside of quotation marks and `<…>`; undefined if one of these is not closed. */
function partsOf(text: string): string[] | undefined {
  const parts: string[] = [];
  let [start, closing] = [0, ''];
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]!;
    if (closing === '"' && character === '\\') index += 1;
    else if (closing !== '') closing = character === closing ? '' : closing;
    else if (character === '"') closing = '"';
    else if (character === '<') closing = '>';
    else if (character === ',') {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  if (closing !== '') return undefined;
  return [...parts, text.slice(start)].map((part) => part.trim()).filter((part) => part !== '');
}

/** `Ann <ann@example.com>` in its parts; all of it is an address if the text before the brackets is ambiguous. */
function addressOf(part: string): MailAddress {
  const open = part.endsWith('>') ? part.lastIndexOf('<') : -1;
  const name = part.slice(0, Math.max(open, 0)).trim();
  const isQuoted = name.length > 1 && name.startsWith('"') && name.endsWith('"');
  if (open === -1 || (!isQuoted && /[<>]/.test(name))) return { name: '', address: part };
  const address = part.slice(open + 1, -1).trim();
  return { name: isQuoted ? name.slice(1, -1).replaceAll(/\\(.)/g, '$1') : name, address };
}

function checked(field: string, { name, address }: MailAddress): MailAddress {
  if (address.length > ADDRESS_LENGTH)
    throw new Error(`an address in ${field} of a mail has at most ${ADDRESS_LENGTH} characters`);
  if (name.length > NAME_LENGTH) throw new Error(`a name in ${field} of a mail has at most ${NAME_LENGTH} characters`);
  // an ambiguous text may name another address than the intended one
  if (address === '' || /[<>\p{Cc}]/u.test(address)) throw new Error(`${field} of a mail has no address`);
  return { name, address };
}
