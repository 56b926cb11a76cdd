/** How an icon of the set is drawn: at the size of the text around it, in its colour, and unseen by screen readers. */
import { createElement, type ReactElement } from 'react';

/** The elements of a drawing of 24 by 24. */
export type IconShape = readonly (readonly [tag: string, attributes: Readonly<Record<string, string>>])[];

export type Icon = (props: { readonly size?: number; readonly className?: string | undefined }) => ReactElement;

/** Makes the component of an icon. Beside it, or in the `aria-label` of its button, stands what it means. */
export function icon(shape: IconShape): Icon {
  return ({ size = 16, className }) => (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={size > 20 ? 1.75 : 2}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={className}
    >
      {shape.map(([tag, attributes], index) => createElement(tag, { ...attributes, key: index }))}
    </svg>
  );
}
