// What a caller may do: the list of scopes, and the scopes of each role.

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

/** The scopes of each role; people sign in to the dashboard. */
export const ROLE_SCOPES = {
  viewer: READ,
  editor: EDIT,
  admin: [...EDIT, 'accounts:manage', 'org:manage'],
  owner: SCOPES,
} as const satisfies Record<string, readonly Scope[]>;

export const ROLES = ['owner', 'admin', 'editor', 'viewer'] as const satisfies (keyof typeof ROLE_SCOPES)[];
export type Role = (typeof ROLES)[number];

interface GivenKey {
  scopes: string;
  created_by: string | null;
  /** The role of the person who made it; null if they are no longer a member, or the operator made the key. */
  maker_role: Role | null;
}

/** The current scopes of a key: those it was given, limited to its maker's. Null: its maker is gone, so the key has ended. */
export function effectiveScopes({ scopes, created_by, maker_role }: GivenKey): Scope[] | null {
  const given = scopes.split(' ') as Scope[];
  if (created_by === null) return given;
  if (maker_role === null) return null;
  const allowed: readonly Scope[] = ROLE_SCOPES[maker_role];
  return given.filter((scope) => allowed.includes(scope));
}
