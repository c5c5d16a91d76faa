// The built documentation does not know where it will be served. Where a sample needs the address of the API it has this one, and the
// page is sent with the installation's own.

/** Ends in a reserved name (RFC 2606): if it were ever sent as it is, a sample would reach no host. */
export const ANY_ADDRESS = 'http://airdate.invalid';

export const withOwnAddress = (text: string, publicUrl: string): string =>
  text.replaceAll(ANY_ADDRESS, publicUrl);
