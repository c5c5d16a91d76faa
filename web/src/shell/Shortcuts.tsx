// The keys that work on every screen, and the list of all of them.
import { Kbd, Modal, Table } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';

const ALL: [keys: string, does: string][] = [
  ['N', 'New post'],
  ['/', 'Search the library'],
  ['G then L, C, A', 'Go to the library, the calendar, analytics'],
  ['J, K', 'Next or previous post in the library'],
  ['X', 'Select it'],
  ['E', 'Archive it'],
  ['P', 'Publish it'],
  ['?', 'Show this list'],
];

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
  return (
    <Modal opened={isOpen} onClose={close} title="Keyboard shortcuts">
      <Table>
        <Table.Tbody>
          {ALL.map(([keys, does]) => (
            <Table.Tr key={keys}>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <Kbd>{keys}</Kbd>
              </Table.Td>
              <Table.Td>{does}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
