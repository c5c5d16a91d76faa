import { ActionIcon, Button } from '@mantine/core';
import { FileUp, LayoutGrid, Plus, Rows3 } from 'lucide-react';
import { memo, useState } from 'react';
import { useMay, useMe } from '../api/permissions.js';
import { lazyDialog } from '../ui/lazy.js';
import { useLibraryView } from '../ui/library-view.js';
import { ButtonLink } from '../ui/links.js';
import { nextFor } from './first-steps.js';
import classes from './Library.module.css';
import { SearchBox } from './SearchBox.js';
import { useFirstSteps } from './useFirstSteps.js';

const ImportDialog = lazyDialog(async () => (await import('./import/ImportDialog.js')).ImportDialog);

/** Not drawn again with each answer that the list gets. */
export const Header = memo(function Header() {
  const mayWrite = useMay('posts:write');
  const { scopes } = useMe();
  const { steps } = useFirstSteps();
  // The one thing to do first has its own button.
  const isConnectingFirst = steps !== undefined && nextFor(steps, scopes) === 'connect';
  return (
    <>
      <SearchBox />
      <ViewToggle />
      {mayWrite && <ImportButton />}
      {mayWrite && (
        <ButtonLink
          to="/posts/new"
          variant={isConnectingFirst ? 'default' : 'filled'}
          leftSection={<Plus size={15} aria-hidden />}
          className={classes.new ?? ''}
          aria-label="New post"
        >
          New<span className={classes.newWord}>&nbsp;post</span>
        </ButtonLink>
      )}
    </>
  );
});

function ImportButton() {
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
        <FileUp size={16} aria-hidden />
        <span className={classes.importWord}>Import</span>
      </Button>
      <ImportDialog opened={isOpen} onClose={() => setOpen(false)} />
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
      {isTable ? <LayoutGrid size={16} aria-hidden /> : <Rows3 size={16} aria-hidden />}
    </ActionIcon>
  );
}
