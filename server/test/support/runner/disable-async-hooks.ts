// Loaded before the tests. Node's test runner follows every promise from its creation to its end, to name the test from which
// a stray error came: a seventh of the CPU time of all tests. Here it follows its tests and suites only. A stray error still
// fails the run, under the name of its file.
import { createHook } from 'node:async_hooks';

type Init = (id: number, type: string, trigger: number, resource: object) => void;
type Callbacks = Record<symbol, unknown>;

const prototype = Object.getPrototypeOf(createHook({})) as { enable(this: Callbacks): unknown };
const { enable } = prototype;

/** The runner's hook is the first that waits for the end of what it follows. */
prototype.enable = function () {
  const named = (name: string) => Object.getOwnPropertySymbols(this).find((key) => key.description === name);
  const init = named('init');
  const destroy = named('destroy');
  if (init !== undefined && destroy !== undefined && this[init] && this[destroy]) {
    prototype.enable = enable;
    const original = this[init] as Init;
    this[init] = (id: number, type: string, trigger: number, resource: object) => {
      if (type === 'Test') original(id, type, trigger, resource);
    };
    this[destroy] = undefined;
  }
  return enable.call(this);
};
