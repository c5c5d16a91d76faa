import { type ReactNode, useEffect } from 'react';
import classes from './Auth.module.css';

interface EntryFrameProps {
  title: string;
  about?: ReactNode;
  children?: ReactNode;
  /** Below the card: the other way in. */
  aside?: ReactNode;
}

/** The card of every sign-in and sign-up page. */
export function AuthFrame({ title, about, children, aside }: EntryFrameProps) {
  useEffect(() => {
    document.title = `${title} · Airdate`;
  }, [title]);
  return (
    <main className={classes.page}>
      <div className={classes.brand}>
        <img src="/favicon.svg" alt="" width={22} height={22} />
        Airdate
      </div>
      <div className={classes.card}>
        <h1 className={classes.title}>{title}</h1>
        {about && <p className={classes.about}>{about}</p>}
        {children}
      </div>
      {aside && <p className={classes.aside}>{aside}</p>}
    </main>
  );
}
