import type { Post } from '@airdate/sdk/core';
import { ActionIcon, Button, CloseButton, Kbd, TextInput } from '@mantine/core';
import { useDebouncedCallback, useWindowEvent } from '@mantine/hooks';
import { FileUp, Search as Glass, LayoutGrid, Plus, Rows3 } from 'lucide-react';
import { memo, useEffect, useRef, useState } from 'react';
import { useMay, useMe } from '../api/queries.js';
import { lazyDialog } from '../ui/lazy.js';
import { useLibraryView } from '../ui/library-view.js';
import { ButtonLink } from '../ui/links.js';
import { isTyping } from '../ui/typing.js';
import { nextFor } from './first-steps.js';
import classes from './Library.module.css';
import { useChangeSearch, useLibrarySearch } from './query.js';
import { useFirstSteps } from './useFirstSteps.js';

const ImportDialog = lazyDialog(async () => (await import('./import/ImportDialog.js')).ImportDialog);

/** Not drawn again with each answer that the list gets. */
export const Header = memo(function Header({ onShow }: { onShow: (posts: Post[]) => void }) {
  const mayWrite = useMay('posts:write');
  const { scopes } = useMe();
  const { steps } = useFirstSteps();
  // The one thing to do first has its own button.
  const isConnectingFirst = steps !== undefined && nextFor(steps, scopes) === 'connect';
  return (
    <>
      <SearchBox />
      <ViewToggle />
      {mayWrite && <ImportButton onShow={onShow} />}
      {mayWrite && (
        <ButtonLink
          to="/posts/new"
          variant={isConnectingFirst ? 'default' : 'filled'}
          leftSection={<Plus size={15} />}
          className={classes.new ?? ''}
          aria-label="New post"
        >
          New<span className={classes.newWord}>&nbsp;post</span>
        </ButtonLink>
      )}
    </>
  );
});

function ImportButton({ onShow }: { onShow: (posts: Post[]) => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        className={classes.import ?? ''}
        aria-label="Import posts"
        title="Import posts from a CSV file"
        onClick={() => setOpen(true)}
      >
        <FileUp size={16} />
        <span className={classes.importWord}>Import</span>
      </Button>
      <ImportDialog opened={isOpen} onClose={() => setOpen(false)} onShow={onShow} />
    </>
  );
}

function ViewToggle() {
  const [view, setView] = useLibraryView();
  const isTable = view === 'table';
  const label = isTable ? 'Show as grid' : 'Show as table';
  return (
    <ActionIcon
      variant="default"
      size={36}
      className={classes.view ?? ''}
      aria-label={label}
      title={label}
      onClick={() => setView(isTable ? 'grid' : 'table')}
    >
      {isTable ? <LayoutGrid size={16} /> : <Rows3 size={16} />}
    </ActionIcon>
  );
}

const TYPING_MS = 250;

/** The search is in the URL; the box is ahead of it while the user types. */
function SearchBox() {
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
      leftSection={<Glass size={15} />}
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
