/** Renders icons: as large as the text around them, in its colour, and hidden from screen readers. */
import { createElement, type ReactElement } from 'react';

/** The elements of a 24 by 24 drawing. */
export type IconShape = readonly (readonly [tag: string, attributes: Readonly<Record<string, string>>])[];

export type Icon = (props: { readonly size?: number; readonly className?: string | undefined }) => ReactElement;

/** Creates the component of an icon. Its meaning has to stand beside it or in the `aria-label` of its button. */
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
