// A bar on stderr, if a person watches.

const WIDTH = 30;
const BACK = '\r\u001b[K';

export interface ProgressBar {
  show(progress: { sent: number; total: number }): void;
  end(): void;
}

export function progressBar(title: string, isQuiet: boolean): ProgressBar {
  if (isQuiet || process.stderr.isTTY !== true) return { show: () => {}, end: () => {} };
  let last = '';
  return {
    show({ sent, total }) {
      const part = total === 0 ? 1 : Math.min(1, sent / total);
      const full = Math.round(part * WIDTH);
      const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full);
      const text = `${bar} ${String(Math.floor(part * 100)).padStart(3)} %  ${megabytes(sent)} of ${megabytes(total)} MB  ${title}`;
      if (text !== last) process.stderr.write(BACK + text.slice(0, (process.stderr.columns || 80) - 1));
      last = text;
    },
    end() {
      if (last !== '') process.stderr.write(BACK);
    },
  };
}

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);
