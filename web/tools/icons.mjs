// Draws the app's PNG icons from public/icons/icon.svg, and the card of shared links from social-card.svg beside this
// file, with a browser. Run by hand when one of them changes; the pictures are committed.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'

const tools = dirname(fileURLToPath(import.meta.url))
const icons = join(dirname(tools), 'public', 'icons')
const svg = readFileSync(join(icons, 'icon.svg'), 'utf8')
const card = readFileSync(join(tools, 'social-card.svg'), 'utf8')
const PAGE = '#0b1120'
/** What networks show in full beside a link. */
const CARD_SIZE = { width: 1200, height: 630 }

/** `scale` leaves room around the mark: launchers cut maskable icons to their own shape. */
const ICONS = [
  { file: 'icon-192.png', size: 192, scale: 1 },
  { file: 'icon-512.png', size: 512, scale: 1 },
  { file: 'icon-maskable-512.png', size: 512, scale: 0.8, background: PAGE },
  { file: 'icon-monochrome-512.png', size: 512, scale: 0.8, isMonochrome: true },
  { file: 'apple-touch-icon.png', size: 180, scale: 0.9, background: PAGE },
]

const bare = svg.replace(/<rect width="32" height="32"[^>]*\/>/, '')
const white = bare.replaceAll(/stroke="#[0-9a-f]{6}"/g, 'stroke="#ffffff"')

function pageFor({ size, scale, background = 'transparent', isMonochrome = false }) {
  const mark = isMonochrome ? white : scale === 1 ? svg : bare
  const style = `html,body{margin:0;background:${background}} body{width:${size}px;height:${size}px;display:grid;place-items:center} svg{width:${size * scale}px;height:${size * scale}px}`
  return `<!doctype html><style>${style}</style>${mark}`
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})

async function draw({ file, html, viewport, omitBackground }) {
  const page = await browser.newPage({ viewport })
  await page.setContent(html)
  writeFileSync(join(icons, file), await page.screenshot({ omitBackground }))
  console.log(file)
}

const pictures = ICONS.map((icon) => ({
  file: icon.file,
  html: pageFor(icon),
  viewport: { width: icon.size, height: icon.size },
  omitBackground: !icon.background,
}))
const shared = {
  file: 'social-card.png',
  html: `<!doctype html><style>body{margin:0} svg{display:block}</style>${card}`,
  viewport: CARD_SIZE,
  omitBackground: false,
}
await Promise.all([...pictures, shared].map(draw))
await browser.close()
