import { Select, type SelectProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import './overlays.css';

/** `isOpenAtOnce` when it replaces a button that was pressed. */
export function OpenSelect({ isOpenAtOnce, ...props }: SelectProps & { isOpenAtOnce: boolean }) {
  const [isOpen, setOpen] = useState(false);
  // Mounted before it opens: the list takes its place from the field.
  useEffect(() => {
    if (isOpenAtOnce) setOpen(true);
  }, [isOpenAtOnce]);
  return (
    <Select
      {...props}
      autoFocus={isOpenAtOnce}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
    />
  );
}
