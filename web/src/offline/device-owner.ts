// Under which name the browser remembers whose data it keeps.
/** Who the data on this device belongs to, for a start without a network. */
export const OWNER_KEY = 'toolbox.offline-owner'
