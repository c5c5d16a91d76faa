import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PostWithEtag } from '../api/client.js';
import { refreshPosts } from '../api/queries.js';
import { updateIfUnchanged } from '../api/update-if-unchanged.js';
import { ProblemNote } from '../ui/Note.js';

/** Of a draft that has a time and no slot. Scheduling it is the other way. */
export function RemoveTime({ post }: { post: PostWithEtag }) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => updateIfUnchanged(client, post, { scheduled_at: null }, 'changed'),
    onSuccess: () => refreshPosts(client),
  });
  return (
    <>
      <Button size="compact-sm" variant="default" loading={remove.isPending} onClick={() => remove.mutate()}>
        Remove time
      </Button>
      {remove.error && <ProblemNote error={remove.error} />}
    </>
  );
}
