// Runs so many things at once, and only so many for one account: one that hangs must not keep the others waiting.

export interface Pool {
  readonly free: number;
  /** Accounts that have all they may have. */
  busyAccounts(): string[];
  /** Begins unless there is no room, or the same thing runs already. */
  start(id: string, accountId: string, task: () => Promise<void>): boolean;
  /** When everything that runs has ended. */
  idle(): Promise<void>;
}

export interface PoolEvents {
  /** Something has ended well, and there is room for the next. */
  onRoom(): void;
  /** Whatever failed comes again with the next turn, and not at once. */
  onError(error: unknown): void;
}

export function createPool(most: number, mostPerAccount: number, { onRoom, onError }: PoolEvents): Pool {
  const running = new Map<string, Promise<void>>();
  const perAccount = new Map<string, number>();
  const count = (accountId: string, by: number) => {
    const n = (perAccount.get(accountId) ?? 0) + by;
    if (n === 0) perAccount.delete(accountId);
    else perAccount.set(accountId, n);
  };
  const free = (id: string, accountId: string) => {
    running.delete(id);
    count(accountId, -1);
  };
  return {
    get free() {
      return most - running.size;
    },
    busyAccounts: () => [...perAccount].filter(([, n]) => n >= mostPerAccount).map(([id]) => id),
    start(id, accountId, task) {
      if (running.size >= most || running.has(id) || (perAccount.get(accountId) ?? 0) >= mostPerAccount)
        return false;
      count(accountId, +1);
      running.set(
        id,
        task().then(
          () => {
            free(id, accountId);
            onRoom();
          },
          (error) => {
            free(id, accountId);
            onError(error);
          },
        ),
      );
      return true;
    },
    async idle() {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}
