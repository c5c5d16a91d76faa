// A menu loads when it is first opened, so its button works alone until then.
import { Menu, type MenuItemProps, type MenuProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { type ComponentPropsWithRef, type ReactElement, type ReactNode, useEffect, useState } from 'react';
import './overlays.css';

interface Props extends Omit<MenuProps, 'opened' | 'onChange'> {
  /** With `autoFocus`: it replaces the button that was pressed, and gets the focus back. */
  button: ReactElement;
  children: ReactNode;
}

/** A menu that opens immediately. */
export function OpenMenu({ button, children, ...props }: Props) {
  const [isOpen, setOpen] = useState(false);
  // Mounted before it opens: only then does it return the focus to its button.
  useEffect(() => setOpen(true), []);
  return (
    <Menu {...props} opened={isOpen} onChange={setOpen} returnFocus>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

export const MenuLink = createLink(
  (props: MenuItemProps & Omit<ComponentPropsWithRef<'a'>, keyof MenuItemProps>) => (
    <Menu.Item {...props} component="a" />
  ),
);
