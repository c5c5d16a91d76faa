// The keys that work on every screen.
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { lazyDialog } from '../ui/lazy.js';

const List = lazyDialog(async () => (await import('./ShortcutList.js')).ShortcutList);

const SECOND_KEY_MS = 1_500;

export function Shortcuts() {
  const [isOpen, { open, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const wentAt = useRef(Number.NEGATIVE_INFINITY);
  const afterG = (go: () => void) => () => {
    if (performance.now() - wentAt.current < SECOND_KEY_MS) go();
    wentAt.current = Number.NEGATIVE_INFINITY;
  };
  useHotkeys([
    ['n', () => void navigate({ to: '/posts/new' })],
    ['/', () => void navigate({ to: '/library', search: { focus: true } })],
    [
      'g',
      () => {
        wentAt.current = performance.now();
      },
    ],
    ['l', afterG(() => void navigate({ to: '/library' }))],
    ['c', afterG(() => void navigate({ to: '/calendar' }))],
    ['a', afterG(() => void navigate({ to: '/analytics' }))],
    ['shift+?', open],
    ['mod+1', () => void navigate({ to: '/library' })],
    ['mod+2', () => void navigate({ to: '/calendar' })],
    ['mod+3', () => void navigate({ to: '/analytics' })],
    ['mod+4', () => void navigate({ to: '/accounts' })],
  ]);
  return <List opened={isOpen} onClose={close} />;
}
