// Colors and icon of a business on the page that is open.
import { useLayoutEffect } from 'react'
import type { Schema } from '@/api/client'
import { useTheme } from '@/lib/theme'

const ICONS = 'link[rel="icon"]'

export function useBusinessLook({ colors, logoUrl }: Schema['FormLook']): void {
  const theme = useTheme()
  const shown = theme === 'toolbox-day' ? colors?.light : colors?.dark
  useLayoutEffect(() => {
    if (!shown) return
    const { style } = document.documentElement
    const tokens = { '--color-primary': shown.ink, '--brand-fill': shown.fill, '--brand-on-fill': shown.onFill }
    for (const [name, value] of Object.entries(tokens)) style.setProperty(name, value)
    return () => {
      for (const name of Object.keys(tokens)) style.removeProperty(name)
    }
  }, [shown])
  useLayoutEffect(() => {
    if (!logoUrl) return
    const icons = [...document.querySelectorAll<HTMLLinkElement>(ICONS)]
    const own = Object.assign(document.createElement('link'), { rel: 'icon', href: logoUrl })
    for (const icon of icons) icon.remove()
    document.head.append(own)
    return () => {
      own.remove()
      document.head.append(...icons)
    }
  }, [logoUrl])
}
