import type { Me } from '@airdate/sdk';

export type Role = NonNullable<Me['role']>;

/** From the most to the least permissions. */
export const ROLES: { role: Role; label: string; may: string }[] = [
  { role: 'owner', label: 'Owner', may: 'Everything, and decides who is an owner.' },
  { role: 'admin', label: 'Admin', may: 'Also connects accounts, issues API keys and manages members.' },
  { role: 'editor', label: 'Editor', may: 'Writes, schedules and publishes posts.' },
  { role: 'viewer', label: 'Viewer', may: 'Sees posts and analytics, changes nothing.' },
];

export const roleLabel = (role: Role): string => ROLES.find((one) => one.role === role)?.label ?? role;

/** Only an owner may appoint or demote an owner. */
export const rolesGivenBy = (own: Role | null) =>
  ROLES.filter(({ role }) => role !== 'owner' || own === 'owner');
