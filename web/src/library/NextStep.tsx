import type { Post } from '@airdate/sdk/core';
import { Link } from '@tanstack/react-router';
import { nextStepInList } from '../post/blockers.js';
import { addMediaLabel, fixLabel } from '../post/nextStep.js';
import { titleOf } from '../text/post-title.js';
import { isUploading } from '../text/readiness.js';
import classes from './Card.module.css';
import type { Rights } from './useRights.js';

/** The next sensible step, on the cover of posts that need one. */
export function NextStep({ post, may }: { post: Post; may: Rights }) {
  const step = nextStepInList(post);
  const params = { postId: post.id };
  // What it needs is on its way.
  if (step === 'add-media' && isUploading(post)) return null;
  if (may.write && (step === 'add-media' || step === 'fix')) {
    const label = step === 'fix' ? fixLabel(post) : addMediaLabel(post);
    return (
      <Link to="/posts/$postId/edit" params={params} className={classes.step} aria-label={named(label, post)}>
        {label}
      </Link>
    );
  }
  if (may.publish && (step === 'publish' || step === 'resolve')) {
    const label = step === 'publish' ? 'Publish…' : 'Resolve…';
    return (
      <Link
        to="/posts/$postId"
        params={params}
        search={step === 'publish' ? { publish: true } : {}}
        className={classes.step}
        aria-label={named(label, post)}
      >
        {label}
      </Link>
    );
  }
  if (may.manage && step === 'reconnect')
    return (
      <Link to="/accounts" className={classes.step} aria-label={`Reconnect the account of ${titleOf(post)}`}>
        Reconnect
      </Link>
    );
  return null;
}

const named = (label: string, post: Post) => `${label} ${titleOf(post)}`;
