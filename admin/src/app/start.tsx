/** Starts the app: what was seen last and who is signed in are looked up together, then everything is drawn. */
import '@fontsource-variable/inter/wght.css';
import '../ui/tokens.css';
import '../ui/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { type AnyRoute, RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { restore } from '../data/kept.ts';
import { makeQueryClient } from '../data/query-client.ts';
import { followTheme } from '../data/theme.ts';
import { restoreUnsaved } from '../data/unsaved.ts';
import { listenToKeys } from '../keys/keys.ts';
import { stayAboveKeyboard } from '../keys/screen-keyboard.ts';
import { keepUndoInPlace } from '../keys/undo.ts';
import { LanguageProvider, preferredLanguage, speak } from '../language/language.tsx';
import { ToastProvider } from '../ui/toast.tsx';
import { TooltipProvider } from '../ui/tooltip.tsx';
import { makeRouter } from './router.tsx';

/** @param more pages below the shell that the app does not have by itself. */
export async function start(more: readonly AnyRoute[] = []): Promise<void> {
  followTheme();
  listenToKeys();
  keepUndoInPlace();
  stayAboveKeyboard();
  const client = makeQueryClient();
  const [spoken] = await Promise.all([speak(preferredLanguage()), restore(client), restoreUnsaved()]);
  const router = makeRouter(client, more);
  createRoot(document.getElementById('app')!).render(
    <StrictMode>
      <LanguageProvider first={spoken}>
        <QueryClientProvider client={client}>
          <TooltipProvider>
            <ToastProvider>
              <RouterProvider router={router} />
            </ToastProvider>
          </TooltipProvider>
        </QueryClientProvider>
      </LanguageProvider>
    </StrictMode>,
  );
}
