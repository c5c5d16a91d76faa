import { CloseButton, Kbd, TextInput } from '@mantine/core';
import { useDebouncedCallback, useWindowEvent } from '@mantine/hooks';
import { Search as Glass } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import classes from './Library.module.css';
import { useChangeSearch, useLibrarySearch } from './query.js';
import { isTyping } from './typing.js';

const TYPING_MS = 250;

/** The search is in the URL; the box is ahead of it while the user types. */
export function SearchBox() {
  const { q = '', focus, page } = useLibrarySearch();
  const change = useChangeSearch();
  const box = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(q);
  const sent = useRef(q);
  const send = useDebouncedCallback((text: string) => {
    sent.current = text;
    change({ q: text === '' ? undefined : text });
  }, TYPING_MS);

  // The user went back, or cleared the filters: the URL wins.
  useEffect(() => {
    if (q === sent.current) return;
    sent.current = q;
    setTyped(q);
  }, [q]);

  useEffect(() => {
    if (!focus) return;
    box.current?.focus();
    box.current?.select();
    change({ focus: undefined, page });
  }, [focus, page, change]);

  // Here the key focuses the box directly; the shortcut would open the library without its filters.
  useWindowEvent(
    'keydown',
    (event) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      event.stopImmediatePropagation();
      box.current?.focus();
      box.current?.select();
    },
    { capture: true },
  );

  const type = (text: string) => {
    setTyped(text);
    send(text.trim());
  };
  return (
    <TextInput
      ref={box}
      type="search"
      className={classes.search ?? ''}
      aria-label="Search title, caption and hashtags"
      placeholder="Search"
      maxLength={100}
      leftSection={<Glass size={15} aria-hidden />}
      rightSection={
        typed === '' ? (
          <Kbd size="xs" className={classes.hint ?? ''} aria-hidden>
            /
          </Kbd>
        ) : (
          <CloseButton size="sm" aria-label="Clear search" onClick={() => type('')} />
        )
      }
      value={typed}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') box.current?.blur();
      }}
    />
  );
}
