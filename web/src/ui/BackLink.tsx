import { useRouter } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import { goBack, wayBack } from './back-target.js';
import classes from './Page.module.css';

/** Back to the list or calendar that the page was opened from. */
export function BackLink() {
  const router = useRouter();
  const [{ href, name }] = useState(wayBack);
  return (
    <a
      href={href}
      className={classes.back}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        goBack(router);
      }}
    >
      <ArrowLeft size={16} aria-hidden />
      <span className="unseen">Back to </span>
      <span className={classes.place}>{name}</span>
    </a>
  );
}
