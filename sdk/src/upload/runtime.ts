// The modules of Node that an upload uses if they are there: in Node, Bun and Deno. Asked for at run time, so that bundlers for
// browsers find no import.

interface Builtins {
  'node:crypto': typeof import('node:crypto');
  'node:fs': typeof import('node:fs');
  'node:http': typeof import('node:http');
  'node:https': typeof import('node:https');
}

export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: Name): Builtins[Name] | undefined };
  };
  return process?.getBuiltinModule?.(name);
}
