import { Menu, UnstyledButton } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Link } from '@tanstack/react-router';
import { ChevronsUpDown, LogOut, Moon, ShieldCheck } from 'lucide-react';
import { messageOf } from '../api/client.js';
import { useMe } from '../api/permissions.js';
import { useSignOut } from '../entry/useSignOut.js';
import { roleLabel } from '../settings/roles.js';
import classes from './Shell.module.css';

/** Who is signed in, and signing out. Absent for a key. */
export function PersonMenu() {
  const { user, role } = useMe();
  const signOut = useSignOut();
  if (!user) return null;
  const leave = () =>
    signOut.mutate(undefined, {
      onError: (error) =>
        notifications.show({ color: 'red', title: 'You’re still signed in', message: messageOf(error) }),
    });
  return (
    <Menu position="top-start" width="target" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <UnstyledButton className={classes.person ?? ''}>
          <span className={classes.personWords}>
            <span className={classes.personName}>{user.name}</span>
            {role && <span className={classes.personRole}>{roleLabel(role)}</span>}
          </span>
          <ChevronsUpDown size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {user.email && <Menu.Label>{user.email}</Menu.Label>}
        <Menu.Item
          component={Link}
          to="/settings/security"
          leftSection={<ShieldCheck size={14} aria-hidden />}
        >
          Security
        </Menu.Item>
        <Menu.Item component={Link} to="/settings/appearance" leftSection={<Moon size={14} aria-hidden />}>
          Appearance
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={14} aria-hidden />} onClick={leave}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
