// The outbox where the browser cannot encrypt, as without a secure address: in this page's memory alone. There is no start
// without a network there either.
import type { Entry, NewEntry } from './entry'

type Held = { entry: Entry; photo: ArrayBuffer | undefined }

const outboxes = new Map<string, Map<number, Held>>()
let lastId = 0

function of(owner: string): Map<number, Held> {
  const known = outboxes.get(owner)
  if (known) return known
  const made = new Map<number, Held>()
  outboxes.set(owner, made)
  return made
}

export const outboxMemory = {
  all: (owner: string): Entry[] => [...of(owner).values()].map(({ entry }) => entry),
  add: (owner: string, entry: NewEntry, photo?: ArrayBuffer): Entry => {
    lastId += 1
    const whole = { ...entry, tries: 0, notBefore: 0, refusal: null, id: lastId }
    of(owner).set(lastId, { entry: whole, photo })
    return whole
  },
  change: (owner: string, entry: Entry): void => {
    const held = of(owner).get(entry.id)
    if (held) of(owner).set(entry.id, { ...held, entry })
  },
  remove: (owner: string, id: number): void => {
    of(owner).delete(id)
  },
  photo: (owner: string, id: number): ArrayBuffer | undefined => of(owner).get(id)?.photo,
  forget: (owner: string): void => {
    outboxes.delete(owner)
  },
}
