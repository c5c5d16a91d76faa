import { useEffect, useRef } from 'react';

/** After the closed dialog has tried to return the focus. */
const FOCUS_MS = 400;

/**
 * Where the focus goes when a dialog closes and the element that had it before is gone, or there was none because a key or the
 * URL opened the dialog.
 */
export function useFocusAfterDialog(isOpen: boolean, find: () => HTMLElement | null | undefined): void {
  const latest = useRef(find);
  latest.current = find;
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    const hasClosed = wasOpen.current && !isOpen;
    wasOpen.current = isOpen;
    if (!hasClosed) return;
    const timer = setTimeout(() => {
      if (document.activeElement === document.body) latest.current()?.focus();
    }, FOCUS_MS);
    return () => clearTimeout(timer);
  }, [isOpen]);
}
