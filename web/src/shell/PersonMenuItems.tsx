import { Menu } from '@mantine/core';
import { CircleUser, LogOut, Moon, ShieldCheck } from 'lucide-react';
import type { ReactElement } from 'react';
import { useMe } from '../api/queries.js';
import { useSignOut } from '../auth/queries.js';
import { showFailure } from '../ui/action-notice.js';
import { MenuLink, OpenMenu } from '../ui/OpenMenu.js';
import '../ui/overlays.css';

export function PersonMenuItems({ button }: { button: ReactElement }) {
  const { user } = useMe();
  const signOut = useSignOut();
  const leave = () =>
    signOut.mutate(undefined, {
      onError: (error) => showFailure('You’re still signed in', error),
    });
  const settings = '/settings/$section';
  return (
    <OpenMenu button={button} position="top-start" width="target">
      {user?.email && <Menu.Label>{user.email}</Menu.Label>}
      <MenuLink to={settings} params={{ section: 'profile' }} leftSection={<CircleUser size={14} />}>
        Profile
      </MenuLink>
      <MenuLink to={settings} params={{ section: 'security' }} leftSection={<ShieldCheck size={14} />}>
        Security
      </MenuLink>
      <MenuLink to={settings} params={{ section: 'appearance' }} leftSection={<Moon size={14} />}>
        Appearance
      </MenuLink>
      <Menu.Divider />
      <Menu.Item leftSection={<LogOut size={14} />} onClick={leave}>
        Sign out
      </Menu.Item>
    </OpenMenu>
  );
}
