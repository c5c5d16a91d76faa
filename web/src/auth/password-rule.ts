export const MIN_LENGTH = 12;
export const MAX_LENGTH = 128;

export const isLongEnough = (password: string): boolean =>
  password.length >= MIN_LENGTH && password.length <= MAX_LENGTH;
