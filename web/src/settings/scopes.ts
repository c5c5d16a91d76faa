import type { Scope } from '../api/queries.js';

export const SCOPES: { scope: Scope; label: string; may: string }[] = [
  { scope: 'posts:read', label: 'Read posts', may: 'View posts, their files and their publish attempts' },
  {
    scope: 'posts:write',
    label: 'Write posts',
    may: 'Create, edit, archive and delete posts, and upload files',
  },
  {
    scope: 'posts:publish',
    label: 'Publish posts',
    may: 'Publish and schedule posts, and resolve unknown outcomes',
  },
  { scope: 'analytics:read', label: 'Read analytics', may: 'View figures and timelines' },
  { scope: 'accounts:manage', label: 'Manage accounts', may: 'Connect and disconnect accounts' },
  { scope: 'org:manage', label: 'Manage the organization', may: 'Manage API keys, members and webhooks' },
];

export const PRESETS: { label: string; scopes: Scope[] }[] = [
  { label: 'Read only', scopes: ['posts:read', 'analytics:read'] },
  { label: 'Write and publish', scopes: ['posts:read', 'posts:write', 'posts:publish'] },
  { label: 'Everything', scopes: SCOPES.map(({ scope }) => scope) },
];

const labelOf = (scope: Scope): string => SCOPES.find((one) => one.scope === scope)?.label ?? scope;

/** "Everything", or each by its name. */
export const scopesText = (scopes: Scope[]): string =>
  scopes.length === SCOPES.length ? 'Everything' : scopes.map(labelOf).join(', ');
