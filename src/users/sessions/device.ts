/** What is told of the device of a login, so that its owner knows it again in a list of sessions. */
import { randomUUID } from 'node:crypto';
import { at, validationFailure } from '../../failures.ts';
import { bodyOf } from '../accounts/account-bodies.ts';
import type { Device } from './sessions.ts';

/** Characters of the name that a client gives its device. */
const DEVICE_LENGTH = 255;

/**
 * The device that the body of a login names as `deviceId`; without one each login is a device of its own.
 *
 * @param name what the client's program calls itself.
 * @throws ContentError 400 for a name that is too long, or that no column could hold.
 */
export function deviceOf(raw: unknown, name: string | null): Device {
  const { deviceId } = bodyOf(raw);
  if (typeof deviceId !== 'string' || deviceId === '') return { id: randomUUID(), name };
  if (isDeviceId(deviceId)) return { id: deviceId, name };
  const message = `deviceId must be a text of at most ${DEVICE_LENGTH} characters`;
  throw validationFailure(at('deviceId'), message);
}

/** Whether a device can be called so. */
export function isDeviceId(text: string): boolean {
  return text.length <= DEVICE_LENGTH && !text.includes('\0') && text.isWellFormed();
}

/** Characters of `User-Agent` that are looked at. */
const LOOKED_AT = 1024;

/** Special names before general ones: most browsers call themselves Chrome and Safari as well. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bWindows NT\b/, 'Windows'],
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\b(?:Macintosh|Mac OS X)\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** `Firefox on Linux`, as far as a `User-Agent` header tells; null when it tells neither. */
export function deviceName(userAgent: string | undefined): string | null {
  const text = (userAgent ?? '').slice(0, LOOKED_AT);
  const named = (names: typeof BROWSERS) => names.find(([pattern]) => pattern.test(text))?.[1];
  const words = [named(BROWSERS), named(SYSTEMS)].filter((word) => word !== undefined);
  return words.length === 0 ? null : words.join(' on ');
}
