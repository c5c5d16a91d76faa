import { Kbd, Modal, Table } from '@mantine/core';
import '@mantine/core/styles/Table.layer.css';
import '../ui/overlays.css';

const ALL: [keys: string, does: string][] = [
  ['N', 'New post'],
  ['/', 'Search the library'],
  ['G then L, C, A', 'Go to the library, the calendar, analytics'],
  ['J, K', 'Next or previous post in the library'],
  ['X', 'Select the post'],
  ['E', 'Archive the post'],
  ['P', 'Publish the post'],
  ['Arrows, Enter', 'Schedule on a day of the calendar'],
  ['Ctrl+Z or ⌘Z', 'Undo, while a notice offers it'],
  ['?', 'Show this list'],
];

/** All keys of the dashboard. */
export function ShortcutList({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts">
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
