// Files, lines, characters, and characters of code.
import { readFileSync } from 'node:fs';
import { filesIn, isTest, sourcesIn, ts } from './sources.mjs';

/** Statements in strings: migrations and pragmas. English sentences begin with a capital letter. */
const SQL =
  /^\s*(select\s|insert (or \w+ )?into\s|update \w+\s+set\s|delete from\s|with \w+ as\s|pragma \w|alter table\s|(create|drop) (or replace |unique |virtual )*(table|index|trigger|function|view|extension)\s)/;

/** Unit tests beside the code count as tests, not as sources. */
export function sizeOf(folder) {
  const isOfTests = folder.endsWith('test');
  const files = isOfTests ? filesIn(folder) : sourcesIn(folder);
  const size = { files: files.length, lines: 0, characters: 0, 'of these code': 0 };
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    size.lines += text.split('\n').length - 1;
    size.characters += text.length;
    size['of these code'] += codeOf(text, file).length;
  }
  if (!isOfTests) size['tests beside'] = filesIn(folder).filter(isTest).length;
  return size;
}

function codeOf(text, file) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const cuts = [];
  const visit = (node) => {
    if (isSql(node)) cuts.push([node.getStart() + 1, node.end - 1]);
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const { pos, end } of commentsIn(source)) cuts.push([pos, end]);
  let code = '';
  let at = 0;
  for (const [start, end] of cuts.sort(([a], [b]) => a - b)) {
    if (start > at) code += text.slice(at, start);
    at = Math.max(at, end);
  }
  code += text.slice(at);
  return code
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** The text of a template with the tag `sql`, or of any string that is a statement. */
function isSql(node) {
  if (ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    const { parent } = node;
    if (ts.isTaggedTemplateExpression(parent) && /^sql\b/.test(parent.tag.getText())) return true;
    return SQL.test((ts.isTemplateExpression(node) ? node.head : node).text);
  }
  return ts.isStringLiteral(node) && SQL.test(node.text);
}

function commentsIn(source) {
  const { text } = source;
  const found = [];
  const visit = (node) => {
    const children = node.getChildren(source);
    // Text between JSX elements looks like a comment where it has slashes.
    if (children.length === 0 && node.kind !== ts.SyntaxKind.JsxText) {
      found.push(...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []));
      found.push(...(ts.getTrailingCommentRanges(text, node.end) ?? []));
    }
    for (const child of children) if (!ts.isJSDoc(child)) visit(child);
  };
  visit(source);
  return found;
}
