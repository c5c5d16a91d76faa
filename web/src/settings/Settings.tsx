import { Select } from '@mantine/core';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { useMay, useMe } from '../api/permissions.js';
import { EmptyState } from '../ui/EmptyState.js';
import { Page } from '../ui/Page.js';
import { ApiKeys } from './ApiKeys.js';
import { Appearance } from './Appearance.js';
import { AuditLog } from './AuditLog.js';
import { Members } from './Members.js';
import { OrganizationAndPlan } from './OrganizationAndPlan.js';
import { Security } from './Security.js';
import classes from './Settings.module.css';

interface Place {
  section: string;
  label: string;
  Content: ComponentType;
}

const route = getRouteApi('/inside/settings/$section');

export function Settings() {
  const { section } = route.useParams();
  const navigate = route.useNavigate();
  const places = usePlaces();
  const here = places.find((place) => place.section === section);
  const first = places[0];
  const refused = MANAGED.find((place) => place.section === section);
  if (!here && !refused)
    return first && <Navigate to="/settings/$section" params={{ section: first.section }} replace />;
  return (
    <Page title="Settings">
      <div className={classes.frame}>
        <nav className={classes.tabs} aria-label="Settings">
          {places.map((place) => (
            <Link
              key={place.section}
              to="/settings/$section"
              params={{ section: place.section }}
              className={classes.tab}
            >
              {place.label}
            </Link>
          ))}
        </nav>
        <Select
          className={classes.picker ?? ''}
          size="md"
          aria-label="Section"
          allowDeselect={false}
          data={places.map((place) => ({ value: place.section, label: place.label }))}
          value={here ? section : null}
          placeholder="Choose a section"
          onChange={(chosen) =>
            chosen && void navigate({ to: '/settings/$section', params: { section: chosen } })
          }
        />
        <div className={classes.content}>
          {here ? <here.Content /> : <NotAllowed what={refused?.label ?? ''} />}
        </div>
      </div>
    </Page>
  );
}

const MANAGED: Place[] = [
  { section: 'keys', label: 'API keys', Content: ApiKeys },
  { section: 'members', label: 'Members', Content: Members },
  { section: 'audit', label: 'Audit log', Content: AuditLog },
];

const NotAllowed = ({ what }: { what: string }) => (
  <EmptyState title="Only owners and admins can open this">
    Your role doesn’t include “{what}”. Ask an owner or admin for access.
  </EmptyState>
);

/** What this person may see. A key has no password and no session. */
function usePlaces(): Place[] {
  const mayManage = useMay('org:manage');
  const { user } = useMe();
  return [
    ...(mayManage ? MANAGED : []),
    { section: 'organization', label: 'Organization and plan', Content: OrganizationAndPlan },
    ...(user ? [{ section: 'security', label: 'Security', Content: Security }] : []),
    { section: 'appearance', label: 'Appearance', Content: Appearance },
  ];
}
