/** The time zone in which dates and times are shown and entered: that of the site, or else that of the device. */

/** The time zone of the device. */
export const DEVICE_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

let zone = DEVICE_ZONE;

/** The current time zone. */
export const currentZone = (): string => zone;

/** Applies the time zone of the site; null: that of the device. */
export function setZone(name: string | null): void {
  zone = name ?? DEVICE_ZONE;
}
