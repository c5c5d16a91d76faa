// Values as source text, over several lines where one is too narrow.

export interface Style {
  indent: string;
  /** Inside the braces of an object on one line. */
  pad: string;
  text(value: string): string;
  name(value: string): string;
  constants: Readonly<Record<'true' | 'false' | 'null', string>>;
}

const MAX_WIDTH = 72;

export function literal(value: unknown, style: Style, margin = ''): string {
  if (typeof value === 'string') return style.text(value);
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null)
    return style.constants[String(value) as keyof Style['constants']];
  const inner = margin + style.indent;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((one) => literal(one, style, inner))
    : Object.entries(value).map(([name, one]) => `${style.name(name)}: ${literal(one, style, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const pad = isList ? '' : style.pad;
  const line = parts.length === 0 ? open + close : `${open}${pad}${parts.join(', ')}${pad}${close}`;
  if (line.length + margin.length <= MAX_WIDTH && !line.includes('\n')) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${margin}${close}`;
}
