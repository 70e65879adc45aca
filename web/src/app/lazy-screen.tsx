// Lazily loaded screen. Its module exports `Component`.
import { type ComponentType, lazy } from 'react'

type ScreenModule = { Component: ComponentType }

export function lazyScreen(load: () => Promise<ScreenModule>) {
  return lazy(async () => ({ default: (await load()).Component }))
}
