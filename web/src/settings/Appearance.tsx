import { SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { useLibraryView } from '../ui/library-view.js';
import { Section } from './Section.js';

/** Both settings belong to this browser, not to the person: a phone may look different from a desktop. */
export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [view, setView] = useLibraryView();
  return (
    <>
      <Section title="Colours" about="Kept in this browser.">
        <SegmentedControl
          aria-label="Colours"
          value={colorScheme}
          onChange={setColorScheme}
          data={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
            { value: 'auto', label: 'As the device' },
          ]}
        />
      </Section>
      <Section title="Library" about="How the library opens in this browser.">
        <SegmentedControl
          aria-label="Library view"
          value={view}
          onChange={setView}
          data={[
            { value: 'grid', label: 'Grid of covers' },
            { value: 'table', label: 'Table' },
          ]}
        />
      </Section>
    </>
  );
}
