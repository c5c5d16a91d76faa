// A link in a notice. Notices stand outside the router, so they are given it.
import { Anchor } from '@mantine/core';
import type { useRouter } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';

interface Props {
  router: ReturnType<typeof useRouter>;
  postId: string;
  onFollow: () => void;
  text: string;
}

/** Absent while the page of the post is open. */
export function NoticeLink({ router, postId, onFollow, text }: Props) {
  const here = useSyncExternalStore(
    (listener) => router.subscribe('onResolved', listener),
    () => router.state.location.pathname,
  );
  const href = `/posts/${postId}`;
  if (here === href) return null;
  return (
    <Anchor
      inherit
      underline="always"
      href={href}
      onClick={(event) => {
        event.preventDefault();
        onFollow();
        void router.navigate({ to: '/posts/$postId', params: { postId } });
      }}
    >
      {text}
    </Anchor>
  );
}
