import '@fontsource-variable/inter';
import '@mantine/core/styles/default-css-variables.layer.css';
import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/global.layer.css';
// Those of messages too, though their script loads later: a style sheet with a layer that arrives after the screen makes the
// browser lay out all text again, as if its font had changed.
import '@mantine/core/styles/Notification.layer.css';
import '@mantine/notifications/styles.layer.css';
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

// In the build each component brings its own styles (vite.config.js).
if (import.meta.env.DEV)
  await Promise.all([
    import('@mantine/core/styles.layer.css'),
    import('@mantine/notifications/styles.layer.css'),
  ]);

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
