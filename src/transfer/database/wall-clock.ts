/** Times without a zone: the wall clock of the process that wrote them, converted with its time zone. */
import { UsageError } from '../../errors.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export class WallClock {
  readonly #format: Intl.DateTimeFormat | undefined;
  /** The offsets from UTC on days without a change of it, by the number of the day. */
  readonly #constant = new Map<number, number | undefined>();

  /**
   * @param zone such as `Europe/Berlin`.
   * @throws UsageError for an unknown zone.
   */
  constructor(zone: string) {
    try {
      const parts = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
      const times = { hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
      const format = new Intl.DateTimeFormat('en-US', {
        ...{ timeZone: zone, calendar: 'iso8601', numberingSystem: 'latn', hourCycle: 'h23', era: 'short' },
        ...parts,
        ...times,
      });
      this.#format = /^(?:UTC|Etc\/UTC|GMT)$/i.test(format.resolvedOptions().timeZone) ? undefined : format;
    } catch {
      throw new UsageError(`unknown time zone ${zone}: use a name such as Europe/Berlin`);
    }
  }

  /**
   * Epoch milliseconds of a wall clock, given as if it were UTC. A time that occurs twice, when clocks are set back, is
   * the first one; one that does not occur is as much later as the clocks were set forward.
   */
  toMoment(wall: number): number {
    if (!this.#format) return wall;
    const day = Math.floor(wall / DAY);
    let offset = this.#constant.get(day);
    if (offset === undefined && !this.#constant.has(day)) {
      const before = this.#offset((day - 1) * DAY);
      offset = before === this.#offset((day + 2) * DAY) ? before : undefined;
      this.#constant.set(day, offset);
    }
    if (offset !== undefined) return wall - offset;
    const before = this.#offset(wall - DAY);
    const candidates = [before, this.#offset(wall + DAY)].map((one) => wall - one).sort((a, b) => a - b);
    return candidates.find((moment) => moment + this.#offset(moment) === wall) ?? wall - before;
  }

  /** Milliseconds by which the wall clock is ahead of UTC. */
  #offset(moment: number): number {
    const parts = new Map(this.#format!.formatToParts(moment).map(({ type, value }) => [type, value]));
    const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
    const year = parts.get('era') === 'BC' || parts.get('era') === 'B' ? 1 - of('year') : of('year');
    const wall = new Date(0);
    wall.setUTCFullYear(year, of('month') - 1, of('day'));
    wall.setUTCHours(of('hour'), of('minute'), of('second'));
    return wall.getTime() - Math.floor(moment / 1000) * 1000;
  }
}
