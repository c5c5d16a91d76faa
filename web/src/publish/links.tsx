// Links from the dialog to where a problem can be fixed. They close it, even if they lead to the page behind it.
import { Link, useLocation } from '@tanstack/react-router';
import { createContext, type ReactNode, type Ref, useContext } from 'react';
import classes from './PublishDialog.module.css';

export const Closing = createContext<() => void>(() => {});

interface Props {
  postId: string;
  children: ReactNode;
}

/** Whether the page of the post is open behind the dialog: then no link leads there. */
export const useIsOnPage = (postId: string): boolean =>
  useLocation({ select: ({ pathname }) => pathname === `/posts/${postId}` });

export function PostLink({ postId, children }: Props) {
  return (
    <Link to="/posts/$postId" params={{ postId }} onClick={useContext(Closing)} className={classes.link}>
      {children}
    </Link>
  );
}

export function EditLink({ postId, children }: Props) {
  return (
    <Link to="/posts/$postId/edit" params={{ postId }} onClick={useContext(Closing)} className={classes.link}>
      {children}
    </Link>
  );
}

export function AccountsLink({ ref, children }: { ref?: Ref<HTMLAnchorElement>; children: ReactNode }) {
  return (
    <Link ref={ref} to="/accounts" onClick={useContext(Closing)} className={classes.link}>
      {children}
    </Link>
  );
}
