/** Starts the app: restores the stored data, loads the session, and then renders. */
import '@fontsource-variable/inter/wght.css';
import '../ui/tokens.css';
import '../ui/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { type AnyRoute, RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { makeQueryClient } from '../data/query-client.ts';
import { restoreAnswers } from '../data/stored-answers.ts';
import { followTheme } from '../data/theme.ts';
import { restoreUnsaved } from '../data/unsaved.ts';
import { listenToKeys } from '../keys/keys.ts';
import { stayAboveKeyboard } from '../keys/screen-keyboard.ts';
import { keepUndoInPlace } from '../keys/undo.ts';
import { LanguageProvider, preferredLanguage, speak } from '../language/language.tsx';
import { ToastProvider } from '../ui/toast.tsx';
import { TooltipProvider } from '../ui/tooltip.tsx';
import { makeRouter } from './router.tsx';

/** @param more additional pages inside the shell. */
export async function start(more: readonly AnyRoute[] = []): Promise<void> {
  followTheme();
  listenToKeys();
  keepUndoInPlace();
  stayAboveKeyboard();
  const client = makeQueryClient();
  const [spoken] = await Promise.all([speak(preferredLanguage()), restoreAnswers(client), restoreUnsaved()]);
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
