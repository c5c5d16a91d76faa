// The MD5 hash of a part, which the store compares with what arrives. Loaded with the first upload in parts.

const SLICE = 1024 * 1024;

/** In Base64, as `Content-MD5` has it. A slice at a time: the page stays responsive, and no part is in memory as a whole. */
export async function md5Of(part: Blob): Promise<string> {
  const { md5 } = await import('js-md5');
  const hash = md5.create();
  for (let at = 0; at < part.size; at += SLICE) hash.update(await part.slice(at, at + SLICE).arrayBuffer());
  return hash.base64();
}
