import { Skeleton } from '@mantine/core';

const TEN = Array.from({ length: 10 }, (_, i) => i);

export const TableSkeleton = () => (
  <div aria-hidden>
    {TEN.map((i) => (
      <Skeleton key={i} height={44} mb={9} radius={6} />
    ))}
  </div>
);
