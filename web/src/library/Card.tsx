import type { Post, SocialAccount } from '@airdate/sdk';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { titleOf } from '../post/nextStep.js';
import { AccountTag } from '../ui/AccountTag.js';
import { Cover } from '../ui/Cover.js';
import { warningOf } from '../ui/readiness.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import { statusOf } from '../ui/status.js';
import classes from './Card.module.css';
import { NextStep } from './NextStep.js';
import { PostMenu } from './PostMenu.js';
import { SelectBox } from './SelectBox.js';
import type { Rights } from './useRights.js';
import { When } from './When.js';

export interface CardProps {
  post: Post;
  account: SocialAccount | undefined;
  may: Rights;
  isSelected: boolean;
  onSelect: (post: Post, isRange: boolean) => void;
}

export const Card = memo(function Card({ post, account, may, isSelected, onSelect }: CardProps) {
  const warning = warningOf(post);
  return (
    <li className={classes.card} data-post={post.id} data-selected={isSelected || undefined}>
      <div className={classes.cover}>
        <Cover post={post} />
        <div className={classes.steps}>
          <NextStep post={post} may={may} />
          <PostMenu post={post} may={may} className={classes.menu} />
        </div>
        {may.write && (
          <SelectBox post={post} isSelected={isSelected} onSelect={onSelect} className={classes.check} />
        )}
      </div>
      <h2 className={classes.title}>
        <Link
          to="/posts/$postId"
          params={{ postId: post.id }}
          className={classes.open}
          data-open
          title={titleOf(post)}
          onClick={(event) => {
            if (!event.shiftKey || !may.write) return;
            event.preventDefault();
            onSelect(post, true);
          }}
        >
          {titleOf(post)}
        </Link>
      </h2>
      <p className={classes.state}>
        <StatusBadge {...statusOf(post)} />
        <span>
          <When post={post} />
        </span>
      </p>
      {account && (
        <div className={classes.account}>
          <AccountTag account={account} />
        </div>
      )}
      {warning && <p className={classes.warning}>{warning}</p>}
    </li>
  );
});
