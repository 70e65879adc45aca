// Generated picture files: real JPEG and PNG, and one with a false file type.
import type { Page } from '@playwright/test'

export type PictureFile = { name: string; mimeType: string; buffer: Buffer }

type PictureOptions = { mimeType?: 'image/jpeg' | 'image/png'; /** The sky's colour, in degrees. */ hue?: number }

/** A roof under a sky, with a hole in it, as this browser writes it. */
export async function drawPicture(
  page: Page,
  name: string,
  { mimeType = 'image/jpeg', hue = 205 }: PictureOptions = {},
): Promise<PictureFile> {
  const address = await page.evaluate(
    ({ type, tint }) => {
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width: 960, height: 720 })
      const draw = canvas.getContext('2d')
      if (!draw) throw new Error('no canvas')
      const sky = draw.createLinearGradient(0, 0, 0, 400)
      sky.addColorStop(0, `hsl(${tint} 60% 55%)`)
      sky.addColorStop(1, `hsl(${tint} 50% 85%)`)
      draw.fillStyle = sky
      draw.fillRect(0, 0, 960, 720)
      for (let row = 0; row < 14; row += 1) {
        for (let column = -1; column < 17; column += 1) {
          draw.fillStyle = `hsl(${18 + ((row * 7 + column * 5 + 5) % 9)} 45% ${30 + ((row * 3 + column * 11 + 11) % 12)}%)`
          draw.fillRect(column * 60 + (row % 2) * 30, 260 + row * 34, 57, 32)
        }
      }
      draw.fillStyle = '#17120f'
      for (const [left, top, wide] of [
        [420, 400, 117],
        [450, 434, 147],
        [480, 468, 57],
      ] as const)
        draw.fillRect(left, top, wide, 32)
      return canvas.toDataURL(type, 0.82)
    },
    { type: mimeType, tint: hue },
  )
  return { name, mimeType, buffer: Buffer.from(address.slice(address.indexOf(',') + 1), 'base64') }
}

/** A GIF under the name and type of a PNG: browsers read it by its content, and so does the server, which refuses it. */
export function gifNamedPng(name: string): PictureFile {
  return {
    name,
    mimeType: 'image/png',
    buffer: Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64'),
  }
}
