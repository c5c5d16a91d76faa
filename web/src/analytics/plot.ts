// How every chart is drawn.

export const PLOT = {
  responsive: true,
  accessibilityLayer: false,
  style: { width: '100%', height: 220 },
  margin: { top: 8, right: 8, bottom: 0, left: 0 },
} as const;

export const AXIS = {
  axisLine: false,
  tickLine: false,
  tick: { fill: 'var(--soft)', fontSize: 12 },
} as const;
