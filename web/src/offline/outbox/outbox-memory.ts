// In-memory outbox for browsers without encryption.
import type { OutboxEntry, NewOutboxEntry } from './entry'

type MemoryEntry = { entry: OutboxEntry; photo: ArrayBuffer | undefined }

const outboxes = new Map<string, Map<number, MemoryEntry>>()
let lastId = 0

function getOutbox(owner: string): Map<number, MemoryEntry> {
  const known = outboxes.get(owner)
  if (known) return known
  const made = new Map<number, MemoryEntry>()
  outboxes.set(owner, made)
  return made
}

export const outboxMemory = {
  all: (owner: string): OutboxEntry[] => [...getOutbox(owner).values()].map(({ entry }) => entry),
  add: (owner: string, entry: NewOutboxEntry, photo?: ArrayBuffer): OutboxEntry => {
    lastId += 1
    const whole = { ...entry, tries: 0, notBefore: 0, refusal: null, id: lastId }
    getOutbox(owner).set(lastId, { entry: whole, photo })
    return whole
  },
  change: (owner: string, entry: OutboxEntry): void => {
    const stored = getOutbox(owner).get(entry.id)
    if (stored) getOutbox(owner).set(entry.id, { ...stored, entry })
  },
  remove: (owner: string, id: number): void => {
    getOutbox(owner).delete(id)
  },
  photo: (owner: string, id: number): ArrayBuffer | undefined => getOutbox(owner).get(id)?.photo,
  forget: (owner: string): void => {
    outboxes.delete(owner)
  },
}
