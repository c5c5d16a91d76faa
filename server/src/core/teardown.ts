// Closes what a process has opened, in reverse order and once each, even if startup failed.

export interface Teardown {
  readonly hasBegun: boolean;
  /** Runs before everything that was added earlier. */
  add(dispose: () => unknown): void;
  /** Every step is tried; fails with the first error. A second call waits for the first. */
  run(): Promise<void>;
}

export function createTeardown(): Teardown {
  const steps: (() => unknown)[] = [];
  let running: Promise<void> | undefined;

  async function runAll(): Promise<void> {
    const errors: unknown[] = [];
    for (let dispose = steps.pop(); dispose; dispose = steps.pop())
      try {
        await dispose();
      } catch (error) {
        errors.push(error);
      }
    if (errors.length > 0) throw errors[0];
  }

  return {
    get hasBegun() {
      return running !== undefined;
    },
    add: (dispose) => void steps.push(dispose),
    run() {
      running ??= runAll();
      return running;
    },
  };
}
