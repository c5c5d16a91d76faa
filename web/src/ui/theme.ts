// The theme: ink on paper, warm greys, and one signal colour for the next action.
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const signal: MantineColorsTuple = [
  '#fff0ed',
  '#fddfd9',
  '#f9bdb2',
  '#f69888',
  '#f37864',
  '#f15f48',
  '#f0442e',
  '#d33420',
  '#b82a18',
  '#96210f',
];

const warm: MantineColorsTuple = [
  '#fbfaf8',
  '#f5f3ef',
  '#ebe8e2',
  '#ddd9d1',
  '#c5c0b6',
  '#a29d93',
  '#78746c',
  '#5c5952',
  '#3f3d38',
  '#26251f',
];

/** From text to the darkest background. */
const night: MantineColorsTuple = [
  '#eceae6',
  '#c6c5c4',
  '#a3a5ab',
  '#787c87',
  '#3a3f4b',
  '#2b303b',
  '#1d212a',
  '#14171f',
  '#0f1218',
  '#0a0c11',
];

export const theme = createTheme({
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', Menlo, Consolas, monospace",
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '19px' },
  headings: {
    fontWeight: '620',
    sizes: { h1: { fontSize: '22px' }, h2: { fontSize: '17px' }, h3: { fontSize: '15px' } },
  },
  colors: { signal, gray: warm, dark: night },
  primaryColor: 'signal',
  // White on the plain signal colour has too little contrast; one shade darker is 4.9 : 1.
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 10,
  cursorType: 'pointer',
  respectReducedMotion: true,
  black: '#14171f',
  components: {
    Button: { defaultProps: { size: 'sm' } },
    // A focused field is not an invalid one, so its border is not red.
    // What is typed has its own direction. As a property it would go to the box around the field.
    Input: {
      defaultProps: { attributes: { input: { dir: 'auto' } } },
      vars: () => ({ wrapper: { '--input-bd-focus': 'var(--mantine-color-text)' } }),
    },
    Modal: {
      defaultProps: {
        centered: true,
        radius: 14,
        overlayProps: { backgroundOpacity: 0.4, blur: 2 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
      styles: { title: { fontSize: '16px', fontWeight: 600 } },
    },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } } },
    // The first item has the focus, not an empty element without a name.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // Inside the landmark of what it explains.
    Tooltip: { defaultProps: { openDelay: 300, multiline: true, maw: 280, withinPortal: false } },
    TextInput: { defaultProps: { size: 'sm' } },
    // It passes its own attributes to its field, and names people's labels and accounts in its list.
    Select: { defaultProps: { attributes: { input: { dir: 'auto' }, option: { dir: 'auto' } } } },
    Paper: { defaultProps: { withBorder: true } },
    Anchor: { defaultProps: { underline: 'hover' } },
  },
});

/** Replaces Mantine's variables that have too little contrast. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#fbfaf8',
    '--mantine-color-dimmed': '#65625a',
    '--mantine-color-anchor': '#b82a18',
    '--mantine-color-error': '#b82a18',
    '--mantine-color-placeholder': '#78746c',
    '--mantine-color-default-border': '#ddd9d1',
  },
  dark: {
    '--mantine-color-body': '#14171f',
    '--mantine-color-dimmed': '#a3a5ab',
    '--mantine-color-anchor': '#ff9482',
    '--mantine-color-error': '#ff9482',
    '--mantine-color-placeholder': '#8b8f99',
    '--mantine-color-default-border': '#2f343f',
  },
});
