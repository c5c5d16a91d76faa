// What a program of ours prints when it is ready: words, or log lines in JSON where the output is collected.

/** Where it listens; undefined until its whole greeting is there. */
export const readyUrl = (output: string): string | undefined =>
  /is ready at ([^\s"]+)"?[^\n]*\n/.exec(output)?.[1];

/** The key of the demo organization, if this start created it. */
export const demoKey = (output: string): string | undefined => /"api_key":"(ad_[^"]+)"/.exec(output)?.[1];
