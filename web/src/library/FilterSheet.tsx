import { Button, Drawer, NativeSelect, Stack } from '@mantine/core';
import classes from './Library.module.css';
import { useChoices } from './useChoices.js';

/** The filters of a phone. */
export function FilterSheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="bottom"
      title="Filters"
      padding="md"
      classNames={{ content: classes.sheet ?? '', title: classes.sheetTitle ?? '' }}
    >
      <Stack pb="md">
        <InSheet />
        <Button size="md" onClick={onClose}>
          Show posts
        </Button>
      </Stack>
    </Drawer>
  );
}

/** The phone's native lists: large, and easy to reach. */
const InSheet = () =>
  useChoices().map(({ label, any, data, value, choose }) => (
    <NativeSelect
      key={label}
      label={label}
      size="md"
      data={[{ value: '', label: any }, ...data]}
      value={value ?? ''}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  ));
