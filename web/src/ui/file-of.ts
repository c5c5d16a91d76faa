/** The same for every URL of the same file: signatures change with each response. */
export const fileOf = (url: string): string => url.replace(/\?.*$/, '');
