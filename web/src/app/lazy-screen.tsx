// A screen fetched when it is first opened. Its module exports `Component`.
import { type ComponentType, lazy } from 'react'
import { forgetReload } from './stale-chunk'

type ScreenModule = { Component: ComponentType }

/** The module's `Component`, loaded when first rendered. */
export function lazyScreen(load: () => Promise<ScreenModule>) {
  return lazy(async () => {
    const { Component } = await load()
    forgetReload()
    return { default: Component }
  })
}
