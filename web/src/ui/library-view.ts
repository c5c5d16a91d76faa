import { useLocalStorage } from '@mantine/hooks';

type LibraryView = 'grid' | 'table';

/** How the library looks in this browser. */
export const useLibraryView = () =>
  useLocalStorage<LibraryView>({
    key: 'airdate-library-view',
    defaultValue: 'grid',
    getInitialValueInEffect: false,
  });
