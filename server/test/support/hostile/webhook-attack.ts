// Receivers of the attacker accept everything, but take their time: their deliveries hold places for others' webhooks.
import { Receiver } from '../service/webhooks.js';
import type { Attack } from './attacks.js';
import { clientAt } from './tenant-client.js';

const WEBHOOKS = 20;
const SLOW_MS = 12_000;

const tenant = clientAt('127.0.3.1');

export const slowReceivers: Attack = {
  title: 'webhooks whose receivers take twelve seconds',
  lanes: 4,
  async prepare({ url, key }) {
    const create = async () =>
      (await tenant('POST', `${url}/api/v1/posts`, { key, json: { title: 'Hostile', post_type: 'slides' } }))
        .status;
    const receiver = await new Receiver().start();
    for (let n = 0; n < WEBHOOKS; n++)
      await tenant('POST', `${url}/api/v1/webhooks`, { key, json: { url: `${receiver.url}/${n}` } });
    // At first they answer immediately, and are trusted with several deliveries at a time.
    const trusted = new Promise<void>((resolve) => {
      receiver.answer = (response) => {
        response.end();
        if (receiver.received.length >= WEBHOOKS) resolve();
      };
    });
    await create();
    await trusted;
    receiver.answer = (response) => void setTimeout(() => response.end(), SLOW_MS);
    for (let n = 0; n < 20; n++) await create();
    return create;
  },
};
