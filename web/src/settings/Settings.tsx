import { NativeSelect, useMantineColorScheme } from '@mantine/core';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import { type ComponentType, Fragment } from 'react';
import { useMe } from '../api/queries.js';
import { asRole } from '../text/roles.js';
import { useLibraryView } from '../ui/library-view.js';
import { EmptyState, Page } from '../ui/Page.js';
import { Segments } from '../ui/Segments.js';
import { ApiKeys } from './ApiKeys.js';
import { AuditLog } from './AuditLog.js';
import { LazyWebhooks } from './LazyWebhooks.js';
import { Members } from './Members.js';
import { OrganizationAndPlan } from './OrganizationAndPlan.js';
import { Profile } from './Profile.js';
import { Section } from './Section.js';
import { Security } from './Security.js';
import classes from './Settings.module.css';

const route = getRouteApi('/inside/settings/$section');

export function Settings() {
  const { section } = route.useParams();
  const navigate = route.useNavigate();
  const groups = useGroups();
  const places = groups.flatMap((group) => group.places);
  const here = places.find((place) => place.section === section);
  const refused = GROUPS.flatMap((group) => group.places).find(
    (place) => place.section === section && place.onlyAdmins,
  );
  const [first] = places;
  if (!here && !refused)
    return first && <Navigate to="/settings/$section" params={{ section: first.section }} replace />;
  return (
    <Page title="Settings">
      <div className={classes.frame}>
        <nav className={classes.tabs} aria-label="Settings">
          {groups.map((group) => (
            <Fragment key={group.name}>
              <p className={classes.group}>{group.name}</p>
              {group.places.map((place) => (
                <Link
                  key={place.section}
                  to="/settings/$section"
                  params={{ section: place.section }}
                  className={classes.tab}
                >
                  {place.label}
                </Link>
              ))}
            </Fragment>
          ))}
        </nav>
        <NativeSelect
          className={classes.picker ?? ''}
          size="md"
          aria-label="Section"
          value={here ? section : ''}
          onChange={({ currentTarget }) =>
            void navigate({ to: '/settings/$section', params: { section: currentTarget.value } })
          }
        >
          {!here && (
            <option value="" disabled>
              Choose a section
            </option>
          )}
          {groups.map((group) => (
            <optgroup key={group.name} label={group.name}>
              {group.places.map((place) => (
                <option key={place.section} value={place.section}>
                  {place.label}
                </option>
              ))}
            </optgroup>
          ))}
        </NativeSelect>
        <div className={classes.content}>
          {here ? <here.Content /> : <NotAllowed what={refused?.onlyAdmins ?? ''} />}
        </div>
      </div>
    </Page>
  );
}

function NotAllowed({ what }: { what: string }) {
  const { role } = useMe();
  return (
    <EmptyState title={`Only owners and admins can ${what}`}>
      {role ? `You’re signed in as ${asRole(role)}. ` : ''}Ask an owner or admin for access.
    </EmptyState>
  );
}

/** What this person may see. A key has no profile and no session. */
function useGroups() {
  const { user, scopes } = useMe();
  const mayManage = scopes.includes('org:manage');
  const isShown = (place: SettingsSection) =>
    (place.onlyAdmins === undefined || mayManage) && (!place.isPersonal || user !== null);
  return GROUPS.map(({ name, places }) => ({ name, places: places.filter(isShown) }));
}

// The sections of the settings, in their order.
interface SettingsSection {
  section: string;
  label: string;
  Content: ComponentType;
  /** It is about the signed-in person. */
  isPersonal?: true;
  /** What only owners and admins can do there, after "can". */
  onlyAdmins?: string;
}

const GROUPS: { name: string; places: SettingsSection[] }[] = [
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

/** Both settings belong to this browser, not to the person: a phone may look different from a desktop. */
function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [view, setView] = useLibraryView();
  return (
    <>
      <Section title="Theme" about="Saved in this browser.">
        <Segments
          aria-label="Theme"
          value={colorScheme}
          onChange={setColorScheme}
          data={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
            { value: 'auto', label: 'Match system' },
          ]}
        />
      </Section>
      <Section title="Library" about="How the library opens in this browser.">
        <Segments
          aria-label="Library view"
          value={view}
          onChange={setView}
          data={[
            { value: 'grid', label: 'Grid' },
            { value: 'table', label: 'Table' },
          ]}
        />
      </Section>
    </>
  );
}
