// What a user does with the installed package: a carousel and a video from nothing to live. Runs on Node, Bun and Deno.
import { Airdate, NotFound, OutcomeUnknown, verifyWebhook } from '@airdate/sdk';

const airdate = new Airdate();
const ok = (what, is) => {
  if (!is) throw new Error(what);
};

const { data: accounts } = await airdate.accounts.list();
const choices = { social_account_id: accounts[0].id, privacy_level: 'PUBLIC_TO_EVERYONE' };

async function tell(post_type, file, options) {
  const post = await airdate.posts.create({ title: `Told by the SDK: ${post_type}`, post_type });
  let sent = 0;
  const onProgress = (progress) => {
    sent = progress.sent / progress.total;
  };
  const asset = await airdate.posts.upload(post.id, file, { onProgress, ...options });
  ok('the file was sent to its end', sent === 1);
  const { status, post_url } = await airdate.posts.publishAndWait(post.id, choices);
  ok(`${post_type} ended as ${status}`, status === 'published');
  return { post, asset, post_url };
}

const { post } = await tell('slides', './slide.png');
await tell('video', './tiny.mp4', { parts: true });
const copy = await fetch((await airdate.posts.assets.list(post.id)).data[0].url);
await tell('slides', await copy.blob(), { filename: 'again.png' });

const refusal = await airdate.posts.get('no-such-post').catch((error) => error);
ok('a refusal has its class', refusal instanceof NotFound && !(refusal instanceof OutcomeUnknown));

const seen = [];
for await (const event of airdate.events.follow({ after: 'evt_000000000' })) {
  seen.push(event.type);
  if (seen.filter((type) => type === 'post.published').length === 3) break;
}
let count = 0;
for await (const one of airdate.posts.list({ per_page: 1 })) if (one.title.startsWith('Told')) count++;
ok(`the list has ${count} posts`, count >= 3);

const forged = await verifyWebhook('{}', new Headers(), 'whsec_AAAA').catch((error) => error.name);
ok('a forged message is refused', forged === 'WebhookVerificationError');
