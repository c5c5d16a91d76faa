// Runs samples as a person would, in a shell, in Node and in Python: one process of each, so that a sample costs no start.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../..', import.meta.url));

export interface Outcome {
  out: string;
  /** Null if the sample came to its end. */
  error: string | null;
}

const NODE = `
import { createInterface } from 'node:readline';
import { format } from 'node:util';
for await (const line of createInterface({ input: process.stdin })) {
  const { file, env } = JSON.parse(line);
  const said = [];
  Object.assign(process.env, env);
  console.log = (...words) => said.push(format(...words));
  const error = await import(file).then(() => null, (error) => error.stack);
  process.stdout.write(JSON.stringify({ out: said.join('\\n'), error }) + '\\n');
}`;

const PYTHON = `
import contextlib, io, json, os, runpy, sys, traceback
for line in sys.stdin:
    asked = json.loads(line)
    os.environ.update(asked["env"])
    said, error = io.StringIO(), None
    try:
        with contextlib.redirect_stdout(said):
            runpy.run_path(asked["file"], run_name="__main__")
    except Exception as problem:
        body = problem.read().decode() if hasattr(problem, "read") else ""
        error = traceback.format_exc() + body
    print(json.dumps({"out": said.getvalue(), "error": error}), flush=True)
`;

/** What a person's own settings would say: a refused request is a failed command. */
const CURL = 'silent\nshow-error\nfail-with-body\n';

const ENDINGS: Record<string, string> = { sh: 'sh', ts: 'mjs', python: 'py' };

export class SampleRunners {
  private readonly folder = mkdtempSync(join(tmpdir(), 'airdate-samples-'));
  private readonly processes = new Map<string, { child: ChildProcess; lines: AsyncIterator<string> }>();
  private count = 0;

  constructor() {
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'));
    writeFileSync(join(this.folder, '.curlrc'), CURL);
    writeFileSync(join(this.folder, 'run.mjs'), NODE);
    writeFileSync(join(this.folder, 'run.py'), PYTHON);
  }

  async run(language: string, text: string, env: Record<string, string>): Promise<Outcome> {
    const file = join(this.folder, `sample-${++this.count}.${ENDINGS[language]}`);
    writeFileSync(file, text);
    if (language === 'sh') return this.inShell(file, env);
    const { child, lines } = this.processFor(language);
    child.stdin?.write(`${JSON.stringify({ file, env })}\n`);
    const { value } = await lines.next();
    return JSON.parse(value);
  }

  /** What the compiler has to say about these programs, in a project as strict as they come. */
  complaints(programs: string[]): string {
    const folder = mkdtempSync(join(this.folder, 'strict-'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    const options = ['strict', 'noUncheckedIndexedAccess', 'exactOptionalPropertyTypes', 'noEmit'];
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2023',
      types: ['node'],
      ...Object.fromEntries(options.map((name) => [name, true])),
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    for (const [n, text] of programs.entries()) writeFileSync(join(folder, `sample-${n}.ts`), text);
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
    return stdout + stderr;
  }

  private inShell(file: string, env: Record<string, string>): Promise<Outcome> {
    const options = { env: { PATH: process.env.PATH, HOME: this.folder, ...env } };
    return new Promise((resolve) => {
      execFile('sh', [file], options, (failure, out, said) =>
        resolve({ out, error: failure && `${failure.message}\n${out}${said}` }),
      );
    });
  }

  private processFor(language: string) {
    const running = this.processes.get(language);
    if (running) return running;
    const [program, script] = language === 'ts' ? [process.execPath, 'run.mjs'] : ['python3', 'run.py'];
    const child = spawn(program, [script], { cwd: this.folder, stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
    const started = { child, lines };
    this.processes.set(language, started);
    return started;
  }

  async close(): Promise<void> {
    for (const { child } of this.processes.values()) {
      const ended = once(child, 'exit');
      child.stdin?.end();
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
