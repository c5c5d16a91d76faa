// Pictures of kinds that the API does not take become JPEGs in the browser, if it can open them: WebP and AVIF everywhere, HEIC
// in Safari.
import { mustConvert } from './limits.js';

const QUALITY = 0.92;

export interface PreparedFile {
  file: File;
  /** The name of the picture that it was made of. */
  convertedFrom?: string;
  /** Why it cannot be uploaded. */
  refusal?: string;
}

export async function prepareFile(file: File): Promise<PreparedFile> {
  if (!mustConvert(file)) return { file };
  try {
    return { file: await asJpeg(file), convertedFrom: file.name };
  } catch {
    return { file, refusal: 'This browser can’t open this picture. Use a PNG, JPEG or WebP.' };
  }
}

async function asJpeg(file: File): Promise<File> {
  // Turned as the camera noted it.
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' });
  try {
    const canvas = document.createElement('canvas');
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
    const pen = canvas.getContext('2d');
    if (!pen) throw new Error('This browser cannot draw.');
    // A JPEG has no transparent parts; without this they would be black.
    pen.fillStyle = 'white';
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(bitmap, 0, 0);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', QUALITY));
    if (!blob) throw new Error('The picture is too large to draw.');
    return new File([blob], `${file.name.replace(/\.[^.]+$/, '')}.jpg`, { type: 'image/jpeg' });
  } finally {
    bitmap.close();
  }
}
