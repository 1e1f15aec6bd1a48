// Words of the lab that must be in no answer and no log.

/** In cookies' values. */
export const COOKIE_CANARY = 'canary0cookie0value'
