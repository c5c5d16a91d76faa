import type { Me } from '@airdate/sdk/core';

export type Role = NonNullable<Me['role']>;

/** From the most to the least permissions. */
export const ROLES: { role: Role; label: string; may: string }[] = [
  { role: 'owner', label: 'Owner', may: 'Full access, including choosing owners.' },
  { role: 'admin', label: 'Admin', may: 'Everything editors can do, plus accounts, API keys and members.' },
  { role: 'editor', label: 'Editor', may: 'Write, schedule and publish posts.' },
  { role: 'viewer', label: 'Viewer', may: 'View posts and analytics only.' },
];

export const roleLabel = (role: Role): string => ROLES.find((one) => one.role === role)?.label ?? role;

/** "an editor". */
export const asRole = (role: Role): string => {
  const name = roleLabel(role).toLowerCase();
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
};

/** Only an owner may appoint or demote an owner. */
export const rolesGivenBy = (own: Role | null) =>
  ROLES.filter(({ role }) => role !== 'owner' || own === 'owner');
