// What became of every request, by phase. A request belongs to the phase in which it ended.

export class Tally {
  phases = [];
  #inFlight = new Set();

  /** From now on, requests count for this phase. `allows` says which failures its promise permits. */
  begin(name, promise, allows = () => false) {
    const phase = { name, promise, allows, ok: 0, failures: [], latencies: [], began: now(), notes: [] };
    this.phases.push(phase);
    return phase;
  }

  get current() {
    return this.phases.at(-1);
  }

  start(operation) {
    const request = { operation, startedAt: now() };
    this.#inFlight.add(request);
    return request;
  }

  /** `failure` is null, or says what was wrong: its kind, and whether it was a 503 problem with Retry-After. */
  finish(request, failure) {
    this.#inFlight.delete(request);
    const { current } = this;
    const endedAt = now();
    current.latencies.push(endedAt - request.startedAt);
    if (failure === null) current.ok++;
    else current.failures.push({ ...request, ...failure, endedAt });
  }

  get inFlight() {
    return this.#inFlight.size;
  }

  broken() {
    return this.phases.flatMap((phase) =>
      phase.failures
        .filter((failure) => !phase.allows(failure))
        .map((failure) => ({ phase: phase.name, ...failure })),
    );
  }

  table() {
    const rows = this.phases.map((phase) => {
      const { ok, failures, latencies } = phase;
      latencies.sort((a, b) => a - b);
      const at = (share) =>
        Math.round(latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0);
      const wrong = failures.filter((failure) => !phase.allows(failure)).length;
      return [
        phase.name,
        String(ok + failures.length),
        String(failures.length),
        kinds(failures),
        `${at(0.5)} / ${at(0.99)} / ${at(1)}`,
        wrong === 0 ? 'kept' : `BROKEN by ${wrong}`,
        [phase.promise, ...phase.notes].join('; '),
      ];
    });
    const head = ['phase', 'requests', 'failed', 'how', 'ms p50 / p99 / max', 'promise', ''];
    const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i].length)));
    return [head, ...rows]
      .map((row) =>
        row
          .map((cell, i) => cell.padEnd(widths[i]))
          .join('  ')
          .trimEnd(),
      )
      .join('\n');
  }
}

function kinds(failures) {
  const counts = new Map();
  for (const { kind } of failures) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} × ${kind}`).join(', ') || '-';
}

export const now = () => performance.now();
