// One stream of events per tab tells what has changed; without it everything on screen is asked for again now and then.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { refreshPosts } from './queries.js';

const FALLBACK_MS = 10_000;

interface Changed {
  posts?: string[];
  accounts?: boolean;
}

export function useLiveUpdates(): void {
  const client = useQueryClient();
  useEffect(() => {
    const stream = new EventSource('/api/v1/events');
    let isOpen = false;
    const refreshAll = () => client.invalidateQueries({ refetchType: 'active' });
    stream.addEventListener('open', () => {
      // What happened while nobody listened.
      if (!isOpen) void refreshAll();
      isOpen = true;
    });
    stream.addEventListener('error', () => {
      isOpen = false;
    });
    stream.addEventListener('changed', ({ data }: MessageEvent<string>) => {
      const { posts = [], accounts = false } = JSON.parse(data) as Changed;
      if (posts.length > 0) void refreshPosts(client);
      if (accounts) void client.invalidateQueries({ queryKey: ['accounts'] });
    });
    const timer = setInterval(() => {
      if (!isOpen && document.visibilityState === 'visible') void refreshAll();
    }, FALLBACK_MS);
    return () => {
      stream.close();
      clearInterval(timer);
    };
  }, [client]);
}
