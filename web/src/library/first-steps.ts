// The way to the first post, as far as the organization has come. What is done is read from its accounts and posts.
import type { PostCounts } from '@airdate/sdk/core';
import type { Scope } from '../api/queries.js';

export interface Step {
  name: 'connect' | 'create' | 'schedule';
  title: string;
  about: string;
  /** What a member needs to do it. */
  scope: Scope;
  isDone: boolean;
}

export function stepsOf(accounts: number, counts: Omit<PostCounts, 'in_inbox'>): Step[] {
  const { draft, scheduled, publishing, posted, archived } = counts;
  const sent = scheduled + publishing + posted;
  return [
    {
      name: 'connect',
      title: 'Connect an account',
      about: 'Where your posts are published.',
      scope: 'accounts:manage',
      isDone: accounts > 0,
    },
    {
      name: 'create',
      title: 'Create your first post',
      about: 'Add slides or a video, and write the caption.',
      scope: 'posts:write',
      isDone: draft + archived + sent > 0,
    },
    {
      name: 'schedule',
      title: 'Schedule it',
      about: 'Pick a time. It goes out on its own.',
      scope: 'posts:publish',
      isDone: sent > 0,
    },
  ];
}

/** The first step that is open, and that this person may do. */
export const nextFor = (steps: Step[], scopes: readonly Scope[]): Step['name'] | undefined =>
  steps.find(({ isDone, scope }) => !isDone && scopes.includes(scope))?.name;
