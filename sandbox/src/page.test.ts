import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { html } from './page.js';

describe('a page', () => {
  it('escapes whatever is put into it, unless it was made here', () => {
    const evil = `<script>alert("1") & '2'</script>`;
    const safe = '&lt;script&gt;alert(&quot;1&quot;) &amp; &#39;2&#39;&lt;/script&gt;';
    assert.equal(html`<p title="${evil}">${evil}</p>`.text, `<p title="${safe}">${safe}</p>`);
    assert.equal(
      html`<ul>${['<a>', '<b>'].map((one) => html`<li>${one}</li>`)}</ul>`.text,
      '<ul><li>&lt;a&gt;</li><li>&lt;b&gt;</li></ul>',
    );
    assert.equal(html`${null}${7}`.text, '7');
  });
});
