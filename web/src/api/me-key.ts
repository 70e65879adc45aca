// The key under which it is kept who is signed in: the session asks by it, and the device's copy of what was fetched is that person's.
// Apart from the other keys: the start needs this one alone.
export const meKey = ['session', 'me'] as const
