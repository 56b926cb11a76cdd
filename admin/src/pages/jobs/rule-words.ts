/** Describes common cron expressions in words. */
import { currentZone } from '../../data/zone.ts';
import type { Text } from '../../language/messages.ts';

/** Named rules as expressions. */
const NAMED: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
};
/** A Sunday. */
const SUNDAY = Date.UTC(2023, 0, 1);
const DAY = 86_400_000;

/** A rule in words; undefined if the expression itself is clearer. */
export function ruleWords(t: Text, language: string, rule: string): string | undefined {
  if (/^\d{4}-\d\d-\d\dT/.test(rule)) {
    const when = new Date(rule).toLocaleString(language, {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: currentZone(),
    });
    return t('jobs.once', { when });
  }
  const fields = (NAMED[rule.trim()] ?? rule).trim().split(/\s+/);
  const seconds = fields.length === 6 ? fields.shift() : '0';
  const [minute = '', hour = '', day = '', month, weekday = ''] = fields;
  if (fields.length !== 5 || month !== '*') return undefined;
  const isDaily = day === '*' && weekday === '*';
  if (seconds === '*' && minute === '*' && hour === '*' && isDaily) return t('jobs.every.second');
  if (seconds !== '0') return undefined;
  /** The interval of the values of a field; undefined if it is not constant, also across the end of `whole`. */
  const step = (text: string, whole: number): number | undefined => {
    const number = Number(/^\*\/(\d+)$/.exec(text)?.[1]);
    return whole % number === 0 ? number : undefined;
  };
  const isAt = (text: string): boolean => /^\d+$/.test(text);
  if (hour === '*' && isDaily) {
    if (minute === '*') return t('jobs.every.minute');
    const minutes = step(minute, 60);
    if (minutes !== undefined) return t('jobs.every.minutes', { count: minutes });
    return isAt(minute) ? t('jobs.every.hour', { minute }) : undefined;
  }
  if (!isAt(minute)) return undefined;
  const hours = step(hour, 24);
  if (minute === '0' && hours !== undefined && isDaily) return t('jobs.every.hours', { count: hours });
  if (!isAt(hour)) return undefined;
  const at = new Date(Date.UTC(2023, 0, 1, Number(hour), Number(minute)));
  const time = at.toLocaleTimeString(language, { timeStyle: 'short', timeZone: 'UTC' });
  if (isDaily) return t('jobs.every.day', { time });
  if (weekday === '*' && isAt(day)) return t('jobs.every.month', { day, time });
  const days = day === '*' ? daysOf(weekday, language) : undefined;
  return days && t('jobs.every.weekday', { days, time });
}

/** `1-5` and `0,6` as names of weekdays. */
function daysOf(text: string, language: string): string | undefined {
  const range = /^([0-7])-([0-7])$/.exec(text);
  const isList = /^[0-7](?:,[0-7])*$/.test(text);
  const name = (day: string): string =>
    new Date(SUNDAY + Number(day) * DAY).toLocaleDateString(language, { weekday: 'long', timeZone: 'UTC' });
  if (range) return `${name(range[1]!)} – ${name(range[2]!)}`;
  return isList ? new Intl.ListFormat(language).format(text.split(',').map(name)) : undefined;
}
