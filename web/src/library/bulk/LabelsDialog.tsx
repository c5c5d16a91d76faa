import { Modal, Stack } from '@mantine/core';
import { useState } from 'react';
import { type Check, LabelChecks } from '../../labels/LabelChecks.js';
import { describePosts } from '../../post/archiving.js';

import { Footer } from './Footer.js';
import type { BulkDialogProps } from './useBulkActions.js';
import '../../ui/overlays.css';

/** Adds labels to the selected posts, and takes others off. Labels that were not touched stay on each post as they are. */
export function LabelsDialog({ opened, onClose, posts, bulk }: BulkDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Labels for ${describePosts(posts)}`}>
      <Form posts={posts} bulk={bulk} onClose={onClose} />
    </Modal>
  );
}

function Form({ posts, bulk, onClose }: Omit<BulkDialogProps, 'opened'>) {
  const [changes, setChanges] = useState<ReadonlyMap<string, boolean>>(new Map());
  const checkOf = (id: string): Check => {
    const change = changes.get(id);
    if (change !== undefined) return change ? 'on' : 'off';
    const having = posts.filter(({ labels }) => labels.includes(id)).length;
    return having === 0 ? 'off' : having === posts.length ? 'on' : 'some';
  };
  const save = async () => {
    const added = [...changes].flatMap(([id, isOn]) => (isOn ? [id] : []));
    await bulk.label(posts, ({ labels }) => [
      ...labels.filter((id) => changes.get(id) !== false),
      ...added.filter((id) => !labels.includes(id)),
    ]);
    onClose();
  };
  return (
    <Stack gap="md">
      <LabelChecks
        checkOf={checkOf}
        onCheck={(id, isOn) => setChanges((now) => new Map(now).set(id, isOn))}
      />
      <Footer
        act="Save labels"
        isPending={bulk.isBusy}
        onAct={() => (changes.size === 0 ? onClose() : void save())}
        onClose={onClose}
      />
    </Stack>
  );
}
