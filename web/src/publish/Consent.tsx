import { Anchor, Text } from '@mantine/core';
import { usePlatform } from '../api/platform.js';

const MUSIC = 'https://www.tiktok.com/legal/page/global/music-usage-confirmation/en';
const BRANDED = 'https://www.tiktok.com/legal/page/global/bc-policy/en';

/** What a person agrees to by pressing the button, in the platform's own words. */
export function Consent({ isBranded }: { isBranded: boolean }) {
  const { isSandbox } = usePlatform();
  return (
    <Text size="xs" c="dimmed">
      By posting, you agree to TikTok's{' '}
      {isBranded && (
        <>
          <PolicyLink href={BRANDED}>Branded Content Policy</PolicyLink> and{' '}
        </>
      )}
      <PolicyLink href={MUSIC}>Music Usage Confirmation</PolicyLink>
      {isSandbox && '. This is the sandbox: nothing goes to TikTok.'}
    </Text>
  );
}

const PolicyLink = ({ href, children }: { href: string; children: string }) => (
  <Anchor href={href} target="_blank" rel="noreferrer" inherit underline="always">
    {children}
  </Anchor>
);
