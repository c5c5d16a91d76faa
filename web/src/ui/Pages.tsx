import { Pagination } from '@mantine/core';

/** Links to the pages of a list. */
export const Pages = (props: { total: number; value: number; onChange: (page: number) => void }) => (
  <Pagination
    {...props}
    size="md"
    getItemProps={(page) => ({ 'aria-label': `Page ${page}` })}
    getControlProps={(control) => ({
      'aria-label': control === 'next' ? 'Next page' : 'Previous page',
    })}
  />
);
