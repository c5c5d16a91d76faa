import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { onReturn, tryNow, useOutage, watchNetwork } from '../api/outage.js';
import classes from './OutageBanner.module.css';

/**
 * Airdate cannot be reached: said once, for all screens. They keep what they show, and it is fetched again when the outage is
 * over. It lies over the screen, so that nothing moves under the hands of a writer.
 */
export function OutageBanner() {
  const client = useQueryClient();
  const isOut = useOutage();
  const [isTrying, setTrying] = useState(false);
  useEffect(watchNetwork, []);
  useEffect(
    () =>
      onReturn(() => {
        void client.invalidateQueries({ refetchType: 'active' });
        // What waits for the network continues: the browser reports only its own, not that of the service.
        window.dispatchEvent(new Event('online'));
      }),
    [client],
  );
  if (!isOut) return null;
  const retry = async () => {
    setTrying(true);
    await tryNow();
    setTrying(false);
  };
  return (
    <div className={classes.banner} role="alert">
      <p>
        <strong>Can’t reach Airdate.</strong> Your text is safe in this browser. Trying again…
      </p>
      <Button variant="white" color="dark" size="xs" loading={isTrying} onClick={() => void retry()}>
        Try now
      </Button>
    </div>
  );
}
