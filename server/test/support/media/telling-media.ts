// Files that tell more than their picture or video: places, people, devices, comments, a second picture. Each planted word begins
// with the same letters, so that a scan finds it wherever it went.
import {
  box,
  chunk,
  element,
  fixture,
  jpegWith,
  png,
  segment,
  sizeOf,
  text,
  u16,
  u32,
  zeros,
} from './parts.js';

export const PLANTED = 'PLANTED-';
let planted = 0;
const word = (what: string) => text(`${PLANTED}${what}-${++planted}`);

export interface TellingFile {
  name: string;
  contentType: 'image/jpeg' | 'image/png' | 'video/mp4' | 'video/quicktime' | 'video/webm';
  bytes: Buffer;
  /** How many words are planted in it. */
  words: number;
}

function telling(name: string, contentType: TellingFile['contentType'], make: () => Buffer): TellingFile {
  const before = planted;
  const bytes = make();
  return { name, contentType, bytes, words: planted - before };
}

/** EXIF with an artist, and a directory of GPS data that names a place. */
const exif = () => {
  const [artist, place] = [word('ARTIST'), word('GPS')];
  const entry = (tag: number, value: Buffer, at: number) =>
    Buffer.concat([u16(tag), u16(2), u32(value.length, at)]);
  const pointer = Buffer.concat([u16(0x8825), u16(4), u32(1, 64 + artist.length)]);
  const main = Buffer.concat([u16(2), entry(0x013b, artist, 64), pointer, u32(0)]);
  const gps = Buffer.concat([u16(1), entry(0x001b, place, 64 + artist.length + 18), u32(0)]);
  const head = Buffer.concat([text('MM\0*'), u32(8), main]);
  return Buffer.concat([head, zeros(64 - head.length), artist, gps, place]);
};

const comments = () => [
  segment(0xe1, Buffer.concat([text('Exif\0\0'), exif()])),
  segment(0xe1, Buffer.concat([text('http://ns.adobe.com/xap/1.0/\0'), word('XMP')])),
  segment(0xed, Buffer.concat([text('Photoshop 3.0\0'), word('IPTC')])),
  segment(0xe2, Buffer.concat([text('MPF\0'), word('MPF')])),
  segment(0xe0, Buffer.concat([text('JFXX\0\x13'), word('JFXX')])),
  segment(0xfe, word('COMMENT')),
];

const JFIF_WITH_THUMBNAIL = () => {
  const pixels = word('THUMBNAIL').subarray(0, 18);
  const head = Buffer.concat([text('JFIF\0\x01\x02\0'), u16(1), u16(1), Buffer.from([2, 3])]);
  return segment(0xe0, Buffer.concat([head, pixels]));
};

/** The picture, the segments in front of it, more between its scans, and a second picture behind it. */
function tellingJpeg(name: string): Buffer {
  const whole = fixture(name);
  const own = whole.subarray(2, -2);
  const scan = own.indexOf(Buffer.from([0xff, 0xda]));
  return Buffer.concat([
    whole.subarray(0, 2),
    JFIF_WITH_THUMBNAIL(),
    ...comments(),
    own.subarray(0, scan),
    segment(0xfe, word('LATE-COMMENT')),
    own.subarray(scan),
    segment(0xfe, word('AFTER-THE-SCAN')),
    whole.subarray(-2),
    jpegWith(segment(0xfe, word('SECOND-PICTURE'))),
    word('TAIL'),
  ]);
}

/** It has only what a picture needs, up to its scan. */
function tellingBehind(): Buffer {
  const whole = fixture('small.jpg');
  return Buffer.concat([
    whole.subarray(0, -2),
    segment(0xe1, Buffer.concat([text('Exif\0\0'), exif()])),
    segment(0xfe, word('BEHIND')),
    whole.subarray(-2),
    jpegWith(segment(0xfe, word('SECOND-PICTURE'))),
  ]);
}

const tellingPng = () =>
  Buffer.concat([
    png({
      width: 64,
      height: 64,
      before: [
        chunk('tEXt', Buffer.concat([text('Comment\0'), word('TEXT')])),
        chunk('iTXt', Buffer.concat([text('XML:com.adobe.xmp\0\0\0\0\0'), word('ITXT')])),
        chunk('eXIf', exif()),
        chunk('prVt', word('PRIVATE')),
        chunk('tIME', Buffer.from([7, 230, 1, 2, 3, 4, 5])),
      ],
    }),
    word('TAIL'),
  ]);

