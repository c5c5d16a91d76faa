// The compact view for people with thousands of posts.
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { shownName } from '../accounts/useKnownAccounts.js';
import { LabelChips } from '../labels/LabelChip.js';
import { titleOf } from '../text/post-title.js';
import { statusOf } from '../text/status.js';
import { AccountTag } from '../ui/AccountAvatar.js';
import { Cover } from '../ui/Cover.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import { type CardProps, PostNote, SelectAllBox, SelectBox, When } from './Card.js';
import { type PostsProps, propsOf } from './Grid.js';
import { PostMenu } from './PostMenu.js';
import classes from './PostTable.module.css';

export function PostTable(all: PostsProps) {
  const { posts, selection, may } = all;
  const chosen = posts.filter(({ id }) => selection.has(id)).length;
  const isAll = chosen === posts.length && posts.length > 0;
  return (
    <table className={classes.table} aria-label="Posts">
      <thead>
        <tr>
          {may.write && (
            <th className={classes.box}>
              <SelectAllBox
                isAll={isAll}
                isSome={chosen > 0}
                onChange={() => (isAll ? selection.clear() : selection.addAll(posts))}
              />
            </th>
          )}
          <th>Post</th>
          <th className={classes.wide}>Status</th>
          <th className={classes.wide}>Type</th>
          <th className={classes.wide}>Account</th>
          <th className={classes.wide}>Time</th>
          <th className={classes.box}>
            <span className="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {posts.map((post) => (
          <Row key={post.id} {...propsOf(post, all)} />
        ))}
      </tbody>
    </table>
  );
}

const Row = memo(function Row({ post, account, labels, may, isSelected, onSelect }: CardProps) {
  return (
    <tr data-post={post.id} className={classes.row} data-selected={isSelected || undefined}>
      {may.write && (
        <td>
          <SelectBox post={post} isSelected={isSelected} onSelect={onSelect} />
        </td>
      )}
      <td>
        <div className={classes.post}>
          <Cover post={post} isSmall />
          <div className={classes.words}>
            <span className={classes.name}>
              <Link
                to="/posts/$postId"
                params={{ postId: post.id }}
                className={classes.title}
                dir="auto"
                data-open
              >
                {titleOf(post)}
              </Link>
              <LabelChips ids={post.labels} labels={labels} />
            </span>
            <span className={classes.narrow}>
              <StatusBadge {...statusOf(post)} /> <When post={post} />
            </span>
            <PostNote post={post} isOneLine />
          </div>
        </div>
      </td>
      <td className={classes.wide}>
        <StatusBadge {...statusOf(post)} />
      </td>
      <td className={classes.wide}>{post.post_type === 'video' ? 'Video' : 'Slides'}</td>
      <td className={classes.wide}>
        {account && <AccountTag account={account} name={shownName(account)} />}
      </td>
      <td className={classes.wide}>
        <When post={post} />
      </td>
      <td>
        <PostMenu post={post} may={may} className={classes.menu} />
      </td>
    </tr>
  );
});
