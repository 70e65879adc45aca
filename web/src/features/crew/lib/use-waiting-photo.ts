// The picture of a photo that has not left this phone.
import { useEffect, useState } from 'react'
import type { Entry } from '@/offline/outbox/entry'
import { outbox } from '@/offline/outbox/outbox'

/** An address for an `<img>`; undefined until it is read. */
export function useWaitingPhoto({ id, command }: Entry): string | undefined {
  const [address, setAddress] = useState<string>()
  const type = command.kind === 'photo' ? command.type : undefined
  useEffect(() => {
    if (type === undefined) return
    let made: string | undefined
    let isGone = false
    const show = async () => {
      const bytes = await outbox.photo(id)
      if (!bytes || isGone) return
      made = URL.createObjectURL(new Blob([bytes], { type }))
      setAddress(made)
    }
    void show()
    return () => {
      isGone = true
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [id, type])
  return address
}
