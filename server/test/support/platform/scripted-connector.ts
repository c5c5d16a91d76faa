// The real connector with a test beside it: calls are counted, replaced, or stopped on their way to the platform.
import type { Connector } from '../../../src/connectors/connector.js';

/** Something that many wait for, and one opens. */
export class Latch {
  open: () => void = () => {};
  readonly opened: Promise<void> = new Promise((resolve) => {
    this.open = resolve;
  });
}

/** The real connector; a test can have something done right before a call leaves, and right after the answer to an init came. */
export class ScriptedConnector {
  beforeCreator: (() => Promise<void>) | null = null;
  beforeInit: (() => Promise<void>) | null = null;
  afterInit: (() => Promise<void>) | null = null;
  private readonly stopped = new Set<Latch>();

  /** Whatever a test has stopped and, having failed, has not let go. */
  reset(): void {
    this.beforeCreator = null;
    this.beforeInit = null;
    this.afterInit = null;
    for (const going of this.stopped) going.open();
    this.stopped.clear();
  }

  readonly wrap = (real: Connector): Connector => {
    const steer = async <T>(init: () => Promise<T>): Promise<T> => {
      await this.beforeInit?.();
      const outcome = await init();
      await this.afterInit?.();
      return outcome;
    };
    return {
      ...real,
      creator: async (...given) => {
        await this.beforeCreator?.();
        return real.creator(...given);
      },
      submit: (...given) => steer(() => real.submit(...given)),
      prepare: (...given) => steer(() => real.prepare(...given)),
    };
  };

  /** The next init waits before it leaves until it is let go; `reached` once it is there. */
  stopBeforeInit(): { reached: Promise<void>; release(): void } {
    const reached = new Latch();
    const going = new Latch();
    this.stopped.add(going);
    this.beforeInit = async () => {
      this.beforeInit = null;
      reached.open();
      await going.opened;
    };
    return { reached: reached.opened, release: going.open };
  }
}

type Watched = 'renew' | 'exchange' | 'revoke' | 'creator' | 'identity';

/** The real connector, counted, and with something done instead of a call if a test says so. */
export class WatchedConnector {
  calls: Watched[] = [];
  instead: Partial<Pick<Connector, Watched>> = {};
  real: Connector | null = null;

  readonly wrap = (real: Connector): Connector => {
    this.real = real;
    const watch = <Name extends Watched>(name: Name) => {
      const call = (...given: never[]) => {
        this.calls.push(name);
        const act = (this.instead[name] ?? real[name]) as (...given: never[]) => unknown;
        return act(...given);
      };
      return call as unknown as Connector[Name];
    };
    return {
      ...real,
      renew: watch('renew'),
      exchange: watch('exchange'),
      revoke: watch('revoke'),
      creator: watch('creator'),
      identity: watch('identity'),
    };
  };

  reset(): void {
    this.calls = [];
    this.instead = {};
  }

  count(name: Watched): number {
    return this.calls.filter((call) => call === name).length;
  }
}
