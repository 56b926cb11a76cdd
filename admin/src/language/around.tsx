/** A sentence with a point in time in it: "next in 2 hours", with the exact one on hover. */
import type { ReactNode } from 'react';
import { Moment } from './language.tsx';

/** @param text has `\0` where the point in time stands. */
export function Around({ text, at }: { readonly text: string; readonly at: string }): ReactNode {
  const [before, after] = text.split('\0');
  return (
    <>
      {before}
      <Moment at={at} />
      {after}
    </>
  );
}
