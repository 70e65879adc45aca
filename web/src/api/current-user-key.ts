// Query key of the signed-in user, and owner mark of the persisted cache. Its own module: the public entry needs no
// other key.
export const currentUserKey = ['session', 'me'] as const
