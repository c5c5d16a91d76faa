// A file store that answers, but refuses: the problem says so instead of asking for another try.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { startTestService, type TestService } from '../support/service/harness.js';
import { beginUpload, bucketEnv, completeParts, MIB } from '../support/service/part-uploads.js';
import { assertProblem } from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';
import { type S3Server, startS3Server } from '../support/storage/s3-server.js';

onEngines('sqlite', 'A file store without lists of parts', (engine) => {
  let bucket: S3Server;
  let service: TestService;
  before(async () => {
    bucket = await startS3Server(Date, { withoutPartLists: true });
    service = await startTestService(engine, {
      ...WITHOUT_WORKER,
      env: { ...WITHOUT_WORKER.env, ...bucketEnv(bucket) },
    });
  });
  after(async () => {
    await service?.stop();
    await bucket?.stop();
  });

  it('is named as what refuses the upload, with its own code', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ post_type: 'video' });
    const { upload_id } = await beginUpload(org, id, 18 * MIB);
    const answer = await completeParts(org, id, upload_id);
    assertProblem(answer, 503, 'unavailable');
    assert.match(
      answer.json.detail,
      /refuses this request \(MethodNotAllowed\).*operator.*What has arrived is kept\.$/,
    );
    assert.doesNotMatch(answer.json.detail, /does not answer|Try again/);
  });
});
