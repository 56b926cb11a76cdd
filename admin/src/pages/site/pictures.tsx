/** What happens to uploaded pictures. */
import type { ReactNode } from 'react';
import type { SiteSettings } from '../../../contract/site.ts';
import { useChange } from '../../app/changes.ts';
import shared from '../../app/settings.module.css';
import { request } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import { Switch } from '../../ui/toggle.tsx';
import { Section } from '../account/section.tsx';
import { siteQuery } from './data.ts';
import { Fact, Facts } from './facts.tsx';

type Images = NonNullable<SiteSettings['images']>;
const SWITCHES = ['responsiveDimensions', 'sizeOptimization', 'autoOrientation'] as const;
type Switches = Pick<Images, (typeof SWITCHES)[number]>;

const switchesOf = ({ sizeOptimization, responsiveDimensions, autoOrientation }: Switches): Switches => ({
  ...{ sizeOptimization, responsiveDimensions, autoOrientation },
});

export function Pictures({ images }: { readonly images: Images }): ReactNode {
  const t = useText();
  const change = useChange<Switches, SiteSettings>({
    queryKey: siteQuery.queryKey,
    apply: (seen, switches) => ({ ...seen, images: seen.images && { ...seen.images, ...switches } }),
    send: async (body) => {
      await request('PUT site/images', { body });
      return undefined;
    },
    reverse: ({ images: before }) => (before ? switchesOf(before) : undefined),
    done: t('saved'),
  });
  const { breakpoints, sizes } = images;
  return (
    <Section title={t('site.pictures')}>
      <div className={shared['form']}>
        {SWITCHES.map((key) => (
          <Switch
            key={key}
            label={t(`site.pictures.${key}`)}
            hint={t(`site.pictures.${key}.hint`)}
            checked={images[key]}
            onValue={(value) => void change({ ...switchesOf(images), [key]: value }).catch(() => undefined)}
          />
        ))}
        <Facts>
          <Fact label={t('site.pictures.breakpoints')} of={breakpoints}>
            {breakpoints.value.length === 0
              ? t('site.none')
              : breakpoints.value.map(({ name, pixels }) => t('site.pictures.breakpoint', { name, pixels })).join(', ')}
          </Fact>
          <Fact label={t('site.pictures.sizes')} of={sizes}>
            {sizes.value === null ? t('site.none') : sizesText(sizes.value)}
          </Fact>
        </Facts>
      </div>
    </Section>
  );

  function sizesText({ widths, heights, formats }: NonNullable<Images['sizes']['value']>): string {
    const parts = [
      widths.length > 0 && t('site.pictures.widths', { list: widths.join(', ') }),
      heights.length > 0 && t('site.pictures.heights', { list: heights.join(', ') }),
      formats.length > 0 && t('site.pictures.formats', { list: formats.join(', ') }),
    ];
    return parts.filter(Boolean).join(' · ') || t('site.none');
  }
}
