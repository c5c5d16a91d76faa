import { useLocalStorage } from '@mantine/hooks';

type LibraryView = 'grid' | 'table';

/** The library's view in this browser. */
export const useLibraryView = () =>
  useLocalStorage<LibraryView>({
    key: 'airdate-library-view',
    defaultValue: 'grid',
    getInitialValueInEffect: false,
  });
