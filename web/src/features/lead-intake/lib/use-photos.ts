import { useRef, useState } from 'react'
import { MAX_PHOTO_BYTES } from '@/domain/lead'
import { compressImage, UnreadableImageError } from '@/lib/image-compress'
import { choosePhotos, tooLargeText, unreadableText } from './photo-rules'

export type LeadPhoto = { id: number; name: string; file: File; bitmap: ImageBitmap }

type PreparedPhoto = { photo: LeadPhoto } | { refused: string }

let nextId = 1

async function preparePhoto(file: File): Promise<PreparedPhoto> {
  try {
    const { file: small, bitmap } = await compressImage(file, MAX_PHOTO_BYTES)
    const refused = tooLargeText(file.name, small.size)
    if (refused) return { refused }
    nextId += 1
    return { photo: { id: nextId, name: file.name, file: small, bitmap } }
  } catch (error) {
    if (error instanceof UnreadableImageError) return { refused: unreadableText(file.name) }
    throw error
  }
}

export function usePhotoSelection() {
  const [photos, setPhotos] = useState<readonly LeadPhoto[]>([])
  const [refused, setRefused] = useState<readonly string[]>([])
  const [preparing, setPreparing] = useState(0)
  // What is true now, for a submit that comes while photos are still being prepared.
  const current = useRef<{ photos: readonly LeadPhoto[]; work: Promise<void> }>({ photos: [], work: Promise.resolve() })

  const update = (next: readonly LeadPhoto[]) => {
    current.current.photos = next
    setPhotos(next)
  }

  const prepareAll = async (files: readonly File[]) => {
    for (const file of files) {
      // One after the other: five large photos at once are too much for a small phone.
      // oxlint-disable-next-line no-await-in-loop
      const prepared = await preparePhoto(file)
      if ('photo' in prepared) update([...current.current.photos, prepared.photo])
      else setRefused((sentences) => [...sentences, prepared.refused])
      setPreparing((count) => count - 1)
    }
  }

  const add = (files: readonly File[]) => {
    const choice = choosePhotos(files, current.current.photos.length + preparing)
    setRefused(choice.refused)
    setPreparing((count) => count + choice.accepted.length)
    const before = current.current.work
    current.current.work = before.then(() => prepareAll(choice.accepted))
    return current.current.work
  }

  return {
    photos,
    refused,
    preparing,
    add,
    remove: (id: number) => {
      setRefused([])
      update(current.current.photos.filter((photo) => photo.id !== id))
    },
    clear: () => {
      setRefused([])
      update([])
    },
    /** The photos once the last one chosen is ready. */
    ready: async () => {
      await current.current.work
      return current.current.photos
    },
  }
}

export type PhotoSelection = ReturnType<typeof usePhotoSelection>
