// Many at a time, but not all together.

/** Runs the work for every item, so many at a time. */
export async function inParallel<T>(
  width: number,
  items: readonly T[],
  work: (item: T, i: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let i = next++; i < items.length; i = next++) await work(items[i] as T, i);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
