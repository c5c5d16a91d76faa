// Alert rules and the dashboard name only metrics that a running process really has, and every alert has its section in the guide.
// scripts/test-alerts.mjs tests with Prometheus' own tool when the rules fire.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createLog } from '../../src/core/log.js';
import { startTestService } from '../support/service/harness.js';
import { type Scrape, scrape } from '../support/service/metrics.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const RULES = read('deploy/monitoring/alerts.yml');
const DASHBOARD = JSON.parse(read('deploy/monitoring/dashboard.json')) as Dashboard;
const GUIDE = read('docs/guides/operations.md');

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[];
}

interface Rule {
  alert: string;
  expr: string;
  text: string;
}

/** The rules, without a parser of YAML: each begins with its name. A folded expression continues on deeper lines. */
const rules: Rule[] = RULES.split(/^ {6}- alert: /m)
  .slice(1)
  .map((text) => {
    const [alert = ''] = text.split('\n');
    const [, line = '', folded = ''] = /^ {8}expr: (?:>-)?(.*)\n((?: {10}.*\n)*)/m.exec(text) ?? [];
    return { alert, expr: (line + folded).trim().replaceAll(/\s+/g, ' '), text };
  });

const expressions: [where: string, expr: string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...DASHBOARD.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }): [string, string] => [title, expr]),
  ),
];

/** Words of the query language that stand where a metric could. */
const KEYWORDS = new Set(['by', 'unless', 'and', 'or', 'on', 'without', 'ignoring', 'offset']);

/** The names of metrics in an expression, and the labels that it uses. */
function namesIn(expr: string): { metrics: string[]; labels: string[] } {
  const grouped = [...expr.matchAll(/\b(?:by|without) \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(/, ?/),
  );
  const matched = [...expr.matchAll(/[{,](\w+)(?:=~?|!=)"/g)].map(([, label]) => label as string);
  const bare = expr
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .replaceAll(/\b(by|without) \([^)]*\)/g, '')
    .replaceAll(/\b\d+[smhd]\b/g, '')
    .replaceAll(/\b\w+ *\(/g, '(');
  const metrics = [...bare.matchAll(/[a-z_][a-z0-9_]*/gi)]
    .map(([name]) => name)
    .filter((name) => !KEYWORDS.has(name));
  return { metrics, labels: [...grouped, ...matched] };
}

/** As guides and the site form them. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

describe('Monitoring', () => {
  let serve: Scrape;
  let api: Scrape;
  let worker: Scrape;
  before(async () => {
    const log = createLog({ level: 'silent', human: false });
    const OTHERS = { SOCIAL_API_URL: 'http://127.0.0.1:9' };
    const scrapes = (['serve', 'api', 'worker'] as const).map(async (command) => {
      const service = await startTestService('sqlite', {
        command,
        log,
        env: command === 'serve' ? {} : OTHERS,
      });
      try {
        return await scrape(service.url);
      } finally {
        await service.stop();
      }
    });
    [serve, api, worker] = (await Promise.all(scrapes)) as [Scrape, Scrape, Scrape];
  });

  it('has rules and panels to check', () => {
    assert.ok(rules.length >= 10 && DASHBOARD.panels.length >= 15);
    for (const { alert, expr } of rules) assert.ok(expr.length > 10, `${alert} has an expression`);
  });

  it('finds what it looks for in an expression', () => {
    assert.deepEqual(
      namesIn('sum by (le, call) (rate(a_bucket{call=~"x|y",result="z"}[5m])) / max(b) > 0.2 unless c == 1'),
      { metrics: ['a_bucket', 'b', 'c'], labels: ['le', 'call', 'call', 'result'] },
    );
  });

  it('names only metrics that a process shows', () => {
    // Those of the runtime are collected by the command line alone; see crash/start.test.ts.
    const known = new Set(['process_resident_memory_bytes', 'process_cpu_seconds_total']);
    for (const [name, type] of serve.types) {
      const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      for (const suffix of suffixes) known.add(name + suffix);
    }
    for (const [where, expr] of expressions) {
      const { metrics } = namesIn(expr);
      assert.ok(metrics.length > 0, `${where} names a metric`);
      assert.deepEqual(
        metrics.filter((name) => !known.has(name)),
        [],
        where,
      );
    }
  });

  it('uses only labels that the metrics have, or that the monitor adds', () => {
    const known = new Set(['instance', 'job', 'le', 'status', 'outcome', 'code', 'call', 'result']);
    for (const [, labels = ''] of serve.text.matchAll(/^\w+\{([^}]*)\}/gm))
      for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label as string);
    for (const [where, expr] of expressions)
      assert.deepEqual(
        namesIn(expr).labels.filter((label) => !known.has(label)),
        [],
        where,
      );
  });

  it('gives every alert a severity, a summary and a section of the guide', () => {
    const sections = new Set(
      [...GUIDE.matchAll(/^#{2,3} (.+)$/gm)].map(([, heading]) => anchorOf(heading as string)),
    );
    for (const { alert, text } of rules) {
      assert.match(text, /^ {10}severity: (critical|warning)$/m, alert);
      assert.match(text, /^ {10}summary: ./m, alert);
      const [, anchor = ''] = /runbook_url: docs\/guides\/operations\.md#(\S+)/.exec(text) ?? [];
      assert.ok(sections.has(anchor), `${alert} leads to "${anchor}", which the guide does not have`);
      assert.ok(GUIDE.includes(`\`${alert}\``), `the guide does not mention ${alert}`);
    }
  });

  it('shows the figures of the database in every process, and loops only where they run', () => {
    for (const metrics of [serve, api, worker])
      for (const name of [
        ...[
          'airdate_due_posts',
          'airdate_oldest_due_seconds',
          'airdate_unknown_open',
          'airdate_webhook_backlog',
        ],
        ...['airdate_workers', 'airdate_database_up', 'airdate_safe_mode', 'airdate_limiter_local'],
        'airdate_disk_full',
        ...['airdate_queue_depth{queue="polls"}', 'airdate_db_pool{state="waiting"}'],
      ])
        assert.notEqual(metrics.value(name), undefined, name);
    assert.match(
      api.text,
      /^airdate_build_info\{version="[\d.]+",node="[\d.]+",role="api",database="sqlite",files="disk"\} 1$/m,
    );
    assert.equal(worker.value('airdate_loop_failures_total{loop="publish"}'), 0);
    assert.equal(worker.value('airdate_silent_loops'), 0);
    assert.equal(api.types.has('airdate_silent_loops'), false);
    assert.equal(api.value('airdate_loop_failures_total{loop="publish"}'), undefined);
  });

  it('explains every metric of ours in the guide', () => {
    const own = [...serve.types.keys()].filter((name) => /^(airdate_|http_|event_)/.test(name));
    assert.deepEqual(
      own.filter((name) => !GUIDE.includes(`\`${name}`)),
      [],
    );
  });
});
