/** Takes back what was added and removed, and keeps what someone else has changed since. */
export function labelsUndone(before: string[], after: string[], now: string[]): string[] {
  const isAdded = (id: string) => after.includes(id) && !before.includes(id);
  const isRemoved = (id: string) => before.includes(id) && !after.includes(id);
  const kept = now.filter((id) => !isAdded(id));
  return [...kept, ...before.filter((id) => isRemoved(id) && !kept.includes(id))];
}
