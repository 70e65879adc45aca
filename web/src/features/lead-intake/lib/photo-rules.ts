import { MAX_PHOTO_BYTES, MAX_PHOTOS } from '@/domain/lead'

export type PhotoChoice = { accepted: File[]; refused: string[] }

/** Splits the files just chosen, given how many are there already. */
export function choosePhotos(files: readonly File[], alreadyChosen: number): PhotoChoice {
  const accepted: File[] = []
  const refused: string[] = []
  for (const file of files) {
    if (!file.type.startsWith('image/')) refused.push(notAnImageText(file.name))
    else if (alreadyChosen + accepted.length >= MAX_PHOTOS)
      refused.push(`${file.name} was left out: at most ${MAX_PHOTOS} photos can be sent.`)
    else accepted.push(file)
  }
  return { accepted, refused }
}

export function notAnImageText(name: string): string {
  return `${name} is not an image. Please choose PNG or JPG.`
}

export function unreadableText(name: string): string {
  return `${name} cannot be read as a picture. Please choose PNG or JPG.`
}

/** The sentence for a picture still too large after shrinking; undefined when it fits. */
export function tooLargeText(name: string, bytes: number): string | undefined {
  return bytes > MAX_PHOTO_BYTES ? `${name} is larger than 5MB. Please choose a smaller one.` : undefined
}
