import { Button, Drawer, Stack } from '@mantine/core';
import { NativeFilters } from '../ui/NativeFilters.js';
import classes from './Filters.module.css';
import { SortSelect } from './SortSelect.js';
import { useFilters } from './useFilters.js';
import '../ui/overlays.css';

interface Props {
  opened: boolean;
  onClose: () => void;
  /** Absent for people who may not change labels. */
  onManage?: () => void;
}

/** The filters and the order on a phone. */
export function FilterSheet({ opened, onClose, onManage }: Props) {
  const filters = useFilters();
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
        <NativeFilters filters={filters} isLabelled size="md" />
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
