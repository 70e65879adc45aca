// The letters that an install without a mail server saves as files.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { House } from './house'

export type SavedLetter = { file: string; text: string }

/** Every saved letter to this address. */
export async function lettersIn(house: House, address: string): Promise<SavedLetter[]> {
  const folder = join(house.dataDir, 'mail')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.eml'))
  const letters = await Promise.all(
    names.map(async (file) => ({ file, text: await readFile(join(folder, file), 'utf8') })),
  )
  return letters.filter(({ text }) =>
    text.split('\n').some((line) => line.startsWith('To: ') && line.includes(address)),
  )
}

/** A letter as its reader sees it: without the line breaks and the marks that quoted-printable puts in. */
export function wordsOf(letter: string): string {
  return letter
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_mark, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Where the first link of this kind in the letters to this address leads; none until it was saved. */
export async function linkIn(house: House, address: string, kind: RegExp): Promise<string | undefined> {
  // No letter at all was saved yet.
  const letters = await lettersIn(house, address).catch(() => [])
  return letters.map(({ text }) => kind.exec(wordsOf(text))?.[0]).find((found) => found !== undefined)
}

/** What `openBusiness` itself mails to the owner: the link that proves their address, and that it counts as proven. */
export const OPENING_SUBJECTS = ['Confirm your email address', 'Your email address is confirmed']

/** What every saved letter to this address is about, in the order of the alphabet. */
export async function subjectsIn(house: House, address: string): Promise<string[]> {
  const letters = await lettersIn(house, address)
  return letters.map(({ text }) => /^Subject: (.*)$/m.exec(text)?.[1]?.trim() ?? '').toSorted()
}
