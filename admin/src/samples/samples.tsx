/** The pages of this folder: `samples.html`, and `samples.html?page=form`. */
import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Components } from './components.tsx';
import { SampleForm } from './sample-form-page.tsx';

export function Samples(): ReactNode {
  const { page }: { readonly page?: string } = useSearch({ strict: false });
  return page === 'form' ? <SampleForm /> : <Components />;
}
