// Emails that an install without a mail server saves as files.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Install } from './install'

export type SavedEmail = { file: string; text: string }

/** Every saved letter to this address. */
export async function savedEmailsTo(install: Install, address: string): Promise<SavedEmail[]> {
  const folder = join(install.dataDir, 'mail')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.eml'))
  const emails = await Promise.all(
    names.map(async (file) => ({ file, text: await readFile(join(folder, file), 'utf8') })),
  )
  return emails.filter(({ text }) => text.split('\n').some((line) => line.startsWith('To: ') && line.includes(address)))
}

/** A letter as its reader sees it: without the line breaks and the marks that quoted-printable puts in. */
export function decodeEmailText(letter: string): string {
  return letter
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_mark, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** The HTML part of a letter; none if it has only text. */
export function readHtmlPart(letter: string): string | undefined {
  const part = letter.split(/\r?\n--[^\r\n]+/).find((one) => /^Content-Type: text\/html/im.test(one))
  if (part === undefined) return undefined
  const [head = '', ...paragraphs] = part.split(/\r?\n\r?\n/)
  const body = paragraphs.join('\n\n')
  const encoding = /^Content-Transfer-Encoding: (\S+)/im.exec(head)?.[1]?.toLowerCase()
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  return encoding === 'quoted-printable' ? Buffer.from(decodeEmailText(body), 'latin1').toString('utf8') : body
}

/** Where the first link of this kind in the letters to this address leads; none until it was saved. */
export async function findEmailedLink(install: Install, address: string, kind: RegExp): Promise<string | undefined> {
  // No letter at all was saved yet.
  const emails = await savedEmailsTo(install, address).catch(() => [])
  return emails.map(({ text }) => kind.exec(decodeEmailText(text))?.[0]).find((found) => found !== undefined)
}

/** Subjects of the emails that `registerBusiness` itself causes. */
export const SIGNUP_SUBJECTS = ['Confirm your email address', 'Your email address is confirmed']

/** What every saved letter to this address is about, in the order of the alphabet. */
export async function savedSubjectsTo(install: Install, address: string): Promise<string[]> {
  const emails = await savedEmailsTo(install, address)
  return emails.map(({ text }) => /^Subject: (.*)$/m.exec(text)?.[1]?.trim() ?? '').toSorted()
}
