import { NativeSelect } from '@mantine/core';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useMe } from '../api/queries.js';
import { asRole } from '../text/roles.js';
import { EmptyState, Page } from '../ui/Page.js';
import classes from './Settings.module.css';
import { GROUPS, type SettingsSection } from './sections.js';

const route = getRouteApi('/inside/settings/$section');

export function Settings() {
  const { section } = route.useParams();
  const navigate = route.useNavigate();
  const groups = useGroups();
  const places = groups.flatMap((group) => group.places);
  const here = places.find((place) => place.section === section);
  const refused = ALL.find((place) => place.section === section && place.onlyAdmins);
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

const ALL: SettingsSection[] = GROUPS.flatMap((group) => group.places);

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
