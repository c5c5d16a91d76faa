import type { ReactNode } from 'react';
import classes from './Settings.module.css';

interface SectionProps {
  title: string;
  /** What it is for. */
  children: ReactNode;
  about?: ReactNode;
  action?: ReactNode;
}

/** One block of settings: what it is about, and its actions on the right. */
export function Section({ title, about, action, children }: SectionProps) {
  return (
    <section className={classes.section}>
      <header className={classes.head}>
        <div>
          <h2 className={classes.title}>{title}</h2>
          {about && <p className={classes.about}>{about}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  );
}
