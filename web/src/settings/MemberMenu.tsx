import { Menu } from '@mantine/core';
import type { ReactElement } from 'react';
import { OpenMenu } from '../ui/OpenMenu.js';
import '../ui/overlays.css';

interface Props {
  button: ReactElement;
  onResetLink: () => void;
  /** Absent for who may not. */
  onSignOut?: (() => void) | undefined;
}

/** What is done for a member less often than removing them. */
export const MemberMenu = ({ button, onResetLink, onSignOut }: Props) => (
  <OpenMenu button={button} position="bottom-end" width={220}>
    <Menu.Item onClick={onResetLink}>Link for a new password…</Menu.Item>
    {onSignOut && <Menu.Item onClick={onSignOut}>Sign out everywhere…</Menu.Item>}
  </OpenMenu>
);
