// How large and how deep a JSON text is, from its brackets and commas. Parsing 64 KB of them takes milliseconds, and looking at
// them a tenth of that, so a body that no request needs is refused before it is parsed.
const MOST_VALUES = 5_000;
const MOST_LEVELS = 20;

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\,[]{}');

/** What is wrong with the shape, in words; null if nothing is. Whether it is valid JSON is for the parser to say. */
export function faultOfShape(json: Uint8Array): string | null {
  let values = 1;
  let levels = 0;
  let isText = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (isText) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === COMMA) values++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values++;
      levels++;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) levels--;
    if (levels > MOST_LEVELS) return 'The body is nested too deeply.';
    if (values > MOST_VALUES) return 'The body has too many values.';
  }
  return null;
}
