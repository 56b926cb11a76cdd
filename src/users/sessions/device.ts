/** What is recorded of the device of a login, so that its owner recognizes it in a list of sessions. */
import { randomUUID } from 'node:crypto';
import Bowser from 'bowser';
import { at, validationFailure } from '../../failures.ts';
import { bodyOf } from '../accounts/account-bodies.ts';
import type { Device } from './sessions.ts';

/** Characters of the name that a client gives its device. */
const DEVICE_LENGTH = 255;

/**
 * The device that the body of a login names as `deviceId`; without one each login is a device of its own.
 *
 * @param name what the client's program calls itself.
 * @throws ContentError 400 for a name that is too long, or that no column could store.
 */
export function deviceOf(raw: unknown, name: string | null): Device {
  const { deviceId } = bodyOf(raw);
  if (typeof deviceId !== 'string' || deviceId === '') return { id: randomUUID(), name };
  if (isDeviceId(deviceId)) return { id: deviceId, name };
  const message = `deviceId must be a string of at most ${DEVICE_LENGTH} characters`;
  throw validationFailure(at('deviceId'), message);
}

/** Whether a string can be the id of a device. */
export function isDeviceId(text: string): boolean {
  return text.length <= DEVICE_LENGTH && !text.includes('\0') && text.isWellFormed();
}

/** Characters of `User-Agent` that are looked at: patterns may take quadratic time. */
const LOOKED_AT = 1024;

const KNOWN = new Set([...Object.values(Bowser.BROWSER_MAP), ...Object.values(Bowser.OS_MAP)]);

/** `Firefox on Linux`, as far as a `User-Agent` header says so; null when it says neither. */
export function deviceName(userAgent: string | undefined): string | null {
  if (!userAgent) return null;
  const { browser, os } = Bowser.parse(userAgent.slice(0, LOOKED_AT));
  // what is not known is quoted from the header, and would be the client's own words
  const known = [browser.name, os.name].filter((name) => name !== undefined && KNOWN.has(name));
  return known.join(' on ') || null;
}
