// The sections of the settings, in their order.
import type { ComponentType } from 'react';
import { ApiKeys } from './ApiKeys.js';
import { Appearance } from './Appearance.js';
import { AuditLog } from './AuditLog.js';
import { LazyWebhooks } from './LazyWebhooks.js';
import { Members } from './Members.js';
import { OrganizationAndPlan } from './OrganizationAndPlan.js';
import { Profile } from './Profile.js';
import { Security } from './Security.js';

export interface SettingsSection {
  section: string;
  label: string;
  Content: ComponentType;
  /** It is about the signed-in person. */
  isPersonal?: true;
  /** What only owners and admins can do there, after "can". */
  onlyAdmins?: string;
}

export const GROUPS: { name: string; places: SettingsSection[] }[] = [
  {
    name: 'You',
    places: [
      { section: 'profile', label: 'Profile', Content: Profile, isPersonal: true },
      { section: 'security', label: 'Security', Content: Security, isPersonal: true },
      { section: 'appearance', label: 'Appearance', Content: Appearance },
    ],
  },
  {
    name: 'Organization',
    places: [
      { section: 'organization', label: 'Organization and plan', Content: OrganizationAndPlan },
      { section: 'members', label: 'Members', Content: Members, onlyAdmins: 'manage members' },
      { section: 'keys', label: 'API keys', Content: ApiKeys, onlyAdmins: 'manage API keys' },
      { section: 'webhooks', label: 'Webhooks', Content: LazyWebhooks, onlyAdmins: 'manage webhooks' },
      { section: 'audit', label: 'Audit log', Content: AuditLog, onlyAdmins: 'see the audit log' },
    ],
  },
];
