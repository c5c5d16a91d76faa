// Links of the router that look like something else.
import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

type AsAnchor<Props> = Props & Omit<ComponentPropsWithRef<'a'>, keyof Props>;

export const ButtonLink = createLink((props: AsAnchor<ButtonProps>) => <Button {...props} component="a" />);

/** Inside a sentence. */
export const TextLink = createLink((props: AsAnchor<AnchorProps>) => (
  <Anchor inherit underline="always" {...props} />
));
