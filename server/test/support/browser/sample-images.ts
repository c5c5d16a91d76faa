// Portrait images that look hand-made, drawn from a number: the same number gives the same image.
import sharp from 'sharp';

const WIDTH = 1080;
const HEIGHT = 1920;

type Draw = (random: () => number, hue: number) => string;

/** Small and repeatable; nothing here has to be unpredictable. */
function numbersFrom(seed: number): () => number {
  let state = (seed + 1) * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0;
    return ((state >>> 8) & 0xffff) / 0x10000;
  };
}

const sky = (top: string, bottom: string) =>
  `<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/></linearGradient></defs><rect width="${WIDTH}" height="${HEIGHT}" fill="url(#sky)"/>`;

/** A jagged line from edge to edge, filled down to the ground. */
function ridge(random: () => number, y: number, height: number, colour: string, steps = 7): string {
  const points = Array.from({ length: steps + 1 }, (_, i) => {
    const peak = i % 2 === 0 ? 0.15 + random() * 0.3 : 0.6 + random() * 0.4;
    return `${Math.round((i * WIDTH) / steps)},${Math.round(y - height * peak)}`;
  });
  return `<polygon points="0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}" fill="${colour}"/>`;
}

const mountains: Draw = (random, hue) =>
  sky(`hsl(${hue},62%,78%)`, `hsl(${(hue + 35) % 360},70%,88%)`) +
  `<circle cx="${220 + random() * 640}" cy="${420 + random() * 200}" r="120" fill="hsl(45,95%,92%)"/>` +
  ridge(random, 1250, 520, `hsl(${hue},28%,58%)`) +
  ridge(random, 1480, 420, `hsl(${hue},32%,40%)`) +
  ridge(random, 1760, 380, `hsl(${hue},38%,24%)`, 9);

const sea: Draw = (random, hue) => {
  const horizon = 1000 + random() * 160;
  const waves = Array.from({ length: 9 }, (_, i) => {
    const y = horizon + 60 + i * 95;
    return `<path d="M0 ${y} Q270 ${y - 26 - i * 3} 540 ${y} T1080 ${y} V${HEIGHT} H0 Z" fill="hsl(${(hue + 170) % 360},${46 + i * 3}%,${52 - i * 4}%)"/>`;
  });
  return (
    sky(`hsl(${hue},70%,66%)`, `hsl(${(hue + 40) % 360},85%,84%)`) +
    `<circle cx="${300 + random() * 480}" cy="${horizon - 40}" r="170" fill="hsl(38,98%,80%)"/>` +
    waves.join('')
  );
};

const night: Draw = (random, hue) => {
  const stars = Array.from(
    { length: 90 },
    () =>
      `<circle cx="${random() * WIDTH}" cy="${random() * 1200}" r="${1.5 + random() * 3}" fill="hsl(50,60%,92%)" opacity="${0.4 + random() * 0.6}"/>`,
  );
  const x = 380 + random() * 260;
  return (
    sky(`hsl(${(hue + 220) % 360},48%,13%)`, `hsl(${(hue + 240) % 360},42%,30%)`) +
    stars.join('') +
    ridge(random, 1500, 420, `hsl(${(hue + 225) % 360},40%,16%)`) +
    `<polygon points="${x},1700 ${x + 170},1390 ${x + 340},1700" fill="hsl(32,92%,60%)"/><polygon points="${x + 130},1700 ${x + 170},1480 ${x + 220},1700" fill="hsl(28,70%,38%)"/>` +
    `<rect y="1690" width="${WIDTH}" height="230" fill="hsl(${(hue + 225) % 360},45%,8%)"/>`
  );
};

const leaves: Draw = (random, hue) => {
  const leaf = () => {
    const [x, y, size] = [random() * WIDTH, random() * HEIGHT, 160 + random() * 260];
    return `<path transform="translate(${x} ${y}) rotate(${random() * 360})" d="M0 0 C${size * 0.6} ${-size * 0.5} ${size} ${-size * 0.1} ${size * 1.3} 0 C${size} ${size * 0.1} ${size * 0.6} ${size * 0.5} 0 0 Z" fill="hsl(${(hue + 80 + random() * 50) % 360},${38 + random() * 22}%,${26 + random() * 40}%)"/>`;
  };
  return (
    sky(`hsl(${(hue + 60) % 360},46%,90%)`, `hsl(${(hue + 80) % 360},40%,72%)`) +
    Array.from({ length: 26 }, leaf).join('')
  );
};

const city: Draw = (random, hue) => {
  const house = (i: number, y: number, colour: string) => {
    const top = y - 240 - random() * 560;
    return `<rect x="${i * 155 - 20}" y="${top}" width="${130 + random() * 50}" height="${HEIGHT}" fill="${colour}"/>`;
  };
  const row = (y: number, colour: string) =>
    Array.from({ length: 8 }, (_, i) => house(i, y, colour)).join('');
  return (
    sky(`hsl(${(hue + 15) % 360},78%,74%)`, `hsl(${(hue + 50) % 360},88%,86%)`) +
    row(1300, `hsl(${hue},34%,62%)`) +
    row(1600, `hsl(${hue},36%,42%)`) +
    row(1900, `hsl(${hue},40%,22%)`)
  );
};

/** Each with the hues that suit it. */
const SCENES: [draw: Draw, hues: number[]][] = [
  [mountains, [14, 205, 262, 332, 36]],
  [sea, [18, 338, 32, 25]],
  [leaves, [28, 44, 10, 60]],
  [night, [6, 24, 355, 14]],
  [city, [212, 18, 262, 300]],
];

/** The n-th image of a series; images of one series match. */
export function scenery(series: number, n: number): Promise<Buffer> {
  const [draw, hues] = SCENES[series % SCENES.length] as [Draw, number[]];
  const hue = hues[Math.floor(series / SCENES.length) % hues.length] as number;
  const drawing = draw(numbersFrom(series * 40 + n), (hue + n * 9) % 360);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">${drawing}</svg>`;
  return sharp(Buffer.from(svg)).jpeg({ quality: 84 }).toBuffer();
}
