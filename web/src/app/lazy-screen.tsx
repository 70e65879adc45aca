// A screen fetched when it is first opened. Its module exports `Component`.
import { type ComponentType, lazy } from 'react'

type ScreenModule = { Component: ComponentType }

/** The module's `Component`, loaded when first rendered. */
export function lazyScreen(load: () => Promise<ScreenModule>) {
  return lazy(async () => ({ default: (await load()).Component }))
}
