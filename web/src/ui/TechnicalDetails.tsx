import type { ReactNode } from 'react';
import classes from './TechnicalDetails.module.css';

/** What support asks for: codes and ids, out of the way. */
export const TechnicalDetails = ({ children }: { children: ReactNode }) => (
  <details className={classes.technical}>
    <summary>Technical details</summary>
    {children}
  </details>
);
