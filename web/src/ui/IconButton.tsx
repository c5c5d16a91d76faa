import { ActionIcon, type ActionIconProps } from '@mantine/core';
import { Ellipsis, type LucideIcon } from 'lucide-react';
import type { ComponentPropsWithRef } from 'react';

type ButtonProps = ActionIconProps & Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps>;

interface Props extends ButtonProps {
  label: string;
  icon: LucideIcon;
  iconSize?: number;
}

/** A button without words: screen readers get its label. */
export const IconButton = ({ label, icon: Icon, iconSize = 16, ...props }: Props) => (
  <ActionIcon variant="subtle" color="gray" size={32} aria-label={label} {...props}>
    <Icon size={iconSize} />
  </ActionIcon>
);

/** Opens a menu of further actions. */
export const Dots = ({ label = 'More actions', ...props }: ButtonProps & { label?: string }) => (
  <IconButton variant="default" label={label} icon={Ellipsis} {...props} />
);
