/** Starts the app: what was seen last and who is signed in are looked up together, then everything is drawn. */
import '@fontsource-variable/inter/wght.css';
import './ui/tokens.css';
import './ui/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { makeRouter } from './app/router.tsx';
import { restore } from './data/kept.ts';
import { makeQueryClient } from './data/query-client.ts';
import { followTheme } from './data/theme.ts';
import { listenToKeys } from './keys/keys.ts';
import { LanguageProvider, preferredLanguage, speak } from './language/language.tsx';
import { ToastProvider } from './ui/toast.tsx';
import { TooltipProvider } from './ui/tooltip.tsx';

followTheme();
listenToKeys();
const client = makeQueryClient();
const [spoken] = await Promise.all([speak(preferredLanguage()), restore(client)]);
const router = makeRouter(client);

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
