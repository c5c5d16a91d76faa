import { useMantineColorScheme } from '@mantine/core';
import { useLibraryView } from '../ui/library-view.js';
import { Segments } from '../ui/Segments.js';
import { Section } from './Section.js';

/** Both settings belong to this browser, not to the person: a phone may look different from a desktop. */
export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [view, setView] = useLibraryView();
  return (
    <>
      <Section title="Theme" about="Saved in this browser.">
        <Segments
          aria-label="Theme"
          value={colorScheme}
          onChange={setColorScheme}
          data={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
            { value: 'auto', label: 'Match system' },
          ]}
        />
      </Section>
      <Section title="Library" about="How the library opens in this browser.">
        <Segments
          aria-label="Library view"
          value={view}
          onChange={setView}
          data={[
            { value: 'grid', label: 'Grid' },
            { value: 'table', label: 'Table' },
          ]}
        />
      </Section>
    </>
  );
}
