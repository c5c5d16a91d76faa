// What a caller may do. One list of scopes, one table of roles.

export const SCOPES = [
  'posts:read',
  'posts:write',
  'posts:publish',
  'analytics:read',
  'accounts:manage',
  'org:manage',
] as const;

export type Scope = (typeof SCOPES)[number];

const READ: Scope[] = ['posts:read', 'analytics:read'];
const EDIT: Scope[] = [...READ, 'posts:write', 'posts:publish'];

/** What each role of a person may do; people sign in with the dashboard. */
export const ROLE_SCOPES = {
  viewer: READ,
  editor: EDIT,
  admin: [...EDIT, 'accounts:manage', 'org:manage'],
  owner: SCOPES,
} as const satisfies Record<string, readonly Scope[]>;

export const ROLES = ['owner', 'admin', 'editor', 'viewer'] as const satisfies (keyof typeof ROLE_SCOPES)[];
export type Role = (typeof ROLES)[number];
