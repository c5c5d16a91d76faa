import { UnstyledButton } from '@mantine/core';
import { ChevronsUpDown } from 'lucide-react';
import { type ComponentPropsWithRef, useState } from 'react';
import { useMe } from '../api/permissions.js';
import { roleLabel } from '../text/roles.js';
import { lazyComponent, notifyLoadFailed } from '../ui/lazy.js';
import classes from './Shell.module.css';

const Opened = lazyComponent(async () => (await import('./PersonMenuItems.js')).PersonMenuItems);

/** Who is signed in, and signing out. Absent for a key. */
export function PersonMenu() {
  const { user } = useMe();
  const [isUsed, setUsed] = useState(false);
  if (!user) return null;
  const fail = () => {
    setUsed(false);
    notifyLoadFailed();
  };
  return (
    <Opened
      button={<Person autoFocus />}
      isNeeded={isUsed}
      onFailure={fail}
      meanwhile={
        <Person aria-haspopup="menu" onPointerEnter={Opened.prepare} onClick={() => setUsed(true)} />
      }
    />
  );
}

function Person(props: ComponentPropsWithRef<'button'>) {
  const { user, role } = useMe();
  return (
    <UnstyledButton {...props} className={classes.person ?? ''}>
      <span className={classes.personWords}>
        <span className={classes.personName}>{user?.name}</span>
        {role && <span className={classes.personRole}>{roleLabel(role)}</span>}
      </span>
      <ChevronsUpDown size={14} aria-hidden />
    </UnstyledButton>
  );
}