/** What phones, cameras and editors leave in an index. */
const boxesThatTell = () => [
  box(
    'udta',
    box('\xa9xyz', u16(20), u16(0x15c7), word('XYZ')),
    box('loci', u32(0), u16(0x15c7), word('LOCI'), zeros(14)),
    box('\xa9mak', u16(20), u16(0), word('MAKE')),
    box('\xa9mod', u16(20), u16(0), word('MODEL')),
    box('auth', u32(0), u16(0), word('AUTHOR')),
    box('meta', u32(0), box('ilst', box('\xa9cmt', box('data', u32(1, 0), word('ITUNES'))))),
  ),
  box(
    'meta',
    box('hdlr', u32(0, 0), text('mdta'), zeros(13)),
    box('keys', u32(0, 1), box('mdta', text('com.apple.quicktime.location.ISO6709'))),
    box('ilst', box('\0\0\0\x01', box('data', u32(1, 0), word('APPLE-LOCATION')))),
  ),
  box('uuid', Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'), word('XMP')),
  box('ID32', u32(0), u16(0x15c7), word('ID3')),
  box('gps ', word('DASHCAM')),
  box('free', word('LEFTOVER')),
];

/** Inserts boxes at the end of the index, which must lie behind the samples, or of its first track. */
function tellingVideo(name: string): Buffer {
  const whole = fixture(name);
  const moov = whole.lastIndexOf('moov') - 4;
  const end = moov + whole.readUInt32BE(moov);
  const trak = whole.indexOf('trak', moov) - 4;
  const trakEnd = trak + whole.readUInt32BE(trak);
  const inTrack = Buffer.concat([
    box('udta', box('name', word('TRACK-NAME'))),
    box('meta', word('TRACK-META')),
  ]);
  const inMoov = Buffer.concat(boxesThatTell());
  whole.writeUInt32BE(trakEnd - trak + inTrack.length, trak);
  whole.writeUInt32BE(end - moov + inTrack.length + inMoov.length, moov);
  return Buffer.concat([
    whole.subarray(0, trakEnd),
    inTrack,
    whole.subarray(trakEnd, end),
    inMoov,
    whole.subarray(end),
    box('uuid', Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'), word('TOP-XMP')),
    box('meta', u32(0), word('TOP-META')),
    box('PICT', word('PREVIEW')),
  ]);
}

const tag = (what: string) =>
  element(
    '7373',
    element('67c8', Buffer.concat([element('45a3', text('LOCATION')), element('4487', word(what))])),
  );

/** Adds tags, an attachment and chapters behind the last cluster. */
function tellingWebm(): Buffer {
  const whole = fixture('tiny.webm');
  const segmentAt = whole.indexOf(Buffer.from('18538067', 'hex'));
  const content = segmentAt + 12;
  const more = Buffer.concat([
    element('1254c367', tag('TAG')),
    element('1941a469', element('61a7', element('466e', word('ATTACHMENT')))),
    element('1043a770', element('45b9', word('CHAPTER'))),
    element('ec', word('VOID')),
    element(
      '1549a966',
      Buffer.concat([
        element('2ad7b1', Buffer.from('0f4240', 'hex')),
        element('7ba9', word('TITLE')),
        element('5741', word('PROGRAM')),
      ]),
    ),
  ]);
  return Buffer.concat([
    whole.subarray(0, segmentAt + 4),
    sizeOf(whole.length - content + more.length),
    whole.subarray(content),
    more,
  ]);
}

export const TELLING_PICTURES: readonly TellingFile[] = [
  telling('telling-small.jpg', 'image/jpeg', () => tellingJpeg('small.jpg')),
  telling('telling-large.jpg', 'image/jpeg', () => tellingJpeg('slide.jpg')),
  telling('telling-behind.jpg', 'image/jpeg', tellingBehind),
  telling('telling.png', 'image/png', tellingPng),
];

export const TELLING_VIDEOS: readonly TellingFile[] = [
  telling('telling.mp4', 'video/mp4', () => tellingVideo('clip-12s-moov-at-end.mp4')),
  telling('telling.mov', 'video/quicktime', () => tellingVideo('tiny.mov')),
  telling('telling.webm', 'video/webm', tellingWebm),
];
