import '@fontsource-variable/inter';
import './ui/mantine.css';
import './ui/base.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, startTransition } from 'react';
import { createRoot } from './react-root.js';
import { queries, router } from './router.js';
import { Notices } from './shell/Notices.js';
import { OutageBanner } from './shell/OutageBanner.js';
import { cssVariables, theme } from './ui/theme.js';

const root = createRoot(document.getElementById('root') as HTMLElement);
// As a transition, the first rendering yields to the browser every few milliseconds.
startTransition(() =>
  root.render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <Notices />
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
          <OutageBanner />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  ),
);
