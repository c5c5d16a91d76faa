import { Button, Drawer, NativeSelect, Stack } from '@mantine/core';
import classes from './Filters.module.css';
import { SortSelect } from './SortSelect.js';
import { useChoices } from './useChoices.js';

interface Props {
  opened: boolean;
  onClose: () => void;
  /** Absent for people who may not change labels. */
  onManage?: () => void;
}

/** The filters and the order on a phone. */
export function FilterSheet({ opened, onClose, onManage }: Props) {
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
        <SortSelect isLabelled size="md" />
        <InSheet />
        {onManage && (
          <Button variant="default" size="md" onClick={onManage}>
            Manage labels
          </Button>
        )}
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
