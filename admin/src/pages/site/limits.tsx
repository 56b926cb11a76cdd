/** The limits of the server. */
import type { ReactNode } from 'react';
import type { SiteSettings } from '../../../contract/site.ts';
import { useLocale, useText } from '../../language/language.tsx';
import { Section } from '../account/section.tsx';
import { Fact, Facts } from './facts.tsx';

type OfLimits = NonNullable<SiteSettings['limits']>;

const RATES = ['requests', 'siteSignIns', 'signIns'] as const;

export function Limits({ limits }: { readonly limits: OfLimits }): ReactNode {
  const t = useText();
  const locale = useLocale();
  const bytes = (count: number): string => bytesText(count, locale);
  const { fileSize, files, fileTypes, json, page } = limits;
  const { allowed, denied } = fileTypes.value;
  const types = [
    allowed === null ? t('site.limits.fileTypes.all') : allowed.join(', '),
    denied.length > 0 && t('site.limits.fileTypes.except', { list: denied.join(', ') }),
  ];
  return (
    <Section title={t('site.limits')}>
      <Facts>
        <Fact label={t('site.limits.fileSize')} of={fileSize}>
          {bytes(fileSize.value)}
        </Fact>
        <Fact label={t('site.limits.files')} of={files}>
          {files.value.toLocaleString(locale)}
        </Fact>
        <Fact label={t('site.limits.fileTypes')} of={fileTypes}>
          {types.filter(Boolean).join(' ')}
        </Fact>
        <Fact label={t('site.limits.json')} of={json}>
          {bytes(json.value)}
        </Fact>
        <Fact label={t('site.limits.page')} of={page}>
          {page.value === null ? t('site.limits.none') : page.value.toLocaleString(locale)}
        </Fact>
        {RATES.map((key) => (
          <Fact key={key} label={t(`site.limits.${key}`)} of={limits[key]}>
            {rateText(limits[key].value)}
          </Fact>
        ))}
      </Facts>
    </Section>
  );

  function rateText(rate: OfLimits['requests']['value']): string {
    if (rate === null) return t('site.limits.none');
    const { max: count, seconds } = rate;
    return seconds % 60 === 0
      ? t('site.limits.perMinutes', { count, minutes: seconds / 60 })
      : t('site.limits.perSeconds', { count, seconds });
  }
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** A number of bytes in the largest unit in which it is short. */
function bytesText(count: number, locale: string): string {
  const base = count % 1000 === 0 ? 1000 : 1024;
  const step = count < base ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(count) / Math.log(base)));
  const format = { style: 'unit', unit: UNITS[step]!, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(locale, format).format(count / base ** step);
}
