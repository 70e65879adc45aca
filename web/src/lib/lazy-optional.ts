// Part that a screen does without when its chunk cannot be fetched: a broken connection must not end the screen.
import { type ComponentType, lazy } from 'react'
import { isChunkLoadError } from './chunk-load-error'

const Nothing = () => null

export function lazyOptional(load: () => Promise<ComponentType>) {
  return lazy(async () => {
    try {
      return { default: await load() }
    } catch (error) {
      if (error instanceof Error && isChunkLoadError(error)) return { default: Nothing }
      throw error
    }
  })
}
