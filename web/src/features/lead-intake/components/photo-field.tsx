import { useId, useRef } from 'react'
import { MAX_PHOTOS } from '@/domain/lead'
import { FieldError } from '@/ui/field'
import { Button } from '@/ui/button'
import { Skeleton } from '@/ui/skeleton'
import type { PhotoSelection } from '../lib/use-photos'
import { leadMessages } from '../messages'
import { PhotoThumb } from './photo-thumb'

type PhotoFieldProps = {
  box: PhotoSelection
  /** The server's error for the photos. */
  serverError: string | undefined
  onChange: () => void
}

export function PhotoField({ box, serverError, onChange }: PhotoFieldProps) {
  const id = useId()
  const group = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const isFull = box.photos.length + box.preparing >= MAX_PHOTOS
  const problems = serverError ? [...box.refused, serverError] : box.refused

  const addChosen = (element: HTMLInputElement) => {
    onChange()
    void box.add(Array.from(element.files ?? []))
    // The same file may be chosen again after it was taken out.
    element.value = ''
  }

  return (
    <div
      ref={group}
      role="group"
      tabIndex={-1}
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-hint`}
      className="grid gap-2"
    >
      <p id={`${id}-label`} className="font-semibold">
        Photos <span className="font-normal text-muted">(optional)</span>
      </p>
      <p id={`${id}-hint`} className="text-caption text-muted">
        Up to {MAX_PHOTOS} photos. {leadMessages.photoHint}
      </p>
      {(box.photos.length > 0 || box.preparing > 0) && (
        <ul className="grid grid-cols-3 gap-3 sm:grid-cols-5">
          {box.photos.map((photo, index) => (
            <PhotoThumb
              key={photo.id}
              photo={photo}
              position={index + 1}
              isRefused={serverError?.includes(photo.name) ?? false}
              onRemove={() => {
                onChange()
                box.remove(photo.id)
                // The pressed button goes with its photo, and the keyboard's place with it.
                group.current?.focus()
              }}
            />
          ))}
          {Array.from({ length: box.preparing }, (_, index) => (
            <li key={index}>
              <Skeleton className="aspect-square w-full" />
            </li>
          ))}
        </ul>
      )}
      {/* The button below is the only one that people and their readers meet: this one does its work. */}
      <input
        ref={input}
        type="file"
        accept="image/*"
        multiple
        hidden
        onChange={(event) => addChosen(event.currentTarget)}
      />
      <Button variant="secondary" icon="camera" disabled={isFull} onClick={() => input.current?.click()}>
        {isFull ? `${MAX_PHOTOS} photos chosen` : box.photos.length > 0 ? 'Add more photos' : 'Add photos'}
      </Button>
      {problems.map((problem) => (
        <FieldError key={problem}>{problem}</FieldError>
      ))}
    </div>
  )
}
